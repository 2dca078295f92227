package edit_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

func TestAnUndoRestoresExactlyOrIsNotThere(t *testing.T) {
	done, undone := 0, 0
	for i := range fixtures.Count(500, 5000) {
		r := rand.New(rand.NewPCG(2, uint64(i)))
		before := edit.NewSource(randomDocument(r))
		// Whatever a patch makes of the document, damage included.
		word, other := randomPlace(r, before.Markdown.Raw), randomPlace(r, before.Markdown.Raw)
		find := before.Markdown.Raw[min(word, other):min(max(word, other), min(word, other)+12)]
		p, err := before.Markdown.Patch(before.Doc, find, pick(r, "", "new", "**x**", "a\n\nb", "# x", "&amp;", "```\n", "* x\n"))
		if err != nil {
			continue
		}
		now := edit.NewSource(p.Doc)
		undone++
		request, ok := edit.Undo(now, before)
		if !ok {
			continue
		}
		done++
		got := carryOut(t, now, request)
		if !prosemirror.Equal(got, before.Doc) {
			t.Errorf("edit %d: %q by %q → %q is not %q", i, now.Markdown.Raw, request.FindText, request.Text, before.Markdown.Raw)
		}
	}
	t.Logf("%d of %d undone", done, undone)
	if done*10 < undone*7 {
		t.Errorf("%d of %d undone", done, undone)
	}
}

func TestNoUndoForWhatMarkdownCannotRestore(t *testing.T) {
	before := edit.NewSource(commented("Some words here.", "words", "c1"))
	now := edit.NewSource(prosemirror.Parse("Some words here."))
	if r, ok := edit.Undo(now, before); ok {
		t.Errorf("a comment anchor is restored by %q → %q", r.FindText, r.Text)
	}
	if r, ok := edit.Undo(before, before); !ok || r.EditMode != "" {
		t.Errorf("undoing nothing is %+v, %v", r, ok)
	}
}

// commented parses Markdown and anchors a comment to the first occurrence of a
// text.
func commented(markdown, anchor, id string) *prosemirror.Node {
	doc := prosemirror.Parse(markdown)
	return comment(doc, anchor, id)
}

func comment(n *prosemirror.Node, anchor, id string) *prosemirror.Node {
	for i, child := range n.Content {
		if at := strings.Index(child.Text, anchor); child.IsText() && at >= 0 {
			var pieces []*prosemirror.Node
			for k, part := range []string{child.Text[:at], anchor, child.Text[at+len(anchor):]} {
				piece := *child
				piece.Text = part
				if k == 1 {
					piece.Marks = append([]prosemirror.Mark{{Type: prosemirror.Comment, Attrs: prosemirror.Attrs{{Name: "id", Value: id}}}}, child.Marks...)
				}
				if part != "" {
					pieces = append(pieces, &piece)
				}
			}
			return n.With(append(append(append([]*prosemirror.Node{}, n.Content[:i]...), pieces...), n.Content[i+1:]...))
		}
		if c := comment(child, anchor, id); c != child {
			content := append([]*prosemirror.Node{}, n.Content...)
			content[i] = c
			return n.With(content)
		}
	}
	return n
}

// damaged returns a document with something else in one random place, and what
// that is, or nil where there is nothing to change.
func damaged(r *rand.Rand, doc *prosemirror.Node) (wrong *prosemirror.Node, how string) {
	if r.IntN(4) == 0 {
		at := r.IntN(len(doc.Content))
		if len(doc.Content) > 1 && r.IntN(2) == 0 {
			return doc.With(slices.Delete(slices.Clone(doc.Content), at, at+1)), "a document without one of its blocks"
		}
		return doc.With(slices.Insert(slices.Clone(doc.Content), at, doc.Content[at])), "a document with a block twice"
	}
	var texts []*prosemirror.Node
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		if n.IsText() {
			texts = append(texts, n)
		}
		return true
	})
	if len(texts) == 0 {
		return nil, ""
	}
	at := texts[r.IntN(len(texts))]
	other := *at
	_, commented := at.Mark(prosemirror.Comment)
	switch {
	case len(at.Marks) > 0 && !commented && r.IntN(2) == 0:
		other.Marks, how = nil, "text without its marks"
	case len(at.Marks) == 0 && r.IntN(2) == 0:
		other.Marks, how = []prosemirror.Mark{{Type: prosemirror.Strong}}, "text with one more mark"
	default:
		other.Text, how = at.Text+"!", "text with one more character"
	}
	return replaced(doc, at, &other), how
}

// replaced returns a tree with another node in the place of one.
func replaced(n, at, other *prosemirror.Node) *prosemirror.Node {
	if n == at {
		return other
	}
	for i, child := range n.Content {
		if c := replaced(child, at, other); c != child {
			content := slices.Clone(n.Content)
			content[i] = c
			return n.With(content)
		}
	}
	return n
}
