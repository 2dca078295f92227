package tools_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// rich is a document whose tree has what Markdown cannot express: the color of a
// highlight and the widths of columns.
const rich = `{"type":"doc","content":[
{"type":"paragraph","content":[{"type":"text","text":"In "},{"type":"text","text":"red","marks":[{"type":"highlight","attrs":{"color":"#FF0000"}}]},{"type":"text","text":" and plain."}]},
{"type":"table","attrs":{"layout":null},"content":[
{"type":"tr","content":[{"type":"th","attrs":{"colspan":1,"rowspan":1,"colwidth":[120],"alignment":null},"content":[{"type":"paragraph","content":[{"type":"text","text":"Name"}]}]},{"type":"th","attrs":{"colspan":1,"rowspan":1,"colwidth":[80],"alignment":null},"content":[{"type":"paragraph","content":[{"type":"text","text":"Age"}]}]}]},
{"type":"tr","content":[{"type":"td","attrs":{"colspan":1,"rowspan":1,"colwidth":[120],"alignment":null},"content":[{"type":"paragraph","content":[{"type":"text","text":"Ada"}]}]},{"type":"td","attrs":{"colspan":1,"rowspan":1,"colwidth":[80],"alignment":null},"content":[{"type":"paragraph","content":[{"type":"text","text":"36"}]}]}]}]},
{"type":"paragraph","content":[{"type":"text","text":"The end."}]}]}`

func decodeTree(t *testing.T, data string) *prosemirror.Node {
	t.Helper()
	tree, err := prosemirror.Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestWhatMarkdownCannotSayIsKeptOrToldToBeLost(t *testing.T) {
	for name, test := range map[string]struct {
		old, new       string
		colors, widths int
	}{
		"words in a paragraph":          {"plain", "simple", 0, 0},
		"words in a cell":               {"Ada", "Eva", 0, 0},
		"words elsewhere":               {"The end.", "This is the end.", 0, 0},
		"marks in a paragraph":          {"and plain.", "and **plain**.", 0, 0},
		"a paragraph added behind":      {"The end.", "The end.\n\nNo, this.", 0, 0},
		"across the paragraph":          {"and plain.\n\n| Name", "and simple.\n\n| Title", 1, 2},
		"a row added to the table":      {"| Ada", "| Bea | 7 |\n| Ada", 0, 2},
		"the whole table taken away":    {"| Name | Age |\n|------|-----|\n| Ada  | 36  |\n\n", "", 0, 0},
		"the colored words taken away":  {"In ==red== and", "In blue and", 0, 0},
		"a heading made of a paragraph": {"In ==red==", "# In ==red==", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditingOf(t, decodeTree(t, rich), fakeoutline.Options{})
			for _, dry := range []bool{true, false} {
				result, answer := e.edit(t, map[string]any{"dry_run": dry}, test.old, test.new)
				if answer.Code != "" || result.Verified == dry {
					t.Fatal(answer.Text)
				}
				if test.colors+test.widths == 0 {
					if result.Lost != nil {
						t.Errorf("lost %+v", *result.Lost)
					}
					continue
				}
				says := fmt.Sprintf("comment_anchors 0, highlight_colors %d, column_widths %d", test.colors, test.widths)
				if result.Lost == nil || result.Lost.HighlightColors != test.colors || result.Lost.ColumnWidths != test.widths || result.Lost.CommentAnchors == nil || !strings.Contains(answer.Text, says) {
					t.Errorf("lost %+v: %s", result.Lost, answer.Text)
				}
			}
		})
	}
}

func TestUnresolvedCommentsKeepTheirPlaceUnlessTheCallerLetsThemLoseIt(t *testing.T) {
	for name, test := range map[string]struct {
		arguments map[string]any
		resolved  bool
		code      output.Code
		written   bool
	}{
		"refused":              {nil, false, output.InvalidArguments, false},
		"allowed":              {map[string]any{"allow_loss": true}, false, "", true},
		"resolved":             {nil, true, "", true},
		"only tried":           {map[string]any{"dry_run": true}, false, output.InvalidArguments, false},
		"only tried, allowed":  {map[string]any{"dry_run": true, "allow_loss": true}, false, "", false},
		"only tried, resolved": {map[string]any{"dry_run": true}, true, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditing(t, "Some words here.\n\nThe next one.", fakeoutline.Options{})
			id := e.comment(t, "words")
			if test.resolved {
				e.do(t, "comments.resolve", map[string]any{"id": id})
			}
			before, text := e.tree(t), e.text(t)
			e.requests = nil
			// Only a new list needs the paragraph to be parsed anew.
			result, answer := e.edit(t, test.arguments, "Some words", "* Some words")
			if answer.Code != test.code {
				t.Fatal(answer.Text)
			}
			if read := slices.Contains(e.requests, "comments.list"); read == (test.arguments["allow_loss"] == true) {
				t.Errorf("comments read: %v", read)
			}
			if test.code != "" {
				for _, says := range []string{"nothing was written", "1 unresolved comment", "comment_id " + id, `"About words"`, "by Isla Renwick", "allow_loss true"} {
					if !strings.Contains(answer.Text, says) {
						t.Errorf("it does not say %q: %s", says, answer.Text)
					}
				}
			}
			if test.code == "" && (result.Lost == nil || !slices.Equal(result.Lost.CommentAnchors, []string{id})) || name != "refused" && (!strings.Contains(answer.Text, "comment_anchors 1 ("+id+")") || !strings.Contains(answer.Text, "\n+* Some words here.")) {
				t.Errorf("lost %+v: %s", result.Lost, answer.Text)
			}
			if test.written == (e.text(t) == text) || !test.written && !prosemirror.Equal(before, e.tree(t)) {
				t.Errorf("it says %q", e.text(t))
			}
		})
	}
}

func TestADryRunOfSeveralDocumentsCountsThoseThatWouldBeRefused(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "Some words here.", fakeoutline.Options{})
	lost, other := e.comment(t, "words"), e.pages(t, "Some more")[0]
	arguments := map[string]any{"edits": []any{
		map[string]any{"document_id": e.id, "old_text": "Some", "new_text": "* Some"}, map[string]any{"document_id": other, "old_text": "Some", "new_text": "* Some"},
	}}
	for _, arguments["dry_run"] = range []any{true, false} {
		pages, answer := e.editPages(t, arguments)
		if page := pages.Documents[0]; pages.Failed != 1 || page.Status != "failed" || page.Code != "invalid_arguments" || page.EditsApplied != 0 || !strings.Contains(page.Error, lost) {
			t.Errorf("%+v", pages)
		}
		if dry := arguments["dry_run"].(bool); dry != strings.Contains(answer.Text, "2 documents, 1 would fail") || dry != strings.Contains(answer.Text, "+* Some words here.") || dry != strings.Contains(answer.Text, "Would be lost") {
			t.Error(answer.Text)
		}
	}
}

func TestAnAnswerSaysThatAnUndoDoesNotAttachCommentsAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, tool string
		arguments  map[string]any
		want       bool
	}{
		{"an edit of the text with the comment", "edit_document", map[string]any{"edits": []any{map[string]any{"old_text": "Some words", "new_text": "Nothing"}}}, true},
		{"an edit beside it", "edit_document", map[string]any{"edits": []any{map[string]any{"old_text": "here", "new_text": "there"}}}, false},
		{"an edit that detaches it from text that stays", "edit_document", map[string]any{"allow_loss": true, "edits": []any{map[string]any{"old_text": "Some words", "new_text": "* Some words"}}}, false},
		{"another text", "update_document", map[string]any{"text": "Nothing."}, true},
		{"a text in which the passage stays", "update_document", map[string]any{"text": "Some words here."}, false},
		{"an added text", "update_document", map[string]any{"text": "More.", "append": true}, false},
		{"another title", "update_document", map[string]any{"title": "Another"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := newEditing(t, "Some words here.\n\nThe next one.", fakeoutline.Options{})
			e.do(t, "documents.update", map[string]any{"id": e.id, "publish": true, "collectionId": "8441e5d2-7545-4078-bd93-c21942e16c7f"})
			e.comment(t, "words")
			test.arguments["document_id"] = e.id
			answer := call(t, e.c, test.tool, test.arguments)
			if answer.Code != "" || strings.Contains(answer.Text, "which an undo does not bring back") != test.want {
				t.Error(answer.Text)
			}
		})
	}
}

func TestEditsThatKeepCommentsAreMadeOneAfterTheOther(t *testing.T) {
	e, _ := inTwoRequests(t)
	result, answer := e.edit(t, nil, "one", "1", "two", "2")
	if answer.Code != "" || result.EditsApplied != 2 || !result.Verified || result.Lost != nil {
		t.Fatal(answer.Text)
	}
	if got := e.text(t); got != "1 at first\n\nkept\n\n2 then three" {
		t.Errorf("it says %q", got)
	}
	if writes := slices.DeleteFunc(slices.Clone(e.requests), func(r string) bool { return r != "documents.update" }); len(writes) != 3 { // one is a probe
		t.Errorf("%v", e.requests)
	}
	if marked := e.tree(t).Content[1].Content[0]; len(marked.Marks) != 1 {
		t.Errorf("%+v", marked)
	}
}

func TestAnEditOfFormIsDoneWithTheOthers(t *testing.T) {
	e := newEditing(t, "*one* at first\n\nkept\n\ntwo then three\n\nfour", fakeoutline.Options{})
	e.comment(t, "kept")
	// The first passage is written differently, and occurs again after the second
	// edit.
	edits := []string{"*one* at", "_one_ at", "two", "*one* at", "four", "4"}
	tried, answer := e.edit(t, map[string]any{"dry_run": true}, edits...)
	if answer.Code != "" {
		t.Fatal(answer.Text)
	}
	result, answer := e.edit(t, nil, edits...)
	if answer.Code != "" || result.EditsApplied != 3 || !result.Verified || result.Lost != nil {
		t.Fatal(answer.Text)
	}
	if got := e.text(t); got != "*one* at first\n\nkept\n\n*one* at then three\n\n4" {
		t.Errorf("it says %q", got)
	}
	body := func(diff string) string { _, lines, _ := strings.Cut(diff, "\n@@"); return lines }
	if body(tried.Diff) != body(result.Diff) {
		t.Errorf("the dry run shows\n%s\nand the edit\n%s", tried.Diff, result.Diff)
	}
}

func TestAReplacedTextTellsThatCommentsHaveLostTheirPlace(t *testing.T) {
	e := newEditing(t, "Some words here.", fakeoutline.Options{})
	id := e.comment(t, "words")
	const file = "[the plan](/api/attachments.redirect?id=aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa)"
	_, answer := read[map[string]any](t, e.c, "update_document", map[string]any{"document_id": e.id, "text": "Other words, and " + file + "."})
	if want := "1 comment loses its place in the text, which is replaced: comment_anchors " + id + "; links to files were put into paragraphs of their own"; !strings.Contains(answer, want) {
		t.Error(answer)
	}
}

// mixed is rich with mentions of pages, an empty paragraph, and an image with a layout.
var mixed = strings.Replace(rich, `{"type":"paragraph","content":[{"type":"text","text":"The end."}]}`,
	`{"type":"paragraph","content":[{"type":"text","text":"See "},{"type":"mention","attrs":{"type":"document","label":"Plan","modelId":"44444444-4444-4444-8444-444444444444","id":"11111111-1111-4111-8111-111111111111"}},{"type":"text","text":" now."}]},
{"type":"paragraph"},
{"type":"paragraph","content":[{"type":"mention","attrs":{"type":"collection","label":"Team","modelId":"55555555-5555-4555-8555-555555555555","id":"22222222-2222-4222-8222-222222222222"}}]},
{"type":"paragraph","content":[{"type":"image","attrs":{"src":"https://lights.example/a.png","alt":"a","layoutClass":"right-50","title":null,"width":300,"height":200}}]},
{"type":"paragraph","content":[{"type":"text","text":"The end."}]}`, 1)

func TestAWholeTextKeepsEveryNodeThatItStillShows(t *testing.T) {
	for name, change := range map[string][]string{
		"a line is added":             {"The end.", "The end.\n\nNo, this."},
		"a line is added before all":  {"In ==red==", "First.\n\nIn ==red=="},
		"a word beside a mention":     {"now.", "today."},
		"a mark beside a mention":     {"now.", "**now**."},
		"words at both ends":          {"and plain.", "and simple.", "The end.", "That is all."},
		"a cell":                      {"Ada ", "Eva "},
		"two cells":                   {"Ada ", "Eva ", "36 ", "37 "},
		"lines around all":            {"In ==red==", "Top.\n\nIn ==red==", "The end.", "The end.\n\nBelow."},
		"the form of bullets and all": {"The end.", "The end.\r\n"},
		"the table written narrower":  {"|------|-----|", "|---|---|", "The end.", "No end."},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditingOf(t, decodeTree(t, mixed), fakeoutline.Options{})
			id := e.comment(t, "and")
			before := e.tree(t)
			answer := e.replace(t, map[string]any{"title": "New"}, change...)
			if answer.Code != "" || strings.Contains(answer.Text, "lost") {
				t.Fatal(answer.Text)
			}
			after := e.tree(t)
			for _, node := range []string{"color", "colwidth", `"type":"document"`, `"type":"collection"`, "right-50", id, `{"type":"paragraph"}`} {
				if was, is := strings.Count(string(before.AppendJSON(nil)), node), strings.Count(string(after.AppendJSON(nil)), node); was != is || was == 0 {
					t.Errorf("%s occurs %d times instead of %d in %s", node, is, was, after.AppendJSON(nil))
				}
			}
			for i := 1; i < len(change); i += 2 {
				if want := strings.TrimSpace(change[i]); !strings.Contains(e.text(t), want) && !strings.HasPrefix(want, "|") {
					t.Errorf("it does not say %q: %s", want, e.text(t))
				}
			}
		})
	}
}

func TestAWholeTextSaysWhatItLosesAsAnEditDoes(t *testing.T) {
	for name, test := range map[string]struct {
		change []string
		says   string
	}{
		"a colored text in a heading": {[]string{"In ==red==", "# In ==red=="}, "highlight_colors 1"},
		"rows added":                  {[]string{"| Ada", "| Bea | 7 |\n| Ada"}, "column_widths 2"},
		"part of a comment's passage": {[]string{"The end.", "The."}, "on fewer words of the passage than before"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEditingOf(t, decodeTree(t, mixed), fakeoutline.Options{})
			e.comment(t, "The end")
			if answer := e.replace(t, nil, test.change...); answer.Code != "" || !strings.Contains(answer.Text, test.says) {
				t.Errorf("it does not say %q: %s", test.says, answer.Text)
			}
		})
	}
}

func TestAWholeTextMovesAMention(t *testing.T) {
	e := newEditingOf(t, decodeTree(t, mixed), fakeoutline.Options{})
	const link = "[Plan](/doc/44444444-4444-4444-8444-444444444444)"
	answer := e.replace(t, nil, "See "+link+" now.\n\n", "", "The end.", "The end.\n\n* "+link+" again\n\n```\n"+link+"\n```")
	tree := string(e.tree(t).AppendJSON(nil))
	if answer.Code != "" || strings.Count(tree, `"type":"document"`) != 1 || !strings.Contains(tree, link) {
		t.Errorf("%s\n%s", answer.Text, tree)
	}
}

func TestTheSameWholeTextChangesNothing(t *testing.T) {
	e := newEditingOf(t, decodeTree(t, mixed), fakeoutline.Options{})
	before := e.tree(t)
	e.requests = nil
	if answer := e.replace(t, nil); !strings.Contains(answer.Text, "Nothing changed") {
		t.Error(answer.Text)
	}
	if !prosemirror.Equal(before, e.tree(t)) {
		t.Error("the document has changed")
	}
}

// replace sends the whole text of the document with some passages replaced.
func (e *editing) replace(t *testing.T, arguments map[string]any, change ...string) cli.Answer {
	t.Helper()
	all := map[string]any{"document_id": e.id, "text": strings.NewReplacer(change...).Replace(e.text(t))}
	maps.Copy(all, arguments)
	return call(t, e.c, "update_document", all)
}

func TestARefusalNamesTheEditTheCommentAndTheWayOut(t *testing.T) {
	t.Parallel()
	e := newEditing(t, "Some words here.\n\nThe next one.\n\nThe last one.", fakeoutline.Options{})
	e.comment(t, "words")
	answer := call(t, e.c, "edit_document", map[string]any{"document_id": e.id, "edits": []map[string]any{
		{"old_text": "The last one", "new_text": "The final one"}, {"old_text": "Some words", "new_text": "* Some words"},
	}})
	for _, says := range []string{"nothing was written: edits[1] would rewrite whole blocks, and take 1 unresolved comment off", "Resolve it first with update_comment, or set allow_loss true"} {
		if !strings.Contains(answer.Text, says) {
			t.Errorf("it does not say %q: %s", says, answer.Text)
		}
	}
}
