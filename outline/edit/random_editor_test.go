package edit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// asEdited makes of a tree what the editor makes, but Markdown does not: empty
// paragraphs, blanks at the ends of lines and in marks, signs without a meaning, marks
// that touch. Each number in the text becomes another one, so that it is found.
func asEdited(r *rand.Rand, n *prosemirror.Node, number *int) *prosemirror.Node {
	var content []*prosemirror.Node
	paragraphs := false
	switch n.Type {
	case prosemirror.Doc, prosemirror.Blockquote, prosemirror.Notice, prosemirror.ListItem, prosemirror.CheckboxItem:
		paragraphs = true
	case prosemirror.CodeBlock, prosemirror.MathBlock, prosemirror.MathInline:
		return n
	}
	for i, child := range n.Content {
		if child.IsText() {
			c := *child
			*number++
			c.Text += fmt.Sprint("w", *number, "w")
			switch r.IntN(8) {
			case 0:
				c.Text += " "
			case 1:
				c.Text = " " + c.Text
			case 2:
				c.Text = "__init__ " + c.Text
			}
			if _, linked := c.Mark(prosemirror.Link); !linked && len(c.Marks) == 0 && r.IntN(8) == 0 {
				c.Marks = []prosemirror.Mark{{Type: []string{prosemirror.Strong, prosemirror.Emphasis, prosemirror.Underline}[r.IntN(3)]}}
			}
			content = append(content, &c)
			if n.Type == prosemirror.Paragraph && r.IntN(12) == 0 {
				content = append(content, &prosemirror.Node{Type: prosemirror.Break})
			}
			continue
		}
		if paragraphs && (i > 0 || n.Type == prosemirror.Doc) && r.IntN(5) == 0 {
			content = append(content, &prosemirror.Node{Type: prosemirror.Paragraph})
		}
		content = append(content, asEdited(r, child, number))
	}
	return n.With(content)
}

// editorDocument is a tree as the API shows it, with neighboring texts joined.
func editorDocument(t *testing.T, r *rand.Rand) (doc *prosemirror.Node, words int) {
	doc = asEdited(r, prosemirror.Parse(makeText(r, 1+r.IntN(5))), &words)
	doc, err := prosemirror.Decode(doc.AppendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	return doc, words
}

// rewritten is a tree with another text, or with a mark on it, in place of a word.
func rewritten(n *prosemirror.Node, word, by string, marks ...prosemirror.Mark) *prosemirror.Node {
	var content []*prosemirror.Node
	for _, child := range n.Content {
		before, behind, found := strings.Cut(child.Text, word)
		if !found {
			content = append(content, rewritten(child, word, by, marks...))
			continue
		}
		for i, text := range []string{before, by, behind} {
			piece := *child
			piece.Text = text
			if i == 1 {
				piece.Marks = slices.Concat(marks, child.Marks)
			}
			if text != "" {
				content = append(content, &piece)
			}
		}
	}
	return n.With(content)
}

// draw draws one edit of what the editor makes, if the random document has a place for
// it that the text shows once.
func draw(t *testing.T, i int) (kind int, source *edit.Source, drawn editorEdit, ok bool) {
	r := rand.New(rand.NewPCG(3, uint64(i)))
	doc, words := editorDocument(t, r)
	kind = i % len(editorEdits)
	if words == 0 {
		return kind, nil, drawn, false
	}
	source = edit.NewSource(doc)
	drawn = editorEdits[kind].draw(drawing{r, doc, words, source.Markdown})
	if drawn.want == nil || strings.Count(source.Markdown.Text, drawn.old) != 1 {
		return kind, nil, drawn, false
	}
	want, err := prosemirror.Decode(drawn.want.AppendJSON(nil)) // with the marks in their order
	if err != nil {
		t.Fatal(err)
	}
	drawn.want = want
	return kind, source, drawn, true
}

func TestRandomEditsOfWhatTheEditorMakesAreExact(t *testing.T) {
	type count struct{ made, refused, held int }
	counts := make([]count, len(editorEdits))
	reasons := map[string]int{}
	for i, left := 0, fixtures.Count(200, 20_000); left > 0; i++ {
		kind, source, drawn, ok := draw(t, i)
		if !ok {
			continue
		}
		left--
		name := editorEdits[kind].name
		changes, err := edit.Changes(source.Markdown.Text, edit.Edit{Old: drawn.old, New: drawn.new})
		var request edit.Request
		if err == nil {
			request, err = source.Request(changes)
		}
		if err != nil {
			counts[kind].refused++
			if held(source, drawn) {
				counts[kind].held++
				reasons[name+": "+err.Error()]++
			}
			continue
		}
		counts[kind].made++
		if got := carryOut(t, source, request); meaning(got) != meaning(drawn.want) {
			t.Errorf("edit %d, %s: %q → %q in %q\nby %s %q → %q:\n got %q\nwant %q", i, name, drawn.old, drawn.new, source.Markdown.Raw, request.EditMode, request.FindText, request.Text,
				prosemirror.Main.Serialize(got), prosemirror.Main.Serialize(drawn.want))
		}
	}
	made, refused := 0, 0
	for i, c := range counts {
		made, refused = made+c.made, refused+c.held
		t.Logf("%-28s %5d made, %4d refused, of these one patch holds %d", editorEdits[i].name, c.made, c.refused, c.held)
	}
	t.Logf("%d made, %d refused that one patch holds: %v", made, refused, reasons)
	if refused*50 > made {
		t.Errorf("%d edits are refused, %d made", refused, made)
	}
}

// held reports whether one patch makes exactly the wanted document, of all that replace
// text around what differs by what the wanted document's Markdown has there.
func held(source *edit.Source, drawn editorEdit) bool {
	raw, wanted := source.Markdown.Raw, prosemirror.Main.Serialize(drawn.want)
	start := 0
	for start < min(len(raw), len(wanted)) && raw[start] == wanted[start] {
		start++
	}
	end := 0
	for end < min(len(raw), len(wanted))-start && raw[len(raw)-1-end] == wanted[len(wanted)-1-end] {
		end++
	}
	want := meaning(drawn.want)
	const most = 40
	for from := start; from >= max(0, start-most); from-- {
		for rest := end; rest >= max(0, end-most); rest-- {
			if !boundary(raw, from) || !boundary(raw, len(raw)-rest) || strings.Count(raw, raw[from:len(raw)-rest]) != 1 {
				continue
			}
			if p, err := source.Markdown.Patch(source.Doc, raw[from:len(raw)-rest], wanted[from:len(wanted)-rest]); err == nil && meaning(p.Doc) == want {
				return true
			}
		}
	}
	return false
}
