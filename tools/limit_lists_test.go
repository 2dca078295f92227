package tools_test

import (
	stdcmp "cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/output"
)

// listLimitChecks are those of the tools that list things.
func listLimitChecks() map[string]map[string]limitCheck {
	search := func(detail string) limitCheck {
		return lists("search_documents", 1, map[string]any{"query": "buoy", "limit": 100, "detail_level": detail})
	}
	return map[string]map[string]limitCheck{
		"search_documents":           {"ids": search("ids"), "summary": search("summary"), "full": search("full")},
		"get_document_id_from_title": {"many matches": lists("get_document_id_from_title", 1, map[string]any{"query": "buoy", "limit": 100}), "more than are put in order": verifyTitles},
		"list_revisions":             {"many": verifyRevisions},
		"read_revision":              revisionLimitChecks(),
		"find_in_documents":          {"many matches": verifyFoundAll},
		"list_documents": {
			"many":     lists("list_documents", 1, map[string]any{"limit": 100, "direction": "asc"}),
			"filtered": lists("list_documents", 1, map[string]any{"limit": 100, "title_contains": "go on", "updated_after": "2025-12-31"}),
		},
		"list_archived_documents": {"many": lists("list_archived_documents", 1001, map[string]any{"limit": 100})},
		"list_templates":          {"many": withTemplates(lists("list_templates", 40_001, map[string]any{"limit": 100})), "long texts": withTemplates(lists("list_templates", 40_001, map[string]any{"limit": 100, "max_chars_each": 4000}))},
		"list_users":              {"many": lists("list_users", 50_001, map[string]any{"limit": 100, "role": "member"})},
		"get_workspace": {"a workspace": func(t *testing.T, limit int) {
			success(t, limited(t, limit, true, wiki(t, crowded())), limit, "get_workspace", map[string]any{})
		}},
		"list_access": {"a collection": func(t *testing.T, limit int) {
			success(t, limited(t, limit, true, wiki(t, crowded())), limit, "list_access", map[string]any{"collection_id": wikiCollection})
		}},
		"list_trash":             {"many": lists("list_trash", 2001, map[string]any{"limit": 100})},
		"get_document_backlinks": {"many": lists("get_document_backlinks", 1, map[string]any{"document_id": uuid(1)})},
		"list_collections":       {"long descriptions": verifyCollections},
		"list_document_comments": {"enormous ones with many replies": verifyComments("document_id", uuid(1)), "of a collection": verifyComments("collection_id", wikiCollection)},
		"get_comment":            {"enormous": verifyComment},
		"ask_ai_about_documents": {"long answer, many sources": verifyAI},
	}
}

// firstID matches the ID of an entry, after the name if there is one.
var firstID = regexp.MustCompile(`^ *- (?:(?:"(?:[^"\\]|\\.)*"|\(untitled\)) )?([0-9A-Za-z-]{10,36})\b`)

// toldIDs returns the IDs of the entries of a list in a text.
func toldIDs(text string) []string {
	var ids []string
	for line := range strings.Lines(text) {
		if entry := firstID.FindStringSubmatch(line); entry != nil {
			ids = append(ids, entry[1])
		}
	}
	return ids
}

// listed is an entry of a list.
type listed struct {
	ID          string
	DocumentID  string `json:"document_id"`
	RevisionID  string `json:"revision_id"`
	TemplateID  string `json:"template_id"`
	UserID      string `json:"user_id"`
	URLID       string `json:"url_id"`
	Description string
	Text        string
	NextChar    int `json:"next_start_char"`
}

// listedIn returns the entries of the list that structured content holds.
func listedIn(t *testing.T, structured json.RawMessage) []listed {
	t.Helper()
	lists := decoded[struct{ Results, Documents, Backlinks, Collections, Comments, Revisions, Templates, Users []listed }](t, structured)
	for _, list := range [][]listed{lists.Results, lists.Documents, lists.Backlinks, lists.Collections, lists.Comments, lists.Revisions, lists.Templates, lists.Users} {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

func (l listed) id() string {
	return stdcmp.Or(l.ID, l.DocumentID, l.RevisionID, l.TemplateID, l.UserID)
}

// sameEntries fails where text and structured content show different entries,
// and returns their IDs.
func sameEntries(t *testing.T, answer piece) []string {
	t.Helper()
	var ids, shown []string
	for _, entry := range listedIn(t, answer.Structured) {
		ids = append(ids, entry.id())
		shown = append(shown, stdcmp.Or(entry.URLID, entry.id()))
	}
	if diff := cmp.Diff(shown, toldIDs(answer.Text)); diff != "" {
		t.Fatalf("text and structured content show different entries (-structured +text):\n%.2000s", diff)
	}
	return ids
}

// lists verifies that a list of the crowded workspace holds the crowd from
// uuid(first) on.
func lists(tool string, first int, arguments map[string]any) limitCheck {
	return func(t *testing.T, limit int) {
		pieces := readToEnd(t, limit, wiki(t, crowded()), tool, arguments)
		if limit == leastLimit {
			far(t, pieces) // an answer under the default holds some lists whole
		}
		var want, got []string
		for n := range crowd {
			want = append(want, uuid(first+n))
		}
		for _, p := range pieces {
			got = append(got, sameEntries(t, p)...)
		}
		sameOnce(t, want, got)
	}
}

// withTemplates is a limitCheck that needs templates, which the oldest release does not have.
func withTemplates(verify limitCheck) limitCheck {
	return func(t *testing.T, limit int) {
		if strings.HasSuffix(t.Name(), onRelease+"1.5") {
			t.Skip("Outline 1.5 has no templates of their own")
		}
		verify(t, limit)
	}
}

// verifyTitles looks up a title of more documents than are sorted.
func verifyTitles(t *testing.T, limit int) {
	seed := emptySeed()
	for n := 1; n <= 700; n++ {
		seed.Documents = append(seed.Documents, wikiPage(n, "", longTitle(n), "text"))
	}
	pieces := readToEnd(t, limit, wiki(t, seed), "get_document_id_from_title", map[string]any{"query": "buoy", "limit": 100})
	told := map[string]bool{}
	for _, p := range pieces {
		for _, id := range sameEntries(t, p) {
			told[id] = true
		}
		more := decoded[struct {
			HasMore bool `json:"has_more"`
		}](t, p.Structured).HasMore
		if !more || !strings.Contains(p.Text, "There may be more than these 500: give more of the title, or use search_documents.") {
			t.Fatalf("does not say that there are more: %s", p.Text[len(p.Text)-200:])
		}
	}
	if len(told) != 500 {
		t.Errorf("%d titles are told of, not 500", len(told))
	}
}

func verifyCollections(t *testing.T, limit int) {
	seed := crowded()
	want := map[string]string{}
	for _, c := range seed.Collections {
		want[c.ID] = c.Description
	}
	pieces := readToEnd(t, limit, wiki(t, seed), "list_collections", map[string]any{"include_document_count": false})
	far(t, pieces)
	got := map[string]string{}
	for _, p := range pieces {
		sameEntries(t, p)
		for i, entry := range listedIn(t, p.Structured) {
			before, seen := got[entry.ID]
			if _, goesOn := p.asked["start_char"]; seen != (goesOn && i == 0) {
				t.Fatalf("%s is told of again, or goes on where it did not begin", entry.ID)
			}
			got[entry.ID] = before + entry.Description
			if !strings.Contains(p.Text, output.OneLine(entry.Description)) {
				t.Fatalf("the text does not hold %.100q", entry.Description)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the pieces are not the whole:\n%.2000s", diff)
	}
}

var commentGoesOn = regexp.MustCompile(`\(The comment continues: get_comment with start_char (\d+)\.\)`)

func verifyComments(of, id string) limitCheck {
	return func(t *testing.T, limit int) { verifyCommentsOf(t, limit, of, id) }
}

func verifyCommentsOf(t *testing.T, limit int, of, id string) {
	seed := crowded()
	outline := wiki(t, seed)
	var want, got []string
	for n := 1; n <= crowd; n++ {
		want = append(want, uuid(20_000+n)+" "+strings.Join(wikiComment(n), "\n\n"))
	}
	pieces := readToEnd(t, limit, outline, "list_document_comments", map[string]any{of: id, "limit": 100, "include_anchor_text": true})
	far(t, pieces)
	for _, p := range pieces {
		sameEntries(t, p)
		ways := commentGoesOn.FindAllStringSubmatch(p.Text, -1)
		for _, entry := range listedIn(t, p.Structured) {
			if entry.NextChar > 0 {
				if len(ways) == 0 || ways[0][1] != strconv.Itoa(entry.NextChar) {
					t.Fatalf("the text goes on with %v, the structured content with %d", ways, entry.NextChar)
				}
				ways = ways[1:]
				entry.Text += restOfComment(t, limit, outline, entry.ID, entry.NextChar)
			}
			got = append(got, entry.ID+" "+entry.Text)
		}
	}
	sameOnce(t, want, got)
}

func verifyComment(t *testing.T, limit int) {
	outline := wiki(t, crowded())
	for _, n := range []int{7, 8} {
		if diff := cmp.Diff(strings.Join(wikiComment(n), "\n\n"), restOfComment(t, limit, outline, uuid(20_000+n), 1)); diff != "" {
			t.Errorf("the pieces are not the whole:\n%.2000s", diff)
		}
	}
}

// restOfComment reads a comment to its end. The answer of get_comment says how to
// continue.
func restOfComment(t *testing.T, limit int, outline http.RoundTripper, id string, from int) string {
	t.Helper()
	both := limited(t, limit, true, outline)
	var whole strings.Builder
	for range 1000 {
		answer := success(t, both, limit, "get_comment", map[string]any{"comment_id": id, "start_char": from})
		entry := decoded[struct{ Comment listed }](t, answer.Structured).Comment
		whole.WriteString(entry.Text)
		if shown := strings.ReplaceAll(strings.Trim(entry.Text, "\n"), "\n", "\n  "); !strings.Contains(answer.Text, shown) {
			t.Fatalf("the text does not show %.100q", shown)
		}
		next := onward(t, "get_comment", answer.Text)["start_char"]
		if next != entry.NextChar {
			t.Fatalf("the text goes on with %d, the structured content with %d", next, entry.NextChar)
		}
		if next == 0 {
			return whole.String()
		}
		from = next
	}
	t.Fatal("there is no end")
	return ""
}

// verifyAI lets Outline answer far more than fits. There is no way to ask for the
// rest of an answer, so the text says what else to do.
func verifyAI(t *testing.T, limit int) {
	var documents []any
	for n := range 150 {
		documents = append(documents, map[string]any{
			"id": uuid(n + 1), "url": "/doc/x-1FF9VyHA4X", "urlId": "1FF9VyHA4X", "title": longTitle(n), "text": "", "revision": 1,
			"updatedAt": "2026-01-01T00:00:00.000Z", "publishedAt": "2026-01-01T00:00:00.000Z"})
	}
	outline := answering(map[string]any{"ok": true, "documents": documents, "search": map[string]any{"answer": strings.Repeat("All is well. 🍲 ", 10_000)}})
	answer := success(t, limited(t, limit, true, outline), limit, "ask_ai_about_documents", map[string]any{"question": strings.Repeat("why? ", 200)})
	told := decoded[struct {
		Answer      string
		AnswerCut   bool `json:"answer_cut"`
		Sources     []listed
		MoreSources int `json:"more_sources"`
	}](t, answer.Structured)
	if !told.AnswerCut || len(told.Sources)+told.MoreSources != 150 || len(told.Answer) < limit/3 {
		t.Errorf("cut %t, %d and %d sources, %d bytes", told.AnswerCut, len(told.Sources), told.MoreSources, len(told.Answer))
	}
	for _, want := range []string{
		told.Answer, "(The answer was longer and is cut here: ask about a part of it, or read its sources.)",
		fmt.Sprintf("- and %d more: search_documents finds them", told.MoreSources),
	} {
		if !strings.Contains(answer.Text, want) {
			t.Errorf("the text does not hold %.100q", want)
		}
	}
	if diff := cmp.Diff(len(told.Sources), len(toldIDs(answer.Text))); diff != "" {
		t.Errorf("the text shows other sources:\n%s", diff)
	}
}

// answering is an Outline that gives every request the same answer.
func answering(body any) http.RoundTripper {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // made of strings
	}
	return refusing(http.StatusOK, nil, func(int) string { return string(raw) })
}

// verifyFoundAll follows the cursors of a search with far more matches than fit.
func verifyFoundAll(t *testing.T, limit int) {
	both, textOnly := limited(t, limit, true, wiki(t, crowded())), limited(t, limit, false, wiki(t, crowded()))
	arguments := map[string]any{"query": "buoy", "context_lines": 1, "limit": 500}
	documents, matches := map[string]bool{}, 0
	for calls := 1; ; calls++ {
		answer := success(t, both, limit, "find_in_documents", arguments)
		if calls < 3 {
			if diff := cmp.Diff(answer.Text, success(t, textOnly, limit, "find_in_documents", arguments).Text); diff != "" {
				t.Fatalf("without structured content the answer differs:\n%s", diff)
			}
		}
		found := decoded[foundMatches](t, answer.Structured)
		sameMatches(t, answer, found)
		for _, m := range found.Matches {
			documents[m.DocumentID] = true
		}
		if matches += len(found.Matches); found.Complete {
			break
		}
		if arguments["cursor"] = found.NextCursor; calls > 1000 {
			t.Fatal("the search has no end")
		}
	}
	// Each title has the word, and each text. One text has it 200 times more, on one
	// line.
	if want := 2*crowd + 200; len(documents) != crowd || matches != want {
		t.Errorf("%d matches in %d documents, want %d in %d", matches, len(documents), want, crowd)
	}
}
