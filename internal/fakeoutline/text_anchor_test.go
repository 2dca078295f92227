package fakeoutline

import (
	"maps"
	"testing"

	"outline-mcp/outline/prosemirror"
)

func FuzzAttach(f *testing.F) {
	for _, markdown := range []string{"one *two* three", "* a\n* b", "a $x$ :tada: b", "| a |\n|---|\n| b |", "a\n\n\\\n\nb", "![a](b.png) c", "```\na\nb\n```", "[f 1](/api/attachments.redirect?id=x)"} {
		f.Add(markdown, 0, 3)
		f.Add(markdown, 2, 4)
	}
	f.Fuzz(func(t *testing.T, markdown string, start, length int) {
		doc := prosemirror.Parse(markdown)
		text := readContent(doc).Plain
		if start < 0 || length <= 0 || start > len(text) || length > len(text)-start {
			return
		}
		passage := prosemirror.Passage{Prefix: text[:start], Text: text[start : start+length], Suffix: text[start+length:]}
		attached, ok := prosemirror.Attach(doc, passage, prosemirror.CommentMark("id", "user", false))
		if !ok {
			t.Fatalf("%q is not found in %q", passage.Text, text)
		}
		if !prosemirror.EqualWithoutComments(attached, doc) {
			t.Errorf("%q on %q becomes %s", passage.Text, markdown, attached.AppendJSON(nil))
		}
		after := readContent(attached)
		if after.Plain != text {
			t.Errorf("the text is %q, was %q", after.Plain, text)
		}
		// Line breaks, images and the like carry no mark.
		if got := after.Anchors["id"]; len(got) > length {
			t.Errorf("%q is attached to %q", passage.Text, got)
		}
	})
}

func TestCommentsComeInTheOrderInWhichTheyBeginInTheBlock(t *testing.T) {
	doc := prosemirror.Parse("one two\n\nthree four")
	for _, c := range []struct{ id, passage string }{
		{"a", "two"}, {"b", "three"}, {"c", "one two"}, {"d", "two\nthree"}, {"e", "three four"},
	} {
		var ok bool
		if doc, ok = prosemirror.Attach(doc, prosemirror.Passage{Text: c.passage}, prosemirror.CommentMark(c.id, "user", false)); !ok {
			t.Fatalf("%q is not found", c.passage)
		}
	}
	got := map[string]string{}
	prosemirror.Walk(doc, func(n *prosemirror.Node) bool {
		for _, mark := range n.Marks {
			got[n.Text] += mark.Attrs.String("id")
		}
		return true
	})
	if want := map[string]string{"one ": "c", "two": "cad", "three": "bde", " four": "e"}; !maps.Equal(got, want) {
		t.Errorf("comments are %v, want %v", got, want)
	}
}
