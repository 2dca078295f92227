package tools_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/cli"
	"outline-mcp/tools"
)

// limit is less than operators may choose, so that answers are cut more often.
const limit = 2000

// read calls a tool, which must not fail, and decodes its structured content.
func read[T any](t *testing.T, c *client.Client, tool string, arguments map[string]any) (T, string) {
	t.Helper()
	answer := success(t, c, math.MaxInt, tool, arguments)
	return decoded[T](t, answer.Structured), answer.Text
}

// oneDocument answers every request with a document of the given text.
func oneDocument(text string) http.RoundTripper {
	return answering(map[string]any{"ok": true, "status": 200, "data": map[string]any{
		"id": "3f0a5a3e-7a55-4d6c-9d3b-0a8f4c8f1a11", "url": "/doc/x-1FF9VyHA4X", "urlId": "1FF9VyHA4X", "title": "x", "text": text,
		"revision": 1, "updatedAt": "2026-01-01T00:00:00.000Z", "publishedAt": "2026-01-01T00:00:00.000Z"}})
}

func TestALineLongerThanAnAnswerIsReadInPiecesToo(t *testing.T) {
	long := strings.Repeat("длинная строка 🍲 ", 1000)
	for name, text := range map[string]string{
		"alone":          long,
		"between others": "first\n" + long + "\n\nlast",
		"at the end":     "first\n" + long,
		"twice":          long + "\n" + long,
		"with a newline": long + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			both, textOnly := finding(t, oneDocument(text), limit), finding(t, oneDocument(text), limit, "OUTLINE_STRUCTURED_OUTPUT=off")
			verifyWhole(t, readToEndWith(t, both, textOnly, limit, "read_document", map[string]any{"document_id": "1FF9VyHA4X"}), text)
		})
	}
}

func TestALongHeadingIsShortened(t *testing.T) {
	c := finding(t, oneDocument("# "+strings.Repeat("heading ", 1000)+"\n\n# second\n"), limit)
	page := decoded[struct {
		Headings      []struct{ Text string }
		NextStartLine int `json:"next_start_line"`
	}](t, success(t, c, limit, "get_document_outline", map[string]any{"document_id": "1FF9VyHA4X"}).Structured)
	if len(page.Headings) != 2 || !strings.HasSuffix(page.Headings[0].Text, "…") || page.NextStartLine != 0 {
		t.Errorf("a heading longer than an answer: %+v", page)
	}
	for _, heading := range []string{"zebra", "e"} { // no match, and more than one
		if answer := bounded(t, c, limit, "read_document_section", map[string]any{"document_id": "1FF9VyHA4X", "heading": heading}); answer.Code == "" {
			t.Error(answer.Text)
		}
	}
}

func TestAFailureIsShortWhateverWasGiven(t *testing.T) {
	c := finding(t, newSample(t).Transport(), limit)
	many := map[string]any{"query": "x"}
	var wrong []any
	for i := range 1000 {
		many[fmt.Sprint("argument ", i)] = i
		wrong = append(wrong, "lost")
	}
	for _, arguments := range []map[string]any{many, {"query": "x", "status_filter": wrong}, {"query": strings.Repeat("x", 5000)}} {
		if answer := bounded(t, c, limit, "search_documents", arguments); answer.Code == "" {
			t.Error(answer.Text)
		}
	}
}

func TestAKeyGivenInTheWrongPlaceIsNotRepeated(t *testing.T) {
	c := connect(t, true)
	const key = "ol_api_Fake-FakeFake.Fake"
	for tool, arguments := range map[string]map[string]any{
		"read_document":           {"document_id": key},
		"search_documents":        {"query": "x", "limit": key},
		"list_collections":        {key: 1},
		"get_document_outline":    {"document_id": "https://wiki.example.com/doc/" + key},
		"export_document":         {"document_id": "Bearer " + key},
		"batch_archive_documents": {"document_ids": []any{key, "Bearer " + key}},
	} {
		answer, err := cli.Call(t.Context(), c, tool, arguments)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code == "" || strings.Contains(answer.Text+string(answer.Structured), "FakeFake") {
			t.Errorf("%s: %s %s", tool, answer.Text, answer.Structured)
		}
	}
}

func TestToolsThatReadSayThatTheyAnswerWithMoreThanClientsShow(t *testing.T) {
	for _, test := range []struct{ limit, want int }{
		{10_000, 0}, {40_000, 0}, {50_000, 0}, {50_001, 50_001}, {200_000, 200_000}, {500_000, 500_000}, {2_000_000, 500_000}, {0, 500_000},
	} {
		effects := map[string]mcptool.Effect{}
		for _, tool := range tools.All() {
			effects[tool.Info().Name] = tool.Info().Effect
		}
		for _, tool := range listTools(t, limited(t, test.limit, false, wiki(t, emptySeed()))) {
			var definition struct {
				Meta map[string]int `json:"_meta"`
			}
			if err := json.Unmarshal(tool.raw, &definition); err != nil {
				t.Fatal(err)
			}
			want := 0
			if effects[tool.Name] == mcptool.Reads {
				want = test.want
			}
			if got := definition.Meta["anthropic/maxResultSizeChars"]; got != want || want == 0 && definition.Meta != nil {
				t.Errorf("limit %d: %s says %v, want %d", test.limit, tool.Name, definition.Meta, want)
			}
		}
	}
}
