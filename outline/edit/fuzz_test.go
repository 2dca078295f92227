package edit_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

func FuzzPlan(f *testing.F) {
	for i, r := range recordings(f) {
		if i%11 == 0 && r.Request.Text != nil {
			f.Add(r.Before.Text, 3, len(r.Before.Text)/2, *r.Request.Text)
		}
	}
	f.Fuzz(func(t *testing.T, markdown string, start, end int, text string) {
		if !utf8.ValidString(markdown) || !utf8.ValidString(text) {
			t.Skip()
		}
		s := edit.NewSource(prosemirror.Parse(markdown))
		if start < 0 || end < start || end > len(s.Markdown.Text) || !boundary(s.Markdown.Text, start) || !boundary(s.Markdown.Text, end) {
			t.Skip()
		}
		r, err := s.Request([]edit.Change{{Match: edit.Match{Start: start, End: end}, New: text}}, true)
		if err != nil {
			var refused *edit.RefusedError
			if !errors.As(err, &refused) {
				t.Fatal(err)
			}
			return
		}
		if !utf8.ValidString(r.FindText) || !utf8.ValidString(r.Text) {
			t.Fatalf("request splits a character: %q → %q", r.FindText, r.Text)
		}
		got := carryOut(t, s, r)
		if !r.Verify(got) {
			t.Fatalf("%q: the result of %q → %q is not verified", s.Markdown.Raw, r.FindText, r.Text)
		}
		// Undoing it brings exactly the document back, or is not possible.
		now := edit.NewSource(got)
		if undo, ok := edit.Undo(now, s); ok && !prosemirror.Equal(carryOut(t, now, undo), s.Doc) {
			t.Fatalf("%q: undone by %q → %q", s.Markdown.Raw, undo.FindText, undo.Text)
		}
	})
}
