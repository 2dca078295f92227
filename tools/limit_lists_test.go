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

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
)

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

func TestATitleOfMoreDocumentsThanAreSortedSaysSo(t *testing.T) {
	t.Parallel()
	const limit = defaultLimit
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

func TestLongDescriptionsOfCollectionsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	const limit = leastLimit
	seed := emptySeed()
	for n := 1; n <= crowd; n++ {
		seed.Collections = append(seed.Collections, fakeoutline.Collection{
			ID: uuid(10_000 + n), URLID: fmt.Sprintf("C%09d", n), Name: longTitle(n), Permission: fakeoutline.Read,
			Description: wikiDescription(n), CreatedAt: wikiDay(n), UpdatedAt: wikiDay(n),
		})
	}
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

func TestEnormousCommentsAreReadToTheirEnd(t *testing.T) {
	t.Parallel()
	const limit = leastLimit
	outline := wiki(t, crowded())
	var want, got []string
	for n := 1; n <= crowd; n++ {
		want = append(want, uuid(20_000+n)+" "+strings.Join(wikiComment(n), "\n\n"))
	}
	pieces := readToEnd(t, limit, outline, "list_document_comments", map[string]any{"document_id": uuid(1), "limit": 100, "include_anchor_text": true})
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
		next, _ := onward(t, "get_comment", answer.Text)["start_char"].(float64)
		if int(next) != entry.NextChar {
			t.Fatalf("the text goes on with %g, the structured content with %d", next, entry.NextChar)
		}
		if next == 0 {
			return whole.String()
		}
		from = int(next)
	}
	t.Fatal("there is no end")
	return ""
}

// TestALongAnswerOfTheAIIsCut lets Outline answer far more than fits. There is no way to ask
// for the rest of an answer, so the text says what else to do.
func TestALongAnswerOfTheAIIsCut(t *testing.T) {
	const limit = leastLimit
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
