package edit_test

import (
	"errors"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"testing"

	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// A recording is a patch that a real Outline carried out.
type recording struct {
	Name, Kind, Class, Form, Verdict string
	Before, After                    *struct {
		Text string
		Data *prosemirror.Node
	}
	Request struct {
		FindText string
		Text     *string
	}
	// What a create makes of the text with the passage replaced, where that is
	// not what the patch made of it.
	Naive *string
}

func recordings(t testing.TB) []recording { return fixtures.Recorded[recording](t, "patches") }

// TestRecordedEditsAreExactOrRefused makes each recorded edit as Plan has it,
// and compares the outcome with what a real Outline made of the whole text
// with the passage replaced.
func TestRecordedEditsAreExactOrRefused(t *testing.T) {
	fixtures.InYear(t, func(t *testing.T) {
		type count struct{ done, valid, doneValid int }
		counts := map[string]*count{}
		total := count{}
		for _, r := range recordings(t) {
			find := r.Request.FindText
			if find == "" || r.Request.Text == nil || strings.Count(r.Before.Text, find) != 1 {
				continue
			}
			source := edit.NewSource(r.Before.Data)
			at := strings.Index(r.Before.Text, find)
			naive := strings.Replace(r.Before.Text, find, *r.Request.Text, 1)
			want := ""
			switch {
			case r.Naive != nil:
				want = *r.Naive
			case r.Verdict == "exact" || r.Verdict == "text-only" || r.Verdict == "text-exact":
				want = r.After.Text
			default:
				continue
			}
			changes := []edit.Change{{Match: edit.Match{Start: at, End: at + len(find)}, New: *r.Request.Text}}
			request, err := source.Request(changes)
			valid := sameWords(want, naive) && prosemirror.ToText(prosemirror.Parse(want)) == want
			key := r.Kind + " × " + r.Class
			if counts[key] == nil {
				counts[key] = &count{}
			}
			for _, c := range []*count{counts[key], &total} {
				if valid {
					c.valid++
				}
				if err == nil {
					c.done++
					if valid {
						c.doneValid++
					}
				}
			}
			if err != nil {
				var refused *edit.RefusedError
				if !errors.As(err, &refused) {
					t.Errorf("%s: %v", r.Name, err)
				} else if valid {
					t.Logf("%s refused: %v: %q → %q in %q", r.Name, err, find, *r.Request.Text, r.Before.Text)
				}
				continue
			}
			got := carryOut(t, source, request)
			// Where Outline does not read the document back as it is, the whole
			// text is no reference: the rest of the document has to stay.
			text := prosemirror.ToText(got)
			apart := slices.ContainsFunc(withBlankLines(source.Markdown, changes), func(other string) bool {
				return prosemirror.ToText(prosemirror.Parse(other)) == text
			})
			if text != want && !apart && !(text == html.UnescapeString(naive) && !fixed(r.Before.Data)) {
				t.Errorf("%s: %q → %q in %q by %q → %q\n got %q\nwant %q", r.Name, find, *r.Request.Text, r.Before.Text, request.FindText, request.Text, text, want)
			}
			if !request.Verify(got) {
				t.Errorf("%s: the result is not verified", r.Name)
			}
		}
		var table strings.Builder
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			c := counts[key]
			fmt.Fprintf(&table, "%-32s valid %3d, done %3d\n", key, c.valid, c.doneValid)
		}
		t.Logf("%s%d of %d valid edits done (%.1f%%), %d edits in all", table.String(), total.doneValid, total.valid, 100*float64(total.doneValid)/float64(total.valid), total.done)
		if total.doneValid*100 < total.valid*98 {
			t.Error("fewer valid edits are made than before")
		}
	})
}

// fixed reports whether Outline reads back the tree from its text.
func fixed(doc *prosemirror.Node) bool {
	return prosemirror.EqualWithoutComments(prosemirror.Parse(prosemirror.ToText(doc)), doc)
}

// sameWords compares texts apart from white space.
func sameWords(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

// carryOut does what the server does with a request.
func carryOut(t testing.TB, s *edit.Source, r edit.Request) *prosemirror.Node {
	t.Helper()
	switch r.EditMode {
	case edit.ModePatch:
		p, err := s.Markdown.Patch(s.Doc, r.FindText, r.Text)
		if err != nil {
			t.Fatalf("request fails: %v", err)
		}
		return p.Doc
	case edit.ModeReplace:
		return s.Markdown.Dialect.Parse(r.Text)
	case edit.ModeAppend, edit.ModePrepend:
		add := map[string]func(*prosemirror.Node, string) (*prosemirror.Node, error){edit.ModeAppend: s.Markdown.Dialect.Append, edit.ModePrepend: s.Markdown.Dialect.Prepend}[r.EditMode]
		doc, err := add(s.Doc, r.Text)
		if err != nil {
			t.Fatalf("request fails: %v", err)
		}
		return doc
	}
	return s.Doc
}
