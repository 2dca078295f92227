package edit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
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

// manyEdits is how many edits of what the editor makes are tried: OUTLINE_RANDOM_EDITS,
// or a few seconds' worth.
func manyEdits() int {
	if n, err := strconv.Atoi(os.Getenv("OUTLINE_RANDOM_EDITS")); err == nil {
		return n
	}
	return editCount() / 10
}

func TestRandomEditsOfWhatTheEditorMakesAreExact(t *testing.T) {
	made, refused, reasons := 0, 0, map[string]int{}
	for i := range manyEdits() {
		r := rand.New(rand.NewPCG(3, uint64(i)))
		doc, words := editorDocument(t, r)
		if words == 0 {
			continue
		}
		source := edit.NewSource(doc)
		word := fmt.Sprint("w", 1+r.IntN(words), "w")
		at := strings.Index(source.Markdown.Text, word)
		if strings.Count(source.Markdown.Text, word) != 1 {
			continue
		}
		by := pick(r, "new", "two words", "Zoë", "**"+word+"**")
		want := rewritten(doc, word, by)
		if strings.HasPrefix(by, "**") {
			if strings.Contains(source.Markdown.Raw, "`") {
				continue // it may be in code
			}
			if want = rewritten(doc, word, word, prosemirror.Mark{Type: prosemirror.Strong}); strings.Contains(meaning(want), "strong{},strong") || strings.Contains(meaning(want), "strong,strong") || strings.Contains(meaning(want), "strongnull,strongnull") {
				continue
			}
		}
		want, err := prosemirror.Decode(want.AppendJSON(nil)) // with the marks in their order
		if err != nil {
			t.Fatal(err)
		}
		changes := one(at, at+len(word), by)
		request, err := source.Request(changes, true)
		if err != nil {
			refused++
			reasons[err.Error()]++
			continue
		}
		made++
		if got := carryOut(t, source, request); meaning(got) != meaning(want) {
			t.Errorf("edit %d: %s → %s in %q\nby %s %q → %q:\n got %q\nwant %q", i, word, by, source.Markdown.Raw, request.EditMode, request.FindText, request.Text,
				prosemirror.Serialize(got), prosemirror.Serialize(want))
		}
	}
	t.Logf("%d made, %d refused: %v", made, refused, reasons)
	if refused*50 > made {
		t.Errorf("%d edits are refused, %d made", refused, made)
	}
}
