package output_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/output"
)

type found struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title" jsonschema:"As people see it"`
	Kind       string `json:"kind" const:"found"`
	Level      int    `json:"level" minimum:"1" maximum:"6"`
}

type missed struct {
	Title   string   `json:"title"`
	Kind    string   `json:"kind" enum:"missed,lost"`
	Nearest []branch `json:"nearest"`
	At      string   `json:"at,omitempty" format:"date-time"`
}

func TestTheListedSchemaSaysOnceWhatSeveralShapesHave(t *testing.T) {
	contract, err := output.ContractSchema(nil, []reflect.Type{reflect.TypeFor[found](), reflect.TypeFor[missed]()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(contract)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := output.ListedSchema(contract)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"title":{"type":"string"}},
		"$defs":{"branch":{"type":"object","required":["name","children"],"properties":{
			"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/branch"}}}}},
		"anyOf":[
			{"required":["document_id","title","kind","level"],"properties":{"document_id":{"type":"string","format":"uuid"},"kind":{"const":"found"},"level":{"type":"integer"}}},
			{"required":["title","kind","nearest"],"properties":{
				"kind":{"enum":["missed","lost"]},"nearest":{"type":"array","items":{"$ref":"#/$defs/branch"}},"at":{"type":"string","format":"date-time"}}},
			{"required":["error","code"],"properties":{"error":{"type":"string"},"code":{"type":"string"},"document_id":{"type":"string"},"retry_after_seconds":{"type":"number"}}}]}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, string(listed))); diff != "" {
		t.Errorf("listed schema (-want +got):\n%s", diff)
	}
	if after, err := json.Marshal(contract); err != nil || string(after) != string(before) {
		t.Errorf("the contract has become %s: %v", after, err)
	}
}

func TestListedArgumentsKeepTheBoundsThatAModelWouldNotGuess(t *testing.T) {
	arguments, err := output.SchemaOf(reflect.TypeFor[struct {
		Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25" jsonschema:"How many"`
		Offset int `json:"offset,omitempty" minimum:"0"`
		Least  int `json:"least,omitempty" minimum:"10"`
		Items  []struct {
			Line int `json:"line" minimum:"1"`
		} `json:"items" minItems:"1"`
	}]())
	if err != nil {
		t.Fatal(err)
	}
	listed, err := output.ListedArguments(arguments)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","required":["items"],"properties":{
		"limit":{"type":"integer","default":25,"maximum":100,"description":"How many"},"offset":{"type":"integer"},"least":{"type":"integer","minimum":10},
		"items":{"type":"array","minItems":1,"items":{"type":"object","required":["line"],"properties":{"line":{"type":"integer"}}}}}}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, string(listed))); diff != "" {
		t.Errorf("listed arguments (-want +got):\n%s", diff)
	}
	if arguments.Properties["offset"].Minimum == nil {
		t.Error("the arguments are no longer checked for an offset below 0")
	}
}
