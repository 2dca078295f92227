package tools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/app"
	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/cli"
	"outline-mcp/tools"
)

const limit = 2000

// withLimit returns a client of a server whose answers have at most limit
// characters; 0 means any number. handler stands in for Outline.
func withLimit(t *testing.T, limit int, handler http.Handler) *client.Client {
	t.Helper()
	outline := httptest.NewServer(handler)
	t.Cleanup(outline.Close)
	settings := load(t, "OUTLINE_API_URL="+outline.URL)
	settings.MaxResponseChars = limit // less than operators may choose, to cut more often
	return connectTo(t, app.Options{Config: settings})
}

// read calls a tool, holds its text to limit and decodes its structured content.
func read[T any](t *testing.T, c *client.Client, tool string, arguments map[string]any) (T, string) {
	t.Helper()
	answer, err := cli.Call(t.Context(), c, tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Code != "" {
		t.Fatalf("%s %v: %s", tool, arguments, answer.Text)
	}
	var out T
	if err := json.Unmarshal(answer.Structured, &out); err != nil {
		t.Fatal(err)
	}
	return out, answer.Text
}

func within(t *testing.T, text string) {
	t.Helper()
	if n := utf8.RuneCountInString(text); n > limit {
		t.Fatalf("an answer has %d characters: %.200s", n, text)
	}
}

// part is what answers with a document's text have in common.
type part struct {
	Text, Content string
	TotalLines    int `json:"total_lines"`
	NextStartLine int `json:"next_start_line"`
	NextStartChar int `json:"next_start_char"`
}

// readAll follows an answer's directions to the end and returns all that was read.
func readAll(t *testing.T, c *client.Client, tool string, arguments map[string]any) string {
	t.Helper()
	var whole strings.Builder
	for range 5000 {
		p, text := read[part](t, c, tool, arguments)
		within(t, text)
		whole.WriteString(p.Text + p.Content)
		if p.NextStartLine == 0 {
			return whole.String()
		}
		if !strings.Contains(text, fmt.Sprintf("start_line %d", p.NextStartLine)) || p.NextStartChar > 0 && !strings.Contains(text, fmt.Sprintf("start_char %d", p.NextStartChar)) {
			t.Fatalf("the text does not say how to go on: %.200s", text)
		}
		arguments["start_line"] = p.NextStartLine
		delete(arguments, "start_char")
		if p.NextStartChar > 0 {
			arguments["start_char"] = p.NextStartChar
		} else {
			whole.WriteByte('\n')
		}
	}
	t.Fatal("there is no end")
	return ""
}

// oneDocument answers every request with a document of the given text.
func oneDocument(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "status": 200, "data": map[string]any{
			"id": "3f0a5a3e-7a55-4d6c-9d3b-0a8f4c8f1a11", "url": "/doc/x-1FF9VyHA4X", "urlId": "1FF9VyHA4X", "title": "x", "text": text,
			"revision": 1, "updatedAt": "2026-01-01T00:00:00.000Z", "publishedAt": "2026-01-01T00:00:00.000Z"}})
	})
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
			c := withLimit(t, limit, oneDocument(text))
			if diff := cmp.Diff(text, readAll(t, c, "read_document", map[string]any{"document_id": "1FF9VyHA4X"})); diff != "" {
				t.Errorf("the parts are not the whole:\n%s", diff)
			}
		})
	}
}

func TestALongHeadingIsShortened(t *testing.T) {
	c := withLimit(t, limit, oneDocument("# "+strings.Repeat("heading ", 1000)+"\n\n# second\n"))
	page, text := read[struct {
		Headings      []struct{ Text string }
		NextStartLine int `json:"next_start_line"`
	}](t, c, "get_document_outline", map[string]any{"document_id": "1FF9VyHA4X"})
	within(t, text)
	if len(page.Headings) != 2 || !strings.HasSuffix(page.Headings[0].Text, "…") || page.NextStartLine != 0 {
		t.Errorf("a heading longer than an answer: %+v", page)
	}
	for _, heading := range []string{"zebra", "e"} { // no match, and more than one
		answer, err := cli.Call(t.Context(), c, "read_document_section", map[string]any{"document_id": "1FF9VyHA4X", "heading": heading})
		if err != nil || answer.Code == "" {
			t.Fatal(err, answer.Text)
		}
		within(t, answer.Text)
	}
}

func TestAFailureIsShortWhateverWasGiven(t *testing.T) {
	c := withLimit(t, limit, newSample(t))
	many := map[string]any{"query": "x"}
	var wrong []any
	for i := range 1000 {
		many[fmt.Sprint("argument ", i)] = i
		wrong = append(wrong, "lost")
	}
	for _, arguments := range []map[string]any{many, {"query": "x", "status_filter": wrong}, {"query": strings.Repeat("x", 5000)}} {
		answer, err := cli.Call(t.Context(), c, "search_documents", arguments)
		if err != nil || answer.Code == "" {
			t.Fatal(err, answer.Text)
		}
		within(t, answer.Text)
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
