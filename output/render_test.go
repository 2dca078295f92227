package output_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/output"
)

// note is a result whose fields can break its own schema.
type note struct {
	DocumentID string     `json:"document_id" format:"uuid"`
	URL        string     `json:"url,omitempty" format:"uri"`
	At         *time.Time `json:"at,omitempty"`
	Score      float64    `json:"score"`
	Tags       []string   `json:"tags"`
}

func (n note) WriteText(t *output.Text) { t.Line("note %s", n.DocumentID) }

const someUUID = "3f0a5a3e-7a55-4d6c-9d3b-0a8f4c8f1a11"

func contractOf(t *testing.T, writes bool, of any) *output.Contract {
	t.Helper()
	return output.NewContract("write_note", writes, func() (*jsonschema.Schema, error) {
		return output.ContractSchema(nil, []reflect.Type{reflect.TypeOf(of)}, nil)
	})
}

func textOf(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if len(result.Content) != 1 {
		t.Fatalf("%d pieces of content, want 1", len(result.Content))
	}
	return result.Content[0].(mcp.TextContent).Text
}

func TestStructuredContentIsThereOnlyWhenItIsSwitchedOn(t *testing.T) {
	good := note{DocumentID: someUUID, Tags: []string{}}
	for _, structured := range []bool{false, true} {
		t.Run(fmt.Sprint(structured), func(t *testing.T) {
			result := output.Renderer{Structured: structured}.Success(contractOf(t, false, note{}), good)
			wire, err := json.Marshal(result)
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(wire, []byte("structuredContent")); got != structured {
				t.Errorf("structuredContent on the wire is %t: %s", got, wire)
			}
			if text := textOf(t, result); text != "note "+someUUID {
				t.Errorf("text is %q", text)
			}
		})
	}
}

func TestAnAnswerThatBreaksItsSchemaIsAnInternalFailure(t *testing.T) {
	for name, broken := range map[string]note{
		"an ID that is no UUID": {DocumentID: "secret text", Tags: []string{}},
		"a URL that is none":    {DocumentID: someUUID, URL: "no uri", Tags: []string{}},
		"a list that is null":   {DocumentID: someUUID},
		"a number that is none": {DocumentID: someUUID, Score: math.NaN(), Tags: []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			contract := contractOf(t, false, note{})
			result := output.Renderer{Structured: true, Log: slog.New(slog.NewTextHandler(&log, nil))}.Success(contract, broken)
			failure := failureOf(t, contract, result)
			if failure.Code != output.Internal || !result.IsError {
				t.Errorf("code %q, isError %t", failure.Code, result.IsError)
			}
			if !strings.Contains(log.String(), "write_note") || strings.Contains(log.String(), "secret text") {
				t.Errorf("log names no tool, or holds what the answer held: %s", log.String())
			}
		})
	}
}

func TestAfterAWriteABrokenAnswerSaysThatItWasDone(t *testing.T) {
	contract := contractOf(t, true, note{})
	result := output.Renderer{Structured: true}.Success(contract, note{DocumentID: someUUID, URL: "no uri", Tags: []string{}})
	failure := failureOf(t, contract, result)
	if failure.DocumentID != someUUID {
		t.Errorf("document_id is %q", failure.DocumentID)
	}
	for _, form := range []string{failure.Sentence, textOf(t, result)} {
		if !strings.Contains(form, "was carried out") || !strings.Contains(form, "do not repeat") {
			t.Errorf("does not say that the write was done: %s", form)
		}
	}
}

func failureOf(t *testing.T, contract *output.Contract, result *mcp.CallToolResult) output.Failure {
	t.Helper()
	if err := contract.Check(result.RawStructuredContent); err != nil {
		t.Errorf("the failure breaks the schema: %s", err)
	}
	var failure output.Failure
	if err := json.Unmarshal(result.RawStructuredContent, &failure); err != nil {
		t.Fatal(err)
	}
	return failure
}

func TestAFailureCarriesTheSameInBothRenderings(t *testing.T) {
	failure := output.Failure{Code: output.RateLimited, Sentence: "wait.", DocumentID: "a slug", CollectionID: someUUID, CommentID: "c1", RetryAfterSeconds: 2.5}
	contract := contractOf(t, false, note{})
	result := output.Renderer{Structured: true}.Failure(contract, failure)
	if got := failureOf(t, contract, result); got != failure {
		t.Errorf("structured content is %+v", got)
	}
	for _, fact := range []string{"wait.", "rate_limited", "a slug", someUUID, "c1", "2.5"} {
		if !strings.Contains(textOf(t, result), fact) {
			t.Errorf("text lacks %q: %s", fact, textOf(t, result))
		}
	}
}

// entries is a list that can be cut.
type entries struct {
	Entries []string `json:"entries"`
	Next    int      `json:"next,omitempty"`
}

func (e entries) WriteText(t *output.Text) {
	for _, entry := range e.Entries {
		t.Line("- %s", entry)
	}
	if e.Next > 0 {
		t.Line("go on at %d", e.Next)
	}
}

func (e *entries) Cuts() []output.Cut {
	return []output.Cut{{Units: len(e.Entries), Keep: e.keep}}
}

func (e *entries) keep(n int) {
	if n < len(e.Entries) {
		e.Entries, e.Next = e.Entries[:n], n
	}
}

func TestALongAnswerIsCutToTheLimitInBothRenderings(t *testing.T) {
	var all entries
	for i := range 500 {
		all.Entries = append(all.Entries, fmt.Sprintf("entry %d ü", i))
	}
	contract := contractOf(t, false, entries{})
	for limit := 40; limit < 8000; limit += 37 {
		result := output.Renderer{Structured: true, MaxBytes: limit}.Success(contract, all)
		text := textOf(t, result)
		if len(text) > limit {
			t.Fatalf("limit %d: text has %d bytes", limit, len(text))
		}
		var got entries
		if err := json.Unmarshal(result.RawStructuredContent, &got); err != nil {
			t.Fatal(err)
		}
		if shown := strings.Count(text, "- "); shown != len(got.Entries) {
			t.Fatalf("limit %d: text shows %d entries, structured content %d", limit, shown, len(got.Entries))
		}
		if len(got.Entries) < 500 {
			longer := all
			longer.keep(len(got.Entries) + 1)
			var next output.Text
			longer.WriteText(&next)
			if n := len(next.String()); n <= limit {
				t.Fatalf("limit %d: %d entries shown though one more would fit", limit, len(got.Entries))
			}
		}
	}
	if text := textOf(t, output.Renderer{}.Success(contract, all)); strings.Count(text, "- ") != 500 {
		t.Error("without a limit the answer is cut")
	}
}

func TestExcerptCutsAtCodePointsAndStaysOnOneLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "abc": "abc", "äöüß": "äöü…", " a\n\tb ": "a b", "שלום": "שלו…"} {
		if got := output.Excerpt(in, 3); got != want {
			t.Errorf("Excerpt(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTextUnderAConditionIsWrittenOnlyIfItHolds(t *testing.T) {
	var text output.Text
	for _, holds := range []bool{true, false} {
		text.If(holds).Printf("%t", holds)
		text.If(holds).Line(", %t", holds)
		text.If(holds).Block("block")
		text.If(holds).Blank()
	}
	text.Line("end")
	if got, want := text.String(), "true, true\nblock\n\nend"; got != want {
		t.Errorf("text is %q, want %q", got, want)
	}
}

// chapter is a list that is cut to one entry, and then to a part of it.
type chapter struct{ entries }

func (c *chapter) Cuts() []output.Cut {
	cuts := c.entries.Cuts()
	cuts[0].Least = 1
	return append(cuts, output.Cut{Units: len(c.Entries[0]), Keep: func(n int) {
		c.Entries = []string{c.Entries[0][:n]}
	}})
}

func TestALaterCutIsUsedOnlyWhenTheFirstIsUsedUp(t *testing.T) {
	first, second := strings.Repeat("a", 20), strings.Repeat("b", 20)
	whole := chapter{entries{Entries: []string{first, second, "c"}}}
	for limit, want := range map[int]string{
		100: "- " + first + "\n- " + second + "\n- c",
		48:  "- " + first + "\ngo on at 1",
		20:  "- aaaaaaa\ngo on at 1",
		1:   "- \ngo on at 1",
	} {
		if got := textOf(t, output.Renderer{MaxBytes: limit}.Success(contractOf(t, false, whole), whole)); got != want {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}

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
