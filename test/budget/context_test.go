package budget_test

import (
	"encoding/json"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
	"outline-mcp/test/tasks"
	"outline-mcp/tools"
)

func TestTheToolListKeepsItsBudget(t *testing.T) {
	sample := sampleWorkspace(t)
	for what, settings := range map[string][]string{
		"tools/list, the default tools, structured output off": {"OUTLINE_STRUCTURED_OUTPUT=false"},
		"tools/list, the default tools, structured output on":  {"OUTLINE_STRUCTURED_OUTPUT=true"},
		"tools/list, all tools, structured output off":         {"OUTLINE_TOOLS=all"},
		"tools/list, the essential tools":                      {"OUTLINE_TOOLS=essential"},
		"tools/list, the tools that search and read":           {"OUTLINE_TOOLS=search,reading"},
	} {
		var answer struct {
			Result struct{ Tools json.RawMessage }
		}
		if err := json.Unmarshal(newSession(t, sample, settings...).ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), &answer); err != nil {
			t.Fatal(err)
		}
		check(t, "bytes of "+what, len(answer.Result.Tools))
		var tools []json.RawMessage
		if err := json.Unmarshal(answer.Result.Tools, &tools); err != nil {
			t.Fatal(err)
		}
		switch what {
		case "tools/list, the default tools, structured output off":
			check(t, "tools offered by default", len(tools))
		case "tools/list, the essential tools":
			check(t, "essential tools", len(tools))
		case "tools/list, all tools, structured output off":
			check(t, "tools in all", len(tools))
		}
	}
}

func TestTheTextOfTheUsualAnswersKeepsItsBudget(t *testing.T) {
	for what, ask := range map[string]request{
		"a search of 25": search(t),
		"a tree of 100":  {made(t, nil, 100), "get_collection_structure", map[string]any{"collection_id": collectionID}},
		"an outline":     {sampleWorkspace(t), "get_document_outline", map[string]any{"document_id": "oiZwZ2tlsC"}},
		"comments":       {sampleWorkspace(t), "list_document_comments", map[string]any{"document_id": "c22c45ef-ea9d-4196-aaa5-576f1543d36e"}},
	} {
		check(t, "bytes of text, "+what, len(newSession(t, ask.outline).text(ask)))
	}
}

// TestTheTextOfTheRecordedAnswersKeepsItsBudget adds up the answers that the
// tests of the tools compare one by one.
func TestTheTextOfTheRecordedAnswersKeepsItsBudget(t *testing.T) {
	total, count := 0, 0
	for _, tool := range tools.All() {
		for _, call := range fixtures.Read(t, "../../tools/testdata/calls", tool.Info().Name) {
			if !call.Failed() {
				total, count = total+len(call.Text), count+1
			}
		}
	}
	if count < 33 {
		t.Fatalf("only %d recorded answers", count)
	}
	// The mean: another recorded call costs nobody anything.
	check(t, "bytes of text, a recorded success at the mean", total/count)
}

func search(t *testing.T) request {
	return request{sampleWorkspace(t), "search_documents", map[string]any{"query": "buoy", "limit": 25}}
}

func TestASearchOf25OnTheSampleContentStaysUnder5600Bytes(t *testing.T) {
	ask := search(t)
	ask.arguments["detail_level"] = "summary"
	text := newSession(t, ask.outline).text(ask)
	if n := strings.Count(text, "\n- "); n != 25 || len(text) > 5600 {
		t.Errorf("%d hits in %d bytes", n, len(text))
	}
}

func TestEachTaskKeepsItsBudgetOfCharacters(t *testing.T) {
	for _, task := range tasks.All() {
		t.Run(task.Asked, func(t *testing.T) {
			sample, err := fakeoutline.New(fakeoutline.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := newSessionOf(t, app.Options{Transport: sample.Transport(), Now: sample.Now})
			answers, err := task.Solve(func(tool string, given tasks.Arguments) (string, error) {
				return s.text(request{tool: tool, arguments: given}), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			sent, received := tasks.Characters(answers)
			check(t, "characters, "+task.Asked, sent+received)
			if total := tasks.InTokens(sent + received); task.Tokens > 0 && total > task.Tokens {
				t.Errorf("%.0f tokens, and %.0f are promised", total, task.Tokens)
			}
		})
	}
}
