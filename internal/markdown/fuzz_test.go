package markdown

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var seeds = []string{
	"# a\n\nb\n\n## *c* `d`\n", "a\nb\n===\n\nc\n-\n", "> # a\n> b\n\n- # c\n  d\n- e\n", "```\n# a\n```\n",
	"| a |\n|---|\n| b |\n---\n", ":::info\n# a\n:::\n", "+++ a\n# b\n+++\n", ">\t#\n-\t#\n#\n", "\n> \t:", "-\n  \t+", "[a]: b\n(c\n===\n",
	"# a\\nb &amp; \\# ==c== <br>\r\n\r\n\r\n", "1. a\n\n   ## b\n\n\n\n      # c\n", "<div>\n# a\n\n# b\n", "你好 [x](y) 1) - [ ] z",
}

var (
	letter    = regexp.MustCompile(`[A-Za-z0-9]`)
	underline = regexp.MustCompile(`(?m)(-|=)[ \t\r]*$`)
)

func FuzzSections(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		sections := Sections(source)
		total := countLines(source)
		for i, s := range sections {
			h := s.Heading
			switch {
			case h.Level < 1 || h.Level > 6:
				t.Fatalf("%q: level %d", source, h.Level)
			case s.FirstLine != h.Line || h.Line < 1 || s.LastLine < h.Line || s.LastLine > total:
				t.Fatalf("%q: section of lines %d to %d of %d", source, s.FirstLine, s.LastLine, total)
			case h.Text != collapse(h.Text):
				t.Fatalf("%q: text %q", source, h.Text)
			case strings.TrimSpace(Window(source, s.LastLine, 1).Text) == "":
				t.Fatalf("%q: the section ends with the blank line %d", source, s.LastLine)
			}
			checkHolds(t, source, s)
			if i == 0 {
				continue
			}
			if h.Line <= sections[i-1].Heading.Line {
				t.Fatalf("%q: heading on line %d after one on line %d", source, h.Line, sections[i-1].Heading.Line)
			}
			for _, before := range sections[:i] {
				if before.LastLine >= s.FirstLine && before.LastLine < s.LastLine {
					t.Fatalf("%q: sections of lines %d to %d and %d to %d overlap", source,
						before.FirstLine, before.LastLine, s.FirstLine, s.LastLine)
				}
			}
		}

		// Blank lines before a document, and other line ends, change no more
		// than the numbers.
		moved := Sections("\n \n\n" + source)
		for i := range moved {
			moved[i].Heading.Line -= 3
			moved[i].FirstLine -= 3
			moved[i].LastLine -= 3
		}
		if !slices.Equal(moved, sections) {
			t.Fatalf("%q: %v, below blank lines %v", source, sections, moved)
		}
		if !strings.Contains(source, "\r") {
			if got := Sections(strings.ReplaceAll(source, "\n", "\r\n")); !slices.Equal(got, sections) {
				t.Fatalf("%q: %v, with carriage returns %v", source, sections, got)
			}
		}
	})
}

// checkHolds fails unless the first line of a section really begins its heading.
func checkHolds(t *testing.T, source string, s Section) {
	first := Window(source, s.FirstLine, 1).Text
	marks := strings.Repeat("#", s.Heading.Level)
	lines := first
	if i := strings.Index(first, marks); i < 0 || !strings.Contains(" \t\r\n", (first + "\n")[i+len(marks):][:1]) {
		// Underlined, then: the text may begin on a later line than its marks.
		lines = Window(source, s.FirstLine, s.LastLine-s.FirstLine+1).Text
		if s.Heading.Level > 2 || !underline.MatchString(lines) {
			t.Fatalf("%q: line %d is %q, which begins no heading of level %d", source, s.FirstLine, first, s.Heading.Level)
		}
	}
	if strings.Contains(lines, "&") {
		return // an entity becomes other letters
	}
	// Marks may stand between any two letters, so only the first is looked for.
	if !strings.Contains(lines, letter.FindString(s.Heading.Text)) {
		t.Fatalf("%q: line %d is %q, which does not begin the heading %q", source, s.FirstLine, first, s.Heading.Text)
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, source, query string) {
		headings := Headings(source)
		found := Find(headings, query)
		if !slices.IsSorted(found) || len(slices.Compact(found)) != len(found) {
			t.Fatalf("Find(%q) = %v", query, found)
		}
		for i, heading := range headings {
			if key(trimHashes(heading.Text)) != "" && !slices.Contains(Find(headings, heading.Text), i) {
				t.Fatalf("%q: heading %q is not found by its text", source, heading.Text)
			}
		}
	})
}

func FuzzWindow(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, text string, lines int) {
		lines = max(lines, 1)
		var joined strings.Builder
		next := 1
		for next > 0 {
			w := Window(text, next, lines)
			if w.First != next || w.Count > lines || w.Total != countLines(text) {
				t.Fatalf("Window(%q, %d, %d) = %+v", text, next, lines, w)
			}
			joined.WriteString(w.Text)
			next = w.Next
		}
		if joined.String() != text {
			t.Fatalf("the windows of %q join to %q", text, joined.String())
		}
	})
}

func FuzzWords(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		words := Words(a)
		if words > utf8.RuneCountInString(a) {
			t.Fatalf("Words(%q) = %d", a, words)
		}
		if got, want := Words(a+"\n"+b), words+Words(b); got != want {
			t.Fatalf("Words of %q and %q are %d together, %d apart", a, b, got, want)
		}
	})
}
