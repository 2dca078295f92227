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
	"unicode/utf8"

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
		result := output.Renderer{Structured: true, MaxChars: limit}.Success(contract, all)
		text := textOf(t, result)
		if n := utf8.RuneCountInString(text); n > limit {
			t.Fatalf("limit %d: text has %d characters", limit, n)
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
			if n := utf8.RuneCountInString(next.String()); n <= limit {
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
		if got := textOf(t, output.Renderer{MaxChars: limit}.Success(contractOf(t, false, whole), whole)); got != want {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
}
