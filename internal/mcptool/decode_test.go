package mcptool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

// probe is a tool with an argument of each kind, which answers with what it
// understood.
type probeIn struct {
	ID    string   `json:"id" maxLength:"20" jsonschema:"Which one"`
	Count int      `json:"count,omitempty" minimum:"1" maximum:"100" default:"25"`
	Ratio float64  `json:"ratio,omitempty"`
	Deep  bool     `json:"deep,omitempty" default:"true"`
	Level string   `json:"level,omitempty" enum:"ids,summary,full" default:"summary"`
	Kinds []string `json:"kinds,omitempty" enum:"draft,published" maxItems:"2"`
	Lines []int    `json:"lines,omitempty"`
	Items []item   `json:"items,omitempty"`
}

type item struct {
	Title string `json:"title"`
	Index int    `json:"index,omitempty" minimum:"0"`
	Note  string `json:"note,omitempty" minLength:"0" maxLength:"3"`
}

func (in probeIn) Validate() error {
	if in.ID == "forbidden" {
		return errors.New("id must not be \"forbidden\"")
	}
	return nil
}

type probeOut struct {
	Understood probeIn `json:"understood"`
}

func (probeOut) WriteText(*output.Text) {}

func probe(t testing.TB) mcptool.Bound {
	t.Helper()
	spec := mcptool.Spec[probeIn, probeOut]{
		Name: "probe",
		Run: func(_ context.Context, _ mcptool.Env, in probeIn) (probeOut, error) {
			if in.ID == "panic" {
				panic("secret panic value")
			}
			return probeOut{in}, nil
		},
	}
	bound, err := mcptool.Bind([]mcptool.Tool{spec}, mcptool.Deps{
		Render: output.Renderer{Structured: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return bound[0]
}

func call(t testing.TB, tool mcptool.Bound, arguments string) *mcp.CallToolResult {
	t.Helper()
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.RawArguments = tool.Name, json.RawMessage(arguments)
	result, err := tool.Handler(t.Context(), request)
	if err != nil {
		t.Fatalf("protocol error: %s", err)
	}
	return result
}

func TestArgumentsAreLenientInForm(t *testing.T) {
	with := func(change func(*probeIn)) probeIn {
		in := probeIn{ID: "x", Count: 25, Deep: true, Level: "summary"}
		change(&in)
		return in
	}
	plain := with(func(*probeIn) {})
	tests := []struct {
		name, arguments string
		want            probeIn
	}{
		{"what is not given has its default", `{"id":"x"}`, plain},
		{"null is not given", `{"id":"x","count":null,"kinds":null}`, plain},
		{"an empty string is not given", `{"id":"x","count":"","level":" ","deep":"","kinds":"","items":""}`, plain},
		{"null as text is not given", `{"id":"x","count":"null","deep":"undefined","level":"None","kinds":["null"],"lines":[ "None" ],"items":"undefined"}`, plain},
		{"null as text is text where it is required", `{"id":"null"}`, probeIn{ID: "null", Count: 25, Deep: true, Level: "summary"}},
		{"what a client adds is left out", `{"id":"x","wait_for_previous":true}`, plain},
		{"the arguments may be a JSON string", `"{\"id\":\"x\"}"`, plain},
		{"a number in a string is a number", `{"id":"x","count":"5"}`, with(func(in *probeIn) { in.Count = 5 })},
		{"a whole number may have decimals", `{"id":"x","count":5.0}`, with(func(in *probeIn) { in.Count = 5 })},
		{"a fraction stays one", `{"id":"x","ratio":"0.5"}`, with(func(in *probeIn) { in.Ratio = 0.5 })},
		{"a boolean in a string is a boolean", `{"id":"x","deep":"False"}`, with(func(in *probeIn) { in.Deep = false })},
		{"0 is false", `{"id":"x","deep":0}`, with(func(in *probeIn) { in.Deep = false })},
		{"a number is text where text is wanted", `{"id":2024}`, with(func(in *probeIn) { in.ID = "2024" })},
		{"choices ignore case", `{"id":"x","level":"FULL"}`, with(func(in *probeIn) { in.Level = "full" })},
		{"a lone string is a list of one", `{"id":"x","kinds":"draft"}`, with(func(in *probeIn) { in.Kinds = []string{"draft"} })},
		{"a list in a string is the list", `{"id":"x","kinds":"[\"draft\",\"published\"]"}`, with(func(in *probeIn) { in.Kinds = []string{"draft", "published"} })},
		{"a list is coerced item by item", `{"id":"x","lines":["1",2.0]}`, with(func(in *probeIn) { in.Lines = []int{1, 2} })},
		{"objects in a list", `{"id":"x","items":[{"title":"a","index":"3"},"{\"title\":\"b\"}"]}`,
			with(func(in *probeIn) { in.Items = []item{{"a", 3, ""}, {"b", 0, ""}} })},
	}
	tool := probe(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := call(t, tool, test.arguments)
			var got probeOut
			if err := json.Unmarshal(result.RawStructuredContent, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.Understood); diff != "" {
				t.Errorf("(-want +got) %s\n%s", diff, result.RawStructuredContent)
			}
		})
	}
}

func TestArgumentsThatMeanNothingAreRefusedWithTheWayOut(t *testing.T) {
	tests := []struct {
		name, arguments string
		says            []string
	}{
		{"unknown", `{"id":"x","document_id":"y"}`, []string{`unknown argument "document_id"`, "Valid arguments: id (required), count"}},
		{"missing", `{}`, []string{`missing argument "id" (Which one)`}},
		{"missing, as no arguments at all", ``, []string{`missing argument "id"`}},
		{"missing, as an empty string", `""`, []string{`missing argument "id"`}},
		{"blank", `{"id":"  "}`, []string{"id must not be blank (Which one)"}},
		{"blank in a list", `{"id":"x","lines":[1,""]}`, []string{"lines[1] must not be blank"}},
		{"no object", `[1]`, []string{"must be a JSON object"}},
		{"a string that is no object", `"hello"`, []string{"must be a JSON object"}},
		{"wrong type for a number", `{"id":"x","count":"many"}`, []string{`count must be a whole number from 1 to 100, not "many"`}},
		{"a fraction for a whole number", `{"id":"x","count":2.5}`, []string{"count must be a whole number from 1 to 100, not 2.5"}},
		{"a list for a number", `{"id":"x","count":[1]}`, []string{"count must be a whole number"}},
		{"below the least", `{"id":"x","count":0}`, []string{"count must be a number from 1 to 100, not 0"}},
		{"above the most", `{"id":"x","count":101}`, []string{"from 1 to 100, not 101"}},
		{"an unknown choice", `{"id":"x","level":"huge"}`, []string{`level must be ids, summary or full, not "huge"`}},
		{"an unknown choice in a list", `{"id":"x","kinds":["draft","lost"]}`, []string{`kinds[1] must be draft or published, not "lost"`}},
		{"too many items", `{"id":"x","kinds":["draft","draft","draft"]}`, []string{"kinds must have at most 2 items, not 3"}},
		{"an object for text", `{"id":{"a":1}}`, []string{`id must be text, not {"a":1}`}},
		{"no boolean", `{"id":"x","deep":"maybe"}`, []string{`deep must be true or false, not "maybe"`}},
		{"too long", `{"id":"123456789012345678901"}`, []string{"id must be at most 20 characters long, not 21"}},
		{"too long, where it may be blank", `{"id":"x","items":[{"title":"a","note":"four"}]}`, []string{"items[0].note must be at most 3 characters long, not 4"}},
		{"unknown inside an item", `{"id":"x","items":[{"title":"a","colour":1}]}`, []string{`unknown argument "items[0].colour". Valid arguments: title (required), index, note.`}},
		{"missing inside an item", `{"id":"x","items":[{}]}`, []string{`missing argument "items[0].title"`}},
		{"a number out of range", `{"id":"x","count":1e400}`, []string{"count must be a whole number from 1 to 100, not 1e400"}},
		{"a number out of range in text", `{"id":"x","ratio":"-1e400"}`, []string{`ratio must be a number`, `not "-1e400"`}},
		{"too many values", `{"id":"x","items":[` + strings.Repeat("{},", 60_000) + `{}]}`, []string{"50,000 values", "Send less"}},
		{"too many values in text", `{"id":"x","items":"[` + strings.Repeat("{},", 60_000) + `{}]"}`, []string{"items cannot be read", "50,000 values"}},
		{"too many values in text for an object", `{"id":"x","items":["{` + strings.Repeat(`\"a\":{},`, 60_000) + `}"]}`, []string{"items[0] cannot be read", "50,000 values"}},
		{"too much that is wrong", `{"id":"x","lines":[` + strings.Repeat(`"",`, 1000) + `""]}`, []string{"lines[4] must not be blank; and 996 more"}},
		{"several at once", `{"id":"x","count":0,"level":"huge"}`, []string{"count must be", "level must be"}},
		{"what the tool itself refuses", `{"id":"forbidden"}`, []string{`id must not be "forbidden"`}},
	}
	tool := probe(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := call(t, tool, test.arguments)
			var failure output.Failure
			if err := json.Unmarshal(result.RawStructuredContent, &failure); err != nil {
				t.Fatal(err)
			}
			if !result.IsError || failure.Code != output.InvalidArguments {
				t.Fatalf("isError %t, code %q: %s", result.IsError, failure.Code, result.RawStructuredContent)
			}
			for _, says := range append(test.says, "probe: ") {
				if !strings.Contains(failure.Sentence, says) {
					t.Errorf("does not say %q: %s", says, failure.Sentence)
				}
			}
		})
	}
}

func TestAPanicInAToolIsAFailureThatTellsNothing(t *testing.T) {
	result := call(t, probe(t), `{"id":"panic"}`)
	var failure output.Failure
	if err := json.Unmarshal(result.RawStructuredContent, &failure); err != nil {
		t.Fatal(err)
	}
	if !result.IsError || failure.Code != output.Internal || strings.Contains(failure.Sentence, "secret") {
		t.Errorf("isError %t: %s", result.IsError, result.RawStructuredContent)
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `{"id":"x"}`, `""`, `null`, `"{\"id\":1}"`, `{"id":"x","count":"1e2","kinds":"[\"draft\"]"}`, `{"id":1e400}`, `{"items":[{}]}`, `{"count":-0.0,"id":"\ud800"}`} {
		f.Add(seed)
	}
	tool := probe(f)
	f.Fuzz(func(t *testing.T, arguments string) {
		result := call(t, tool, arguments)
		var out struct {
			Understood *probeIn    `json:"understood"`
			Code       output.Code `json:"code"`
		}
		if err := json.Unmarshal(result.RawStructuredContent, &out); err != nil {
			t.Fatalf("no structured content: %s", err)
		}
		if out.Understood == nil {
			if out.Code != output.InvalidArguments {
				t.Errorf("code %q for %q", out.Code, arguments)
			}
			return
		}
		in := *out.Understood
		if in.Count < 1 || in.Count > 100 || strings.TrimSpace(in.ID) == "" || utf8.RuneCountInString(in.ID) > 20 || len(in.Kinds) > 2 {
			t.Errorf("%q was understood as %+v", arguments, in)
		}
	})
}

type brokenIn struct {
	C chan int `json:"c"`
}

type brokenOut struct {
	N int `json:"n" enum:"1,2"`
}

func (brokenOut) WriteText(*output.Text) {}

// TestABrokenSchemaFailsAtTheStartAndNamesTheTool knows that output schemas are
// not made while nobody asks for them.
func TestABrokenSchemaFailsAtTheStartAndNamesTheTool(t *testing.T) {
	broken := []mcptool.Tool{
		mcptool.Spec[brokenIn, probeOut]{Name: "broken_in"},
		mcptool.Spec[probeIn, brokenOut]{Name: "broken_out"},
	}
	for _, structured := range []bool{false, true} {
		_, err := mcptool.Bind(broken, mcptool.Deps{Render: output.Renderer{Structured: structured}})
		if err == nil || !strings.Contains(err.Error(), "broken_in") || strings.Contains(err.Error(), "broken_out") != structured {
			t.Errorf("structured %t: %v", structured, err)
		}
	}
}
