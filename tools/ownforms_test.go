package tools_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools/written"
)

// TestEveryWayInStoresWhatWasMeantOrTellsIt: what is sent, the Markdown of what is stored,
// and what the answer says. "" is a refusal that names the line.
func TestEveryWayInStoresWhatWasMeantOrTellsIt(t *testing.T) {
	for _, test := range []struct{ text, stored, says string }{
		{`Path C:\new and a:b:c and __init__.`, `Path C:\\new and a\:b:c and \_\_init\_\_.`, ""},
		{"**重要：**これは", "**重要：**&#12371;れは", ""},
		{"A. Smith wrote 10$-20$", `A\. Smith wrote 10\$-20\$`, ""},
		{"if a==b and c==d", "if a==b and c==d", `check how Outline reads this (\ before a sign keeps it as text): line 1, "==b and c==" as a highlight`},
		{"- plain\n- [ ] task", "- plain\n* [ ] task", "line 2, list of tasks and plain items as two lists"},
		{"First\n\n:::\n\nSecond", "First\n\n\\:::\n\nSecond", "line 3, block without its end as text"},
		{"| a |\n|---|\n| 1 | 2 |", "", "line 3"},
	} {
		e := newEditing(t, "Old text.", fakeoutline.Options{})
		for tool, arguments := range map[string]map[string]any{
			"create_document":        {"title": "New", "publish": false, "text": test.text},
			"update_document":        {"document_id": e.id, "text": test.text},
			"batch_create_documents": {"documents": []any{map[string]any{"title": "New", "publish": false, "text": test.text}}},
			"batch_update_documents": {"updates": []any{map[string]any{"document_id": e.id, "text": test.text}}},
			"create_template":        {"title": "New", "text": test.text},
			"import_document":        {"name": "new.md", "text": test.text, "collection_id": operations},
		} {
			if strings.HasSuffix(tool, "update_document") || strings.HasPrefix(tool, "batch_update") {
				if _, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "text": "Old text.", "allow_shrink": true}); err != nil {
					t.Fatal(err)
				}
			}
			answer, err := cli.Call(t.Context(), e.c, tool, arguments)
			if err != nil {
				t.Fatal(err)
			}
			refused := answer.Code != "" || strings.Contains(answer.Text, "1 failed")
			if refused != (test.stored == "") || !strings.Contains(answer.Text, test.says) || test.says == "" && (strings.Contains(answer.Text, "adapted") || strings.Contains(answer.Text, "check how")) {
				t.Errorf("%s: %q: %s", tool, test.text, answer.Text)
			}
			if strings.Contains(tool, "update") && !refused && !prosemirror.Equal(e.tree(t), prosemirror.Parse(test.stored)) {
				t.Errorf("%s: %q is stored as %q", tool, test.text, e.text(t))
			}
		}
	}
}

func TestEditsAndCommentsPassTheSameJudgement(t *testing.T) {
	e := newEditing(t, "Old words here.\n\nb. second\n\n`code here`", fakeoutline.Options{})
	for _, test := range []struct{ old, text, says, stored string }{
		{"Old words", `Old C:\new and a:b:c`, "", `Old C:\\new and a\:b:c here.`},
		{"and a:b:c", "and **重要：**これは", "", `Old C:\\new and **重要：**&#12371;れは here.`},
		{"これは", "if a==b and c==d", "\"==b and c==\" as a highlight", ""},
		{"b. second", "b. second\nc. third", "", ""},
		{"code here", "code a:b:c", "", ""},
	} {
		old := test.old
		if test.stored == "" && old == "これは" {
			old = "here."
		}
		_, answer := e.edit(t, nil, old, test.text)
		if answer.Code != "" || !strings.Contains(answer.Text, test.says) || test.says == "" && strings.Contains(answer.Text, "Note: new_text") {
			t.Errorf("%q: %s", test.text, answer.Text)
		}
		if first := e.tree(t).Content[0]; test.stored != "" && !prosemirror.Equal(first, prosemirror.Parse(test.stored).Content[0]) {
			t.Errorf("%q is stored as %q", test.text, e.text(t))
		}
	}
	if stored := e.text(t); !strings.Contains(stored, "`code a:b:c`") || !strings.Contains(stored, "c. third") {
		t.Errorf("%q", stored)
	}
	for text, says := range map[string]string{
		`see C:\new, a:b:c`: "", "- a\n- [ ] b": "two lists", "- [ ] \\*a*b*": "nothing was written",
	} {
		answer, err := cli.Call(t.Context(), e.c, "add_comment", map[string]any{"document_id": e.id, "text": text})
		if err != nil || !strings.Contains(answer.Text, says) || says == "" && strings.Contains(answer.Text, "Note") {
			t.Errorf("%q: %v, %s", text, err, answer.Text)
		}
	}
}

// ownIDs are texts of which Outline makes an ID, or that the stand-in stores as an update
// does: an address that can be embedded.
var ownIDs = regexp.MustCompile(`^(?:corpus/i/data|corpus/mention/short|inline/x(?:-wrap)?/113)$`)

// TestRecordedTextsAreCreatedAsRecordedToldOrRefused: what is created without a note is the
// page that a real Outline made of the text, unless the text is written otherwise.
func TestRecordedTextsAreCreatedAsRecordedToldOrRefused(t *testing.T) {
	type stored struct{ Tree *prosemirror.Node }
	list := fixtures.Recorded[struct {
		ID, Sent string
		Head     stored
		Rel      *stored
	}](t, "whole")
	for _, release := range []fakeoutline.Release{"", "1.9.2"} {
		e := newEditing(t, "Old text.", fakeoutline.Options{Release: release})
		refused, noted := 0, 0
		for _, r := range fixtures.Some(list, 60) {
			want := r.Head.Tree
			if r.Rel != nil && release != "" {
				want = r.Rel.Tree
			}
			answer, err := cli.Call(t.Context(), e.c, "create_document", map[string]any{"title": "New", "publish": false, "text": r.Sent})
			if err != nil {
				t.Fatal(err)
			}
			var created struct {
				ID    string `json:"document_id"`
				Notes []string
			}
			if err := json.Unmarshal(answer.Structured, &created); err != nil {
				t.Fatal(err)
			}
			switch {
			case answer.Code != "":
				refused++
				if answer.Code != output.InvalidArguments && answer.Code != output.NotFound { // a mention of nobody
					t.Errorf("%s %q: %s", r.ID, r.Sent, answer.Text)
				}
				continue
			case created.Notes != nil:
				noted++
				continue
			}
			document, err := e.calm.DocumentWithTree(t.Context(), created.ID)
			if err != nil {
				t.Fatal(err)
			}
			adapted, _, _ := written.Adapt(r.Sent, written.Place{Parse: prosemirror.Parse})
			if adapted == r.Sent && !prosemirror.Equal(document.Tree, want) && !ownIDs.MatchString(r.ID) {
				t.Errorf("%s: %q is stored as %q", r.ID, r.Sent, prosemirror.ToText(document.Tree))
			}
		}
		t.Logf("%q: %d refused, %d noted", release, refused, noted)
	}
}

func TestAppendedTextIsJudgedAlthoughThePageHasItsLines(t *testing.T) {
	e := newEditing(t, "Old text.", fakeoutline.Options{})
	for range 2 {
		answer, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "text": "* two [x] three\n\nEnd.", "append": true})
		if err != nil || answer.Code != "" {
			t.Fatal(err, answer.Text)
		}
	}
	if want := prosemirror.Parse("Old text.\n\n* two [x\\] three\n\nEnd.\n\n* two [x\\] three\n\nEnd."); !prosemirror.Equal(e.tree(t), want) {
		t.Errorf("%q", e.text(t))
	}
}

// TestEmphasisThatMarkdownCannotSayStaysWhenItsLineChanges: what is read of such a page can be
// written back, as it is, changed elsewhere, and changed in the same line.
func TestEmphasisThatMarkdownCannotSayStaysWhenItsLineChanges(t *testing.T) {
	e := newEditing(t, "Old text.", fakeoutline.Options{})
	write := func(text string) {
		t.Helper()
		if answer, err := cli.Call(t.Context(), e.c, "update_document", map[string]any{"document_id": e.id, "text": text}); err != nil || answer.Code != "" {
			t.Fatal(err, answer.Text)
		}
	}
	write("**重要：**これは\n\n- **50%**です\n- [ ] x\n\nEnd in C:\\new.")
	before := e.tree(t)
	write(e.text(t))
	if !prosemirror.Equal(e.tree(t), before) {
		t.Errorf("%q", e.text(t))
	}
	write(strings.Replace(e.text(t), "End", "The end", 1))
	write(strings.Replace(e.text(t), "これは", "これは本", 1))
	if _, answer := e.edit(t, nil, "50%", "60%", "これは本", "これは本です"); answer.Code != "" {
		t.Error(answer.Text)
	}
	write(e.text(t) + "\n\nA. Smith wrote `__init__.py`.\n\n__init__.py\n\n1. a [x] b\n\nEnd.\n\n- [ ] \\*a")
	if want := prosemirror.Parse("**重要：**&#12371;れは本です\n\n- **60%**&#12391;す\n* [ ] x\n\nThe end in C:\\\\new.\n\nA\\. Smith wrote `__init__.py`.\n\n\\_\\_init\\_\\_.py\n\n1. a [x\\] b\n\nEnd.\n\n- [ ] *a"); !prosemirror.Equal(e.tree(t), want) {
		t.Errorf("%q", e.text(t))
	}
}
