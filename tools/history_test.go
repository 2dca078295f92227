package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// A told is what list_revisions, read_revision and restore_document say.
type told struct {
	CurrentRevision int `json:"current_revision"`
	Revisions       []struct {
		RevisionID string `json:"revision_id"`
		Title      string
		Name       string
		Via        string
		Authors    []string
		DeletedAt  *time.Time `json:"deleted_at"`
	}
	NextOffset int `json:"next_offset"`

	RevisionID   string `json:"revision_id"`
	Title        string
	Text         string
	Diff         string
	AddedLines   int `json:"added_lines"`
	RemovedLines int `json:"removed_lines"`

	Changed, Verified, Guarded bool
	Revision                   int
	RevisionBefore             int      `json:"revision_before"`
	TitleBefore                string   `json:"title_before"`
	EarlierRevisionID          string   `json:"earlier_revision_id"`
	Notes                      []string `json:"notes"`
	Lost                       *struct {
		CommentAnchors []string `json:"comment_anchors"`
	}
}

// tell calls a tool that must not fail.
func tell(t *testing.T, c *client.Client, tool string, arguments map[string]any) (told, string) {
	t.Helper()
	return read[told](t, c, tool, arguments)
}

// refusal calls a tool that must fail with a code and words.
func refusal(t *testing.T, c *client.Client, tool string, arguments map[string]any, code output.Code, says ...string) {
	t.Helper()
	answer, err := cli.Call(t.Context(), c, tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range says {
		if answer.Code != code || !strings.Contains(answer.Text, words) {
			t.Errorf("%s %v: code %q, does not say %q: %s", tool, arguments, answer.Code, words, answer.Text)
		}
	}
}

// threeTexts returns a server on the sample workspace, and makes the soup page say three
// texts, one after the other: a, b and c.
func threeTexts(t *testing.T, opts fakeoutline.Options) *editing {
	t.Helper()
	start := time.Date(2026, 11, 2, 9, 30, 0, 0, time.UTC)
	var seconds atomic.Int64
	opts.Now = func() time.Time { return start.Add(time.Duration(seconds.Add(1)) * time.Second) }
	sample, err := fakeoutline.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	e := newEditingOn(t, sample)
	e.id = soup
	for _, text := range []string{"a", "b", "c"} {
		e.do(t, "documents.update", map[string]any{"id": soup, "text": "Same line.\n\n" + text, "title": "Soup " + text, "done": true})
	}
	return e
}

// versions are releases whose history differs.
var versions = []fakeoutline.Release{"", "1.9.2", "1.8"}

func TestTheHistoryOfADocumentIsListedReadAndRestored(t *testing.T) {
	for _, release := range versions {
		if _, err := fakeoutline.ParseRelease(string(release)); release != "" && err != nil {
			continue
		}
		t.Run("like "+string(release), func(t *testing.T) {
			e := threeTexts(t, fakeoutline.Options{Release: release})
			list, text := tell(t, e.c, "list_revisions", map[string]any{"document_id": "1wPyxUCdt9"})
			if len(list.Revisions) != 4 || list.CurrentRevision == 0 || list.NextOffset != 0 || list.Revisions[0].Title != "" || list.Revisions[1].Title != "Soup b" {
				t.Fatalf("%+v: %s", list, text)
			}
			if via := list.Revisions[0].Via; via != map[bool]string{true: "api"}[release == ""] || strings.Contains(text, "via") != (release == "") {
				t.Errorf("via %q: %s", via, text)
			}
			first, second, latest := list.Revisions[2].RevisionID, list.Revisions[1].RevisionID, list.Revisions[0].RevisionID
			if one, _ := tell(t, e.c, "read_revision", map[string]any{"revision_id": first}); one.Text != "Same line.\n\na" || one.Title != "Soup a" {
				t.Errorf("%+v", one)
			}
			if one, _ := tell(t, e.c, "read_revision", map[string]any{"document_id": soup}); one.RevisionID != latest {
				t.Errorf("the latest is %s", one.RevisionID)
			}
			for name, compared := range map[string]struct {
				arguments map[string]any
				diff      string
			}{
				"with the current text":                     {map[string]any{"revision_id": first, "compare_with": "current"}, "-a\n+c"},
				"with the one before":                       {map[string]any{"revision_id": second, "compare_with": "previous"}, "-a\n+b"},
				"the latest with the one before":            {map[string]any{"document_id": soup, "compare_with": "previous"}, "-b\n+c"},
				"with a later one":                          {map[string]any{"revision_id": first, "compare_with": second}, "-a\n+b"},
				"with an earlier one, from old to new":      {map[string]any{"revision_id": latest, "compare_with": first}, "-a\n+c"},
				"by its address in the history of the page": {map[string]any{"revision_id": "/doc/x-1wPyxUCdt9/history/" + first, "compare_with": second}, "-a\n+b"},
			} {
				older := "--- this revision, "
				if strings.Contains(name, "before") || strings.Contains(name, "earlier") {
					older = "--- compared_with, "
				}
				got, text := tell(t, e.c, "read_revision", compared.arguments)
				if !strings.HasPrefix(got.Diff, older) || !strings.HasSuffix(got.Diff, " Same line.\n \n"+compared.diff) || got.AddedLines != 1 || got.RemovedLines != 1 || !strings.Contains(text, got.Diff) || !strings.Contains(text, "\ndocument_id 1wPyxUCdt9, revision_id ") || !strings.Contains(text, "added_lines 1, removed_lines 1") {
					t.Errorf("%s: %s", name, text)
				}
			}
			restored, text := tell(t, e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": first, "expected_revision": list.CurrentRevision})
			if !restored.Changed || !restored.Verified || restored.Guarded || restored.Title != "Soup a" || restored.TitleBefore != "Soup c" || !strings.HasSuffix(restored.Diff, " Same line.\n \n-c\n+a\n") || len(restored.Notes) > 0 {
				t.Errorf("%+v: %s", restored, text)
			}
			if e.text(t) != "Same line.\n\na" || restored.EarlierRevisionID != latest || !strings.Contains(text, "revision_id "+latest) {
				t.Errorf("it says %q: %s", e.text(t), text)
			}
			if again, text := tell(t, e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": first}); again.Changed || !again.Verified || !strings.HasPrefix(text, "Nothing changed in") {
				t.Error(text)
			}
			if back, text := tell(t, e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": restored.EarlierRevisionID}); !back.Verified || e.text(t) != "Same line.\n\nc" {
				t.Error(text)
			}
		})
	}
}

func TestADeletedRevisionIsListedButNeitherReadNorRestored(t *testing.T) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Soup", "Same line.\n\nc")}
	seed.Revisions = wikiRevisions(4, func(n int) string { return "Same line.\n\n" + "xabc"[n:n+1] })
	for i := range seed.Revisions {
		seed.Revisions[i].Title = "Soup"
	}
	seed.Revisions[1].Name = "the good one"
	seed.Revisions[2].DeletedAt = wikiDay(2)
	c, id, gone := limited(t, defaultLimit, true, wiki(t, seed)), uuid(1), seed.Revisions[2].ID
	list, text := tell(t, c, "list_revisions", document(id))
	if list.Revisions[1].RevisionID != gone || list.Revisions[1].DeletedAt == nil || list.Revisions[2].Name != "the good one" || !strings.Contains(text, ", deleted 2") || !strings.Contains(text, `named "the good one"`) {
		t.Errorf("%s", text)
	}
	refusal(t, c, "read_revision", map[string]any{"revision_id": gone}, output.NotFound, "it may have been deleted", "list_revisions")
	refusal(t, c, "restore_document", map[string]any{"document_id": id, "revision_id": gone}, output.NotFound, "it may have been deleted")
	if got, _ := tell(t, c, "read_revision", map[string]any{"document_id": id, "compare_with": "previous"}); !strings.HasSuffix(got.Diff, "-a\n+c") {
		t.Errorf("compared with %s", got.Diff)
	}
}

func TestTheHistoryIsListedPageByPage(t *testing.T) {
	e := threeTexts(t, fakeoutline.Options{})
	all, _ := tell(t, e.c, "list_revisions", document(soup))
	var ids []string
	for offset, pages := 0, 0; pages == 0 || offset > 0; pages++ {
		page, text := tell(t, e.c, "list_revisions", map[string]any{"document_id": soup, "limit": 3, "offset": offset})
		for _, r := range page.Revisions {
			ids = append(ids, r.RevisionID)
		}
		offset = page.NextOffset
		if (offset > 0) != strings.Contains(text, fmt.Sprintf("More: call again with offset %d.", offset)) {
			t.Error(text)
		}
	}
	for i, r := range all.Revisions {
		if len(ids) != len(all.Revisions) || ids[i] != r.RevisionID {
			t.Fatalf("%v", ids)
		}
	}
}

func TestARevisionFarBackIsComparedWithTheOneBefore(t *testing.T) {
	seed := emptySeed()
	seed.Documents = []fakeoutline.Document{wikiPage(1, "", "x", "now")}
	seed.Revisions = wikiRevisions(400, func(n int) string { return fmt.Sprint("text ", n) })
	c := limited(t, defaultLimit, true, wiki(t, seed))
	for _, n := range []int{399, 395, 394, 390, 200, 1} {
		got, _ := tell(t, c, "read_revision", map[string]any{"revision_id": uuid(30_000 + n), "compare_with": "previous"})
		if !strings.HasSuffix(got.Diff, fmt.Sprintf("-text %d\n+text %d", n-1, n)) {
			t.Errorf("revision %d: %s", n, got.Diff)
		}
	}
	refusal(t, c, "read_revision", map[string]any{"revision_id": uuid(30_000), "compare_with": "previous"}, output.NotFound, "it is the document's first")
}

func TestWhatOutlineWouldDoOtherwiseIsNotRestored(t *testing.T) {
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		t.Run("like "+string(release), func(t *testing.T) {
			e := threeTexts(t, fakeoutline.Options{Release: release})
			list, _ := tell(t, e.c, "list_revisions", document(soup))
			first := list.Revisions[3].RevisionID
			with := func(name string, value any) map[string]any {
				return map[string]any{"document_id": soup, "revision_id": first, name: value}
			}
			other, _ := tell(t, e.c, "list_revisions", document(voyages))
			refusal(t, e.c, "restore_document", with("revision_id", other.Revisions[0].RevisionID), output.InvalidArguments, "belongs to another document", voyages)
			refusal(t, e.c, "restore_document", with("revision_id", uuid(7)), output.NotFound, "no revision found with this ID")
			refusal(t, e.c, "restore_document", with("revision_id", "latest"), output.InvalidArguments, `"latest" does not identify a revision`, "list_revisions")
			refusal(t, e.c, "restore_document", with("expected_revision", 1), output.Conflict, "nothing was written", "not 1")
			refusal(t, e.c, "restore_document", with("include_children", true), output.InvalidArguments, "the document stays where it is")
			refusal(t, e.c, "restore_document", map[string]any{"document_id": soup, "expected_revision": 5}, output.InvalidArguments, "need a revision_id")
			e.do(t, "documents.archive", map[string]any{"id": soup})
			refusal(t, e.c, "restore_document", with("revision_id", first), output.Conflict, "is archived", "without revision_id")
			e.do(t, "documents.delete", map[string]any{"id": soup})
			refusal(t, e.c, "restore_document", with("revision_id", first), output.Conflict, "is in the trash", "present text")
			e.do(t, "documents.restore", map[string]any{"id": soup})
			if e.text(t) != "Same line.\n\nc" {
				t.Errorf("it says %q", e.text(t))
			}

			draft := newEditing(t, "x", fakeoutline.Options{Release: release})
			draft.do(t, "documents.update", map[string]any{"id": draft.id, "text": "y", "done": true})
			kept, _ := tell(t, draft.c, "list_revisions", document(draft.id))
			refusal(t, draft.c, "restore_document", map[string]any{"document_id": draft.id, "revision_id": kept.Revisions[0].RevisionID}, output.Conflict, "a draft that is in no collection", "read_revision")
		})
	}
}

func TestCommentsKeepTheirPlaceUnlessTheCallerLetsARestoreDetachThem(t *testing.T) {
	e := threeTexts(t, fakeoutline.Options{})
	list, _ := tell(t, e.c, "list_revisions", document(soup))
	comment := e.comment(t, "Same")
	arguments := map[string]any{"document_id": soup, "revision_id": list.Revisions[1].RevisionID}
	refusal(t, e.c, "restore_document", arguments, output.InvalidArguments, "would detach 1 unresolved comment from text that is kept", "allow_loss true", comment, "About Same")
	if e.text(t) != "Same line.\n\nc" {
		t.Errorf("it says %q", e.text(t))
	}
	arguments["allow_loss"] = true
	restored, text := tell(t, e.c, "restore_document", arguments)
	if !restored.Verified || restored.Lost == nil || len(restored.Lost.CommentAnchors) != 1 || !strings.Contains(text, comment) {
		t.Error(text)
	}
	if list, _ := tell(t, e.c, "list_document_comments", document(soup)); e.text(t) != "Same line.\n\nb" || list.Title != "Soup b" {
		t.Errorf("it says %q", e.text(t))
	}
}

func TestAnUndoKeepsTheCommentsOnWhatStays(t *testing.T) {
	t.Parallel()
	for _, texts := range [][2]string{
		{"Same line.\n\nb", "Same line.\n\nc"},
		{"- Same line\n- two words", "* Same line\n* other words\n\n\\\n"}, // an empty paragraph behind the list
		{"| Same | b |\n|---|---|\n| c | d |", "| Same | b |\n|---|---|\n| c | e |"},
	} {
		e := threeTexts(t, fakeoutline.Options{})
		for _, text := range texts {
			e.do(t, "documents.update", map[string]any{"id": soup, "text": text, "done": true})
		}
		comment := e.comment(t, "Same")
		list, _ := tell(t, e.c, "list_revisions", document(soup))
		restored, text := tell(t, e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": list.Revisions[1].RevisionID})
		d, err := e.calm.DocumentWithTree(t.Context(), soup)
		if err != nil || !restored.Verified || !restored.Guarded || strings.Contains(text, "comment") || strings.TrimSpace(d.Text) != prosemirror.ToText(prosemirror.Parse(texts[0])) || !strings.Contains(fmt.Sprint(commentMarks(d.Tree)), comment) {
			t.Errorf("the document is %q, %v: %s", d.Text, err, text)
		}
	}
}

func TestAnUndoOfMoreThanTheTextIsLeftToOutline(t *testing.T) {
	t.Parallel()
	for _, change := range []map[string]any{
		{"text": "* Same line.\n\nc"}, // to make a list a paragraph, Outline parses it again
		{"text": "Same line.\n\nd", "color": "#FF0000"},
		{"text": "Same line.\n\nd", "icon": "📘"},
		{"text": "Same line.\n\nd", "title": "Another"},
	} {
		e := threeTexts(t, fakeoutline.Options{})
		change["id"], change["done"] = soup, true
		e.do(t, "documents.update", change)
		e.comment(t, "Same")
		list, _ := tell(t, e.c, "list_revisions", document(soup))
		refusal(t, e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": list.Revisions[1].RevisionID}, output.InvalidArguments, "would detach 1 unresolved comment")
	}
}

func commentMarks(n *prosemirror.Node) (ids []string) {
	prosemirror.Walk(n, func(n *prosemirror.Node) bool {
		if mark, ok := n.Mark(prosemirror.Comment); ok {
			ids = append(ids, mark.Attrs.String("id"))
		}
		return true
	})
	return ids
}

func TestAKeyThatMayNotUpdateRestoresAsOutlineDoes(t *testing.T) {
	t.Parallel()
	e := threeTexts(t, fakeoutline.Options{})
	e.do(t, "documents.update", map[string]any{"id": soup, "text": "Same line.\n\nd", "done": true})
	e.comment(t, "Same")
	list, _ := tell(t, e.c, "list_revisions", document(soup))
	e.update = func(_ int, request map[string]any) { request["id"] = "11111111-1111-4111-8111-111111111111" } // which is forbidden
	arguments := map[string]any{"document_id": soup, "revision_id": list.Revisions[1].RevisionID}
	refusal(t, e.c, "restore_document", arguments, output.InvalidArguments, "would detach 1 unresolved comment")
	arguments["allow_loss"] = true
	if restored, text := tell(t, e.c, "restore_document", arguments); !restored.Verified || restored.Guarded || restored.Lost == nil || e.text(t) != "Same line.\n\nc" {
		t.Error(text)
	}
}

func TestARestoreThatRemovesCommentedTextSaysThatAnUndoDoesNotAttachTheCommentAgain(t *testing.T) {
	t.Parallel()
	e := threeTexts(t, fakeoutline.Options{})
	list, _ := tell(t, e.c, "list_revisions", document(soup))
	e.comment(t, "c")
	const note = "lose their place, which an undo does not bring back"
	restored, text := tell(t, e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": list.Revisions[1].RevisionID})
	if !restored.Verified || !strings.Contains(text, note) {
		t.Error(text)
	}
	if _, text := tell(t, e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": restored.EarlierRevisionID}); strings.Contains(text, note) {
		t.Errorf("there is no comment in the text: %s", text)
	}
}

func TestWithoutTheRightTheHistoryIsNotShown(t *testing.T) {
	sample := newSample(t)
	const revision = "a790bb5b-d622-58af-8c7a-f577ac138608"
	for key, code := range map[string]output.Code{fakeoutline.ViewerKey: "", fakeoutline.ScopedKey: output.Forbidden} {
		for tool, arguments := range map[string]map[string]any{"list_revisions": document(soup), "read_revision": {"revision_id": revision}} {
			answer, err := cli.Call(t.Context(), as(t, sample, key), tool, arguments)
			if err != nil || answer.Code != code || code != "" && !strings.Contains(answer.Text, "Use a key with the scope revisions.") {
				t.Errorf("%s with %s: %v, code %q: %s", tool, key, err, answer.Code, answer.Text)
			}
		}
	}
}

func TestARestoreThatOutlineCarriesOutDifferentlyIsReported(t *testing.T) {
	t.Parallel()
	e := threeTexts(t, fakeoutline.Options{})
	list, _ := tell(t, e.c, "list_revisions", document(soup))
	e.restore = func(request map[string]any) { request["revisionId"] = list.Revisions[3].RevisionID }
	answer, err := cli.Call(t.Context(), e.c, "restore_document", map[string]any{"document_id": soup, "revision_id": list.Revisions[1].RevisionID})
	if err != nil {
		t.Fatal(err)
	}
	var problem struct {
		Restored bool
		Diff     string
	}
	if err := json.Unmarshal(answer.Structured, &problem); err != nil {
		t.Fatal(err)
	}
	if answer.Code != output.WriteMismatch || problem.Diff == "" || !problem.Restored || e.text(t) != "Same line.\n\nc" {
		t.Errorf("code %q: %s", answer.Code, answer.Text)
	}
}

// TestTreesAreRestoredExactly restores what Markdown cannot express.
func TestTreesAreRestoredExactly(t *testing.T) {
	tree := decodeTree(t, rich)
	seed := emptySeed()
	page := wikiPage(1, "", "Rich", "")
	page.Tree = tree
	seed.Documents = []fakeoutline.Document{page}
	seed.Revisions = []fakeoutline.Revision{{ID: uuid(30_000), DocumentID: uuid(1), Title: "Rich", Tree: tree, CreatedBy: uuid(99_000_000), CreatedAt: page.UpdatedAt}}
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	e := newEditingOn(t, w)
	e.id = uuid(1)
	if _, answer := e.edit(t, map[string]any{"allow_loss": true}, "In ==red== and plain.", "Gone."); answer.Code != "" {
		t.Fatal(answer.Text)
	}
	restored, text := tell(t, e.c, "restore_document", map[string]any{"document_id": uuid(1), "revision_id": uuid(30_000)})
	if !restored.Verified || !prosemirror.Equal(tree, e.tree(t)) {
		t.Error(text)
	}
}

func TestTheLastChangeIsShownBeforeOutlineHasSavedARevisionOfIt(t *testing.T) {
	for count, text := range []string{"nothing", "Same line.\n\nb", "Same line.\n\nc"} {
		seed := emptySeed()
		seed.Documents = []fakeoutline.Document{wikiPage(1, "", "Soup", "Same line.\n\nc")}
		seed.Revisions = wikiRevisions(count, func(int) string { return text })
		for i := range seed.Revisions {
			seed.Revisions[i].Title = "Soup"
		}
		c := limited(t, defaultLimit, true, wiki(t, seed))
		arguments := map[string]any{"document_id": uuid(1), "compare_with": "previous"}
		switch count {
		case 0:
			refusal(t, c, "read_revision", arguments, output.NotFound, "Outline keeps no revision of the document yet")
		case 1:
			got, text := tell(t, c, "read_revision", arguments)
			if !strings.HasSuffix(got.Diff, "-b\n+c") || !strings.Contains(text, "Changed since the last revision; this is the diff to the current text.\nCompared with current, revision 1") {
				t.Error(text)
			}
		case 2:
			if got, text := tell(t, c, "read_revision", arguments); got.Diff != "" || strings.Contains(text, "Changed since") {
				t.Error(text)
			}
		}
	}
}
