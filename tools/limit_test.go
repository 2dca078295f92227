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
	"outline-mcp/internal/config"
	"outline-mcp/internal/workspace"
)

const limit = 2000

// withLimit returns a client of a server whose answers have at most limit
// characters; 0 means any number. handler stands in for Outline.
func withLimit(t *testing.T, limit int, handler http.Handler) *client.Client {
	t.Helper()
	outline := httptest.NewServer(handler)
	t.Cleanup(outline.Close)
	settings, err := config.Load([]string{"OUTLINE_STRUCTURED_OUTPUT=on", "OUTLINE_API_KEY=" + workspace.AdminKey,
		"OUTLINE_API_URL=" + outline.URL})
	if err != nil {
		t.Fatal(err)
	}
	settings.MaxResponseChars = limit // less than operators may choose, to cut more often
	server, err := app.New(app.Options{Config: settings, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func sampleWorkspace(t *testing.T) http.Handler {
	t.Helper()
	sample, err := workspace.New(workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// read calls a tool, holds its text to limit and decodes its structured content.
func read[T any](t *testing.T, c *client.Client, tool string, arguments map[string]any) (T, string) {
	t.Helper()
	answer, err := app.Call(t.Context(), c, tool, arguments)
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

// readAll follows an answer's directions until there is nothing left, and
// returns all that was read.
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

func TestALongDocumentIsReadToItsEndInPartsUnderTheLimit(t *testing.T) {
	sample := sampleWorkspace(t)
	cut, whole := withLimit(t, limit, sample), withLimit(t, 0, sample)
	for _, tool := range []string{"read_document", "export_document", "read_document_section"} {
		t.Run(tool, func(t *testing.T) {
			arguments := func() map[string]any {
				a := map[string]any{"document_id": "nZ6gtUCAIG"}
				if tool == "read_document_section" {
					a["heading"] = "3. Messages"
				}
				return a
			}
			want, _ := read[part](t, whole, tool, arguments())
			if len(want.Text+want.Content) < 10*limit {
				t.Fatalf("only %d bytes to read", len(want.Text+want.Content))
			}
			if diff := cmp.Diff(want.Text+want.Content, readAll(t, cut, tool, arguments())); diff != "" {
				t.Errorf("the parts are not the whole:\n%s", diff)
			}
		})
	}
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

func TestHeadingsAreAllListedInPartsUnderTheLimit(t *testing.T) {
	type outline struct {
		Headings []struct {
			Text string
			Line int
		}
		TotalHeadings int `json:"total_headings"`
		NextStartLine int `json:"next_start_line"`
	}
	sample := sampleWorkspace(t)
	arguments := map[string]any{"document_id": "nZ6gtUCAIG"}
	want, _ := read[outline](t, withLimit(t, 0, sample), "get_document_outline", arguments)
	cut, seen := withLimit(t, limit, sample), outline{}
	for {
		page, text := read[outline](t, cut, "get_document_outline", arguments)
		within(t, text)
		seen.Headings = append(seen.Headings, page.Headings...)
		if page.NextStartLine == 0 {
			break
		}
		arguments["start_line"] = page.NextStartLine
	}
	if diff := cmp.Diff(want.Headings, seen.Headings); diff != "" || len(seen.Headings) != want.TotalHeadings {
		t.Errorf("%d of %d headings:\n%s", len(seen.Headings), want.TotalHeadings, diff)
	}

	huge := withLimit(t, limit, oneDocument("# "+strings.Repeat("heading ", 1000)+"\n\n# second\n"))
	page, text := read[outline](t, huge, "get_document_outline", map[string]any{"document_id": "1FF9VyHA4X"})
	within(t, text)
	if len(page.Headings) != 2 || !strings.HasSuffix(page.Headings[0].Text, "…") || page.NextStartLine != 0 {
		t.Errorf("a heading longer than an answer: %+v", page)
	}
	answer, err := app.Call(t.Context(), huge, "read_document_section", map[string]any{"document_id": "1FF9VyHA4X", "heading": "zebra"})
	if err != nil {
		t.Fatal(err)
	}
	within(t, answer.Text)
}

func TestASectionUnderALongHeadingIsReadToItsEnd(t *testing.T) {
	section := "## " + strings.Repeat("heading ", 1000) + "\n\nthe end"
	c := withLimit(t, limit, oneDocument("# first\n\n"+section))
	if got := readAll(t, c, "read_document_section", map[string]any{"document_id": "1FF9VyHA4X", "heading": "heading heading"}); got != section {
		t.Errorf("the parts are not the whole: %.100s…", got)
	}
}

func TestAFailureIsShortWhateverWasGiven(t *testing.T) {
	c := withLimit(t, limit, sampleWorkspace(t))
	many := map[string]any{"query": "x"}
	var wrong []any
	for i := range 1000 {
		many[fmt.Sprint("argument ", i)] = i
		wrong = append(wrong, "lost")
	}
	for _, arguments := range []map[string]any{many, {"query": "x", "status_filter": wrong}, {"query": strings.Repeat("x", 5000)}} {
		answer, err := app.Call(t.Context(), c, "search_documents", arguments)
		if err != nil || answer.Code == "" {
			t.Fatal(err, answer.Text)
		}
		within(t, answer.Text)
	}
}

func TestListsAreReadToTheirEndInPagesUnderTheLimit(t *testing.T) {
	sample := sampleWorkspace(t)
	whole := withLimit(t, 0, sample)
	type entry struct {
		DocumentID      string `json:"document_id"`
		ID, Title, Name string
	}
	type page struct {
		Results, Collections []entry
		NextOffset           int `json:"next_offset"`
	}
	for tool, arguments := range map[string]map[string]any{
		"search_documents":           {"query": "buoy", "limit": 100, "detail_level": "full"},
		"get_document_id_from_title": {"query": "r", "limit": 100},
		"list_collections":           {},
	} {
		t.Run(tool, func(t *testing.T) {
			want, text := read[page](t, whole, tool, arguments)
			third := utf8.RuneCountInString(text) / 3
			cut := withLimit(t, third, sample)
			var seen page
			for {
				p, text := read[page](t, cut, tool, arguments)
				if n := utf8.RuneCountInString(text); n > third {
					t.Fatalf("an answer has %d characters, the limit is %d", n, third)
				}
				seen.Results, seen.Collections = append(seen.Results, p.Results...), append(seen.Collections, p.Collections...)
				if p.NextOffset == 0 {
					break
				}
				if !strings.Contains(text, fmt.Sprintf("offset %d", p.NextOffset)) {
					t.Fatalf("the text does not say how to go on: %s", text)
				}
				arguments["offset"] = p.NextOffset
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("the pages are not the whole:\n%s", diff)
			}
		})
	}
}

// tree is what get_collection_structure answers.
type tree struct {
	Documents  []node
	NextOffset int `json:"next_offset"`
	Total      int `json:"total_documents"`
}

type node struct {
	ID         string
	ChildCount int `json:"child_count"`
	Children   []node
}

// collect follows the directions of cut trees until every document is seen.
func collect(t *testing.T, c *client.Client, arguments map[string]any, seen map[string]bool) {
	t.Helper()
	for {
		page, text := read[tree](t, c, "get_collection_structure", arguments)
		within(t, text)
		var visit func([]node)
		visit = func(nodes []node) {
			for _, n := range nodes {
				seen[n.ID] = true
				visit(n.Children)
				if n.ChildCount > 0 {
					collect(t, c, map[string]any{"collection_id": arguments["collection_id"], "document_id": n.ID, "offset": len(n.Children)}, seen)
				}
			}
		}
		visit(page.Documents)
		if page.NextOffset == 0 {
			return
		}
		arguments["offset"] = page.NextOffset
	}
}

func TestATreeIsSeenWholeInPartsUnderTheLimit(t *testing.T) {
	// 3 top-level documents; the first has 400 children, one of which has 300.
	id := func(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }
	leaves := func(from, n int) []map[string]any {
		var list []map[string]any
		for i := range n {
			list = append(list, map[string]any{"id": id(from + i), "title": fmt.Sprintf("leaf %d", from+i), "url": fmt.Sprintf("/doc/leaf-%010d", from+i), "children": []any{}})
		}
		return list
	}
	top := leaves(1, 3)
	children := leaves(1000, 400)
	children[200]["children"] = leaves(5000, 300)
	top[0]["children"] = children
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var data any = top
		if strings.HasSuffix(r.URL.Path, "collections.info") {
			data = map[string]any{"id": id(9), "name": "big", "url": "/collection/big-0000000009", "urlId": "0000000009"}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "status": 200, "data": data})
	})
	c := withLimit(t, limit, handler)
	seen := map[string]bool{}
	collect(t, c, map[string]any{"collection_id": id(9)}, seen)
	if len(seen) != 703 {
		t.Errorf("%d of 703 documents seen", len(seen))
	}
	whole, _ := read[tree](t, withLimit(t, 0, handler), "get_collection_structure", map[string]any{"collection_id": id(9), "max_depth": 1})
	if len(whole.Documents) != 3 || whole.Total != 703 || whole.Documents[0].ChildCount != 400 || whole.Documents[1].ChildCount != 0 {
		t.Errorf("with max_depth 1: %+v", whole)
	}
}

func TestACollectionWithALongDescriptionStillFits(t *testing.T) {
	c := withLimit(t, limit, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		collection := func(n int) map[string]any {
			return map[string]any{"id": fmt.Sprintf("%08d-0000-4000-8000-000000000000", n), "name": "c", "url": fmt.Sprintf("/collection/c-%010d", n), "description": strings.Repeat("long ", 20000)}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "status": 200, "data": []any{collection(1), collection(2)}, "pagination": map[string]any{"limit": 25, "offset": 0, "total": 2}})
	}))
	type list struct {
		Collections []struct {
			Description    string
			DescriptionCut bool `json:"description_cut"`
		}
		NextOffset int `json:"next_offset"`
	}
	page, text := read[list](t, c, "list_collections", map[string]any{"include_document_count": false})
	within(t, text)
	if len(page.Collections) != 1 || !page.Collections[0].DescriptionCut || len(page.Collections[0].Description) < limit/2 || page.NextOffset != 1 {
		t.Errorf("%+v", page)
	}
}

func TestABatchTellsOfEveryItemUnderTheLimit(t *testing.T) {
	const least = 10_000 // the lowest limit that operators may choose
	c := withLimit(t, least, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error": "validation_error", "status": 400, "message": strings.Repeat("no! ", 200)})
	}))
	ids := uuids(99)
	ids = append(ids, strings.Repeat("no id ", 1000))
	answer, err := app.Call(t.Context(), c, "batch_archive_documents", map[string]any{"document_ids": ids})
	if err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCountInString(answer.Text); n > least {
		t.Errorf("the answer has %d characters", n)
	}
	var outcome batchOutcome
	if err := json.Unmarshal(answer.Structured, &outcome); err != nil || len(outcome.Results) != 100 {
		t.Errorf("%v, %d results", err, len(outcome.Results))
	}
	for i := range 99 {
		if !strings.Contains(answer.Text, uuid(i+1)) {
			t.Errorf("the text does not tell of item %d", i)
		}
	}
}

func TestAKeyGivenInTheWrongPlaceIsNotRepeated(t *testing.T) {
	c := connect(t, true)
	const key = "ol_api_FakeFakeFake"
	for tool, arguments := range map[string]map[string]any{
		"read_document":           {"document_id": key},
		"search_documents":        {"query": "x", "limit": key},
		"list_collections":        {key: 1},
		"get_document_outline":    {"document_id": "https://wiki.example.com/doc/" + key},
		"export_document":         {"document_id": "Bearer " + key},
		"batch_archive_documents": {"document_ids": []any{key, "Bearer " + key}},
	} {
		answer, err := app.Call(t.Context(), c, tool, arguments)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Code == "" || strings.Contains(answer.Text+string(answer.Structured), "FakeFake") {
			t.Errorf("%s: %s %s", tool, answer.Text, answer.Structured)
		}
	}
}
