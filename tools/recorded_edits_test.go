package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
)

// A recordedPatch is a patch that was recorded on a real Outline.
type recordedPatch struct {
	Name, Class   string
	Before, After *struct {
		Text string
		Data *prosemirror.Node
	}
	Request struct {
		FindText string
		Text     *string
	}
	// The result of creating a document with the replaced text, if the patch had
	// another result.
	Naive *string
}

func recordedPatches(t testing.TB) []recordedPatch {
	t.Helper()
	return slices.DeleteFunc(fixtures.Recorded[recordedPatch](t, "patches"), func(r recordedPatch) bool {
		return r.Request.FindText == "" || r.Request.Text == nil
	})
}

// wanted is the text that the document should have afterwards, if it was recorded.
func (r recordedPatch) wanted() (string, bool) {
	switch {
	case r.Naive != nil:
		return *r.Naive, true
	case r.After != nil:
		return r.After.Text, true
	}
	return "", false
}

// literal is the text of the document with the passage replaced. The passage was
// recorded as it is in Outline's own Markdown, where an empty paragraph is a line
// with a backslash.
func (r recordedPatch) literal() string {
	old, new := r.Request.FindText, *r.Request.Text
	if !strings.Contains(r.Before.Text, old) {
		old, new = strings.ReplaceAll(old, "\n\\\n", "\n\n"), strings.ReplaceAll(new, "\n\\\n", "\n\n")
	}
	if !strings.Contains(r.Before.Text, old) {
		old, new = strings.TrimSpace(old), strings.TrimSpace(new)
	}
	return strings.Replace(r.Before.Text, old, new, 1)
}

// isValid reports whether the passage occurs once in the visible text, and whether
// Outline can store the wanted text: it contains the words of the edit, and parsing
// it gives the same document.
func (r recordedPatch) isValid(want string) bool {
	return strings.Count(r.Before.Text, r.Request.FindText) == 1 && r.Request.FindText != *r.Request.Text && readsBack(want) &&
		strings.Join(strings.Fields(want), " ") == strings.Join(strings.Fields(r.literal()), " ")
}

func readsBack(text string) bool { return prosemirror.ToText(prosemirror.Parse(text)) == text }

// isFixed reports whether parsing a tree's text gives the same tree.
func isFixed(doc *prosemirror.Node) bool {
	return prosemirror.EqualWithoutComments(prosemirror.Parse(prosemirror.ToText(doc)), doc)
}

// kinds are those of blocks, in the order of the table.
var kinds = []string{"paragraph", "heading", "bullet list", "numbered list", "task list", "table", "quote", "callout", "toggle", "code block", "formula", "file, image, rule", "several blocks"}

// kind is that of the block, or the blocks, that the edit changes.
func (r recordedPatch) kind() string {
	old, new := r.Request.FindText, *r.Request.Text
	start := 0
	for start < min(len(old), len(new)) && old[start] == new[start] {
		start++
	}
	end := 0
	for end < min(len(old), len(new))-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	md := prosemirror.Main.ToMarkdown(r.Before.Data)
	at := strings.Index(md.Raw, old)
	if at < 0 {
		return "several blocks"
	}
	from, to := at+start, at+len(old)-end
	var touched []string
	for i, block := range md.Blocks {
		if block.Raw.Start < max(to, from+1) && block.Raw.End > from || from == len(md.Raw) && i == len(md.Blocks)-1 {
			touched = append(touched, r.Before.Data.Content[i].Type)
		}
	}
	if len(touched) != 1 {
		return "several blocks"
	}
	name, ok := map[string]string{
		prosemirror.Paragraph: "paragraph", prosemirror.Heading: "heading", prosemirror.BulletList: "bullet list",
		prosemirror.OrderedList: "numbered list", prosemirror.CheckboxList: "task list", prosemirror.Table: "table",
		prosemirror.Blockquote: "quote", prosemirror.Notice: "callout", prosemirror.Toggle: "toggle",
		prosemirror.CodeBlock: "code block", prosemirror.MathBlock: "formula",
	}[touched[0]]
	if !ok {
		return "file, image, rule"
	}
	return name
}

// edits are the kinds of edits, in the order of the table.
var edits = []string{"words", "signs of Markdown", "marks and escapes", "next to emoji or images", "structure", "with comments"}

func (r recordedPatch) edit() string {
	switch r.Class {
	case "signs", "signs-start", "signs-end":
		return "signs of Markdown"
	case "marks", "escapes":
		return "marks and escapes"
	case "atoms":
		return "next to emoji or images"
	case "struct", "span":
		return "structure"
	case "rich":
		return "with comments"
	}
	return "words"
}

// restStays are the texts after edits of a document with empty paragraphs, which do
// not survive parsing: in the reference, the rest of the document changes, too. The
// passage is as in the reference. Others differ on purpose.
var restStays = map[string]string{
	"e/raw":            "Alpha ONE.\n\n\\nBETA two.\n\n\n\\n\n\nGamma.",
	"e/raw#next":       "Alpha ONE.\n\n\nBETA two.\n\n\n\\n\n\nGamma.",
	"e/backslash#next": "Alpha one.\n\nx Beta two.\n\n\n\\n\n\nGamma.",

	// A line that the passage does not name stays apart from the new text, and what looks
	// like Outline's own form stays text.
	"paragraph/sign-mid/path#narrow": "Intro line.\n\nThe quick C:\\\\temp\\\\new fox jumps.\n\nOutro line.",
	"paragraph/sign-mid/path#next":   "Intro line.\n\nThe quick C:\\\\temp\\\\new fox jumps.\n\nOutro line.",
	"paragraph/alpha#narrow":         "Intro line.\n\na. The quick brown fox jumps.\n\nOutro line.",
	"ordered/sign-mid/par#narrow":    "Intro line.\n\n\n1. alpha\n2. beta a\n\nb two\n\n\n3. gamma\n\nOutro line.",
	"s-bullet/to-par-mid#narrow":     "Intro line.\n\n* alpha one\n\nText\n\n* gamma three\n\nOutro line.",
	"s-bullet/to-par-mid#next":       "Intro line.\n\n* alpha one\n\nText\n\n* gamma three\n\nOutro line.",
	"rnd/24/esc/all":                 "!\"#$%&'()\\*+,-./:;<=>?@[\\\\\n\n. start .x.",
	"rnd/86/l/relative":              "\\[a](/doc/my-doc-abc12  1. b\n\n\n2. c\n\n* d",
	"rnd/138/p/trail-one-space-line": "a1. n\n\n| a | b |",
	"rnd/142/table/br":               "| A   |\n|-----|\n| a<br>b |\n\n> * a\n>\n> :tada:",
}

// storing returns a workspace with a document of each tree, in the order of their IDs.
func storing(t *testing.T, release fakeoutline.Release, trees []*prosemirror.Node) *fakeoutline.Workspace {
	t.Helper()
	seed := fakeoutline.Seed{
		Team:  fakeoutline.Team{ID: uuid(90000), Name: "Test"},
		Users: []fakeoutline.User{{ID: uuid(90001), Name: "Ada", Role: fakeoutline.Admin}},
		Keys:  []fakeoutline.Key{{Name: "test", Secret: fakeoutline.AdminKey, UserID: uuid(90001)}},
	}
	for i, tree := range trees {
		seed.Documents = append(seed.Documents, fakeoutline.Document{
			ID: uuid(i), URLID: fmt.Sprintf("record%04d", i), Title: "Recorded", Tree: tree, CreatedBy: uuid(90001), UpdatedBy: uuid(90001), Revision: 1,
		})
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: release}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestRecordedEditsAreDoneExactlyOrRefused makes each recorded edit with
// edit_document and compares the result with what a real Outline makes of the
// edited text.
func TestRecordedEditsAreDoneExactlyOrRefused(t *testing.T) {
	t.Parallel()
	fixtures.InYear(t, func(t *testing.T) {
		list := recordedPatches(t)
		if !*update {
			list = fixtures.Some(list, 150)
		}
		var trees []*prosemirror.Node
		for _, r := range list {
			trees = append(trees, r.Before.Data)
		}
		e := newEditingOn(t, storing(t, "", trees))

		var counts editCounts
		for i, r := range list {
			answer, err := cli.Call(t.Context(), e.c, "edit_document", map[string]any{
				"document_id": uuid(i), "allow_loss": true,
				"edits": []any{map[string]any{"old_text": r.Request.FindText, "new_text": *r.Request.Text}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var result edited
			if err := json.Unmarshal(answer.Structured, &result); err != nil {
				t.Fatal(err)
			}
			now, err := e.calm.DocumentWithTree(t.Context(), uuid(i))
			if err != nil {
				t.Fatal(err)
			}
			want, told := r.wanted()
			valid := told && r.isValid(want)
			counts.add(r, valid, answer.Code == "")
			switch {
			case answer.Code == output.InvalidArguments || answer.Code == output.NotFound:
				if !prosemirror.Equal(now.Tree, r.Before.Data) || now.Revision != 1 {
					t.Errorf("%s: refused, and the document changed to %q", r.Name, now.Text)
				}
				if valid {
					t.Logf("%s: refused: %s", r.Name, answer.Text)
				}
			case answer.Code != "":
				t.Errorf("%s: %s", r.Name, answer.Text)
			case !result.Verified:
				t.Errorf("%s: not verified: %s", r.Name, answer.Text)
			// If a document does not survive parsing, the whole text is not a
			// reference: everything but the passage must stay the same.
			case told && now.Text != want && now.Text != restStays[r.Name] && !(now.Text == html.UnescapeString(r.literal()) && !isFixed(r.Before.Data)):
				t.Errorf("%s: %q → %q in %q\n got %q\nwant %q", r.Name, r.Request.FindText, *r.Request.Text, r.Before.Text, now.Text, want)
			}
		}
		if len(list) > 150 {
			counts.compare(t)
		}
	})
}

// editCounts count recorded edits by the kinds of blocks and edits.
type editCounts struct {
	cells map[[2]string]*editCount
	total editCount
}

type editCount struct{ all, done, valid, validDone int }

func (c *editCounts) add(r recordedPatch, valid, done bool) {
	if c.cells == nil {
		c.cells = map[[2]string]*editCount{}
	}
	at := [2]string{r.kind(), r.edit()}
	if c.cells[at] == nil {
		c.cells[at] = &editCount{}
	}
	for _, count := range []*editCount{c.cells[at], &c.total} {
		count.all++
		if done {
			count.done++
		}
		if valid {
			count.valid++
			if done {
				count.validDone++
			}
		}
	}
}

// compare compares the table with the documentation, or writes it.
func (c *editCounts) compare(t *testing.T) {
	if share := float64(c.total.validDone) / float64(c.total.valid); share < 0.97 {
		t.Errorf("%.1f%% of the valid edits are done", 100*share)
	}
	for at := range maps.Keys(c.cells) {
		if !slices.Contains(kinds, at[0]) || !slices.Contains(edits, at[1]) {
			t.Fatalf("the table has no cell for %v", at)
		}
	}
	var b bytes.Buffer
	_, _ = message.NewPrinter(language.English).Fprintf(&b, "\nOf %d edits, Outline can store the exact result of %d. `edit_document` makes %d of these (%.1f%%) and refuses the other %d.\n"+
		"It also makes %d of the remaining %d, whose Markdown Outline stores in another form, and refuses %d. No edit stored anything else.\n\n",
		c.total.all, c.total.valid, c.total.validDone, 100*float64(c.total.validDone)/float64(c.total.valid), c.total.valid-c.total.validDone,
		c.total.done-c.total.validDone, c.total.all-c.total.valid, c.total.all-c.total.valid-c.total.done+c.total.validDone)
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(edits, " | "), strings.Repeat("---|", len(edits)))
	for _, kind := range kinds {
		fmt.Fprintf(&b, "| %s |", kind)
		for _, edit := range edits {
			if count := c.cells[[2]string{kind, edit}]; count != nil && count.valid > 0 {
				fmt.Fprintf(&b, " %d of %d |", count.validDone, count.valid)
			} else {
				b.WriteString(" |")
			}
		}
		b.WriteByte('\n')
	}
	const document, from, to = "../docs/project/reliability.md", "<!-- The test writes this table: go test ./tools -run TestRecordedEdits -update -->\n", "\n<!-- End of the table of edits -->\n"
	old, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(old), from)
	_, tail, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("%s lacks the lines %s and %s", document, from, to)
	}
	now := head + from + b.String() + to + tail
	switch {
	case now == string(old):
	case !*update:
		t.Errorf("%s is not up to date: go generate ./... writes it:\n%s", document, b.String())
	default:
		if err := os.WriteFile(document, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
