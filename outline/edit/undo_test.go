package edit_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

func TestAnUndoRestoresExactlyOrIsNotThere(t *testing.T) {
	done, undone := 0, 0
	for i := range editCount() / 4 {
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
