package edit_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// hostile are changes of documents that make careless planning take quadratic
// time.
var hostile = map[string]func(n int) func(){
	"a deleted comment on the same letter": func(n int) func() {
		return lost(marked(1, strings.Repeat("a", n), oneComment), prosemirror.Parse(strings.Repeat("a", n/2)))
	},
	"a replaced comment on many words": func(n int) func() {
		return lost(marked(1, strings.Repeat("abc defg ", n/9), oneComment), prosemirror.Parse("X"+strings.Repeat("abd eefg", n/8)+"Y"))
	},
	"comments on every word": func(n int) func() {
		comment := func(i int) prosemirror.Mark { return mark(prosemirror.Comment, "id", fmt.Sprint(i)) }
		return lost(marked(n/5, "word ", comment), prosemirror.Parse("X"))
	},
	"colors on every word": func(n int) func() {
		color := func(i int) prosemirror.Mark { return mark(prosemirror.Highlight, "color", fmt.Sprint(i%2)) }
		return lost(marked(n/5, "word ", color), prosemirror.Parse("X"))
	},
	"many comments on one text": func(n int) func() {
		doc := marked(1, strings.Repeat("a ", n/2), oneComment)
		for i := range n / 64 {
			doc.Content[0].Content[0].Marks = append(doc.Content[0].Content[0].Marks, mark(prosemirror.Comment, "id", fmt.Sprint(i)))
		}
		return lost(doc, prosemirror.Parse("X"))
	},
	"images replaced": func(n int) func() {
		text := strings.Repeat("![a](https://e.com/b.png) ", n/26)
		return plan("x "+text, func(size int) []edit.Change { return one(0, size, "Q "+text+"Q") })
	},
	"changes between images": func(n int) func() {
		return plan("x "+strings.Repeat("![a](https://e.com/b.png) ", n/26), between)
	},
	"changes between the starts of images": func(n int) func() {
		return plan(strings.Repeat("a ![", n/4)+" ![a](https://e.com/b.png)", between)
	},
	"changes between identical lines": func(n int) func() {
		return plan(strings.Repeat("the same line\n\n", n/15), between)
	},
	"a table of which every row is named": func(n int) func() {
		table := "| a | b |\n|---|---|\n" + strings.Repeat("| 1 \\| | 2 |\n", n/13)
		return plan(table, func(size int) []edit.Change { return one(0, size, strings.ReplaceAll(table, "1", "x")) })
	},
	"changes between empty paragraphs": func(n int) func() {
		return plan("a\n\n"+strings.Repeat("\\\n\n", n/3)+"b", between)
	},
}

func oneComment(int) prosemirror.Mark { return mark(prosemirror.Comment, "id", "c1") }

func mark(name, attr, value string) prosemirror.Mark {
	return prosemirror.Mark{Type: name, Attrs: prosemirror.Attrs{{Name: attr, Value: value}}}
}

// marked is a paragraph with a text many times, each with its own mark.
func marked(count int, text string, mark func(i int) prosemirror.Mark) *prosemirror.Node {
	paragraph := &prosemirror.Node{Type: prosemirror.Paragraph}
	for i := range count {
		paragraph.Content = append(paragraph.Content, &prosemirror.Node{Type: prosemirror.Text, Text: text, Marks: []prosemirror.Mark{mark(i)}})
	}
	return &prosemirror.Node{Type: prosemirror.Doc, Content: []*prosemirror.Node{paragraph}}
}

func lost(before, after *prosemirror.Node) func() { return func() { edit.Lost(before, after) } }

func plan(markdown string, changes func(size int) []edit.Change) func() {
	doc := prosemirror.Parse(markdown)
	return func() {
		s := edit.NewSource(doc)
		_, _ = s.Request(changes(len(s.Markdown.Text)))
	}
}

// between is an insertion in each of twenty places.
func between(size int) []edit.Change {
	var changes []edit.Change
	for i := range 20 {
		at := (i + 1) * size / 22
		changes = append(changes, edit.Change{Match: edit.Match{Start: at, End: at}, New: "ü"})
	}
	return changes
}

func TestHostileDocumentsTakeLinearTime(t *testing.T) {
	for name, change := range hostile {
		t.Run(name, func(t *testing.T) {
			fixtures.TakesLinearTime(t, 1<<14, func(size int) { change(size)() })
		})
	}
}

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
		r, err := s.Request([]edit.Change{{Match: edit.Match{Start: start, End: end}, New: text}})
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
