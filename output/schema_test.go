package output_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/output"
)

type branch struct {
	Name     string   `json:"name"`
	Children []branch `json:"children"`
}

type unnamedMap struct {
	Counts map[string]int `json:"counts"`
}

func TestSchemaOfAType(t *testing.T) {
	tests := []struct {
		name string
		of   any
		want string
	}{
		{"no fields still has properties", struct{}{}, `{"type":"object","properties":{}}`},
		{"a field without omitempty is required", struct {
			A string `json:"a" jsonschema:"What it is"`
			B int    `json:"b,omitempty"`
		}{}, `{"type":"object","required":["a"],"properties":{"a":{"type":"string","description":"What it is"},"b":{"type":"integer"}}}`},
		{"pointers and lists are never null", struct {
			P *float64 `json:"p,omitempty"`
			L []string `json:"l"`
		}{}, `{"type":"object","required":["l"],"properties":{"p":{"type":"number"},"l":{"type":"array","items":{"type":"string"}}}}`},
		{"times are date-time", struct {
			At *time.Time `json:"at,omitempty"`
		}{}, `{"type":"object","properties":{"at":{"type":"string","format":"date-time"}}}`},
		{"bounds, default, format and const come from tags", struct {
			N int    `json:"n" minimum:"1" maximum:"100" default:"25"`
			U string `json:"u" format:"uuid" minLength:"1" maxLength:"9"`
			C bool   `json:"c" const:"true"`
			M string `json:"m" const:"markdown"`
		}{}, `{"type":"object","required":["n","u","c","m"],"properties":{
			"n":{"type":"integer","minimum":1,"maximum":100,"default":25},
			"u":{"type":"string","format":"uuid","minLength":1,"maxLength":9},
			"c":{"type":"boolean","const":true},"m":{"type":"string","const":"markdown"}}}`},
		{"an enum of a list belongs to its items", struct {
			S []string `json:"s" enum:"draft,published" minItems:"1" maxItems:"2"`
		}{}, `{"type":"object","required":["s"],"properties":{"s":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["draft","published"]}}}}`},
		{"a type inside itself is a definition", branch{}, `{"$ref":"#/$defs/branch","$defs":{"branch":{"type":"object","required":["name","children"],"properties":{
			"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/branch"}}}}}}`},
		{"map values are typed", unnamedMap{}, `{"type":"object","required":["counts"],"properties":{"counts":{"type":"object","additionalProperties":{"type":"integer"}}}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			schema, err := output.SchemaOf(reflect.TypeOf(test.of))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(schema)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, test.want), decoded(t, string(got))); diff != "" {
				t.Errorf("schema differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSchemaKeepsTheOrderOfFields(t *testing.T) {
	schema, err := output.SchemaOf(reflect.TypeFor[struct {
		Zebra string `json:"zebra"`
		Ant   string `json:"ant"`
	}]())
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(schema)
	if z, a := strings.Index(string(raw), `"zebra":{`), strings.Index(string(raw), `"ant":{`); z < 0 || a < z {
		t.Errorf("zebra does not stand before ant: %s", raw)
	}
}

func TestABrokenTypeHasNoSchema(t *testing.T) {
	for name, broken := range map[string]any{
		"a channel": struct {
			C chan int `json:"c"`
		}{},
		"an interface": struct {
			A any `json:"a"`
		}{},
		"a bound that is no number": struct {
			N int `json:"n" minimum:"one"`
		}{},
		"a length that is no number": struct {
			S string `json:"s" maxLength:"long"`
		}{},
		"an enum of numbers": struct {
			N int `json:"n" enum:"1,2"`
		}{},
		"a default of the wrong type": struct {
			N int `json:"n" default:"many"`
		}{},
		"a const that is no JSON": struct {
			B bool `json:"b" const:"yes"`
		}{},
		"an option where a description belongs": struct {
			N int `json:"n" jsonschema:"minimum=1"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			if schema, err := output.SchemaOf(reflect.TypeOf(broken)); err == nil {
				t.Errorf("got a schema: %v", schema)
			}
		})
	}
}

func decoded(t *testing.T, raw string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(raw), &value); err != nil {
		t.Fatalf("%s: %s", err, raw)
	}
	return value
}
