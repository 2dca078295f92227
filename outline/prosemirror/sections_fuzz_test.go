package prosemirror

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var sectionSeeds = []string{
	"# a\n\nb\n\n## *c* `d`\n", "a\nb\n===\n\nc\n-\n", "> # a\n> b\n\n- # c\n  d\n- e\n", "```\n# a\n```\n",
	"| a |\n|---|\n| b |\n---\n", ":::info\n# a\n:::\n", "+++ a\n# b\n+++\n", ">\t#\n-\t#\n#\n", "\n> \t:", "-\n  \t+", "[a]: b\n(c\n===\n",
	"# a\\nb &amp; \\# ==c== <br>\r\n\r\n\r\n", "1. a\n\n   ## b\n\n\n\n      # c\n", "<div>\n# a\n\n# b\n", "你好 [x](y) 1) - [ ] z", "# a\n\\\n===\n", "$$\n# a\n\n# b\n",
}

func FuzzSections(f *testing.F) {
	for _, seed := range sectionSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		sections := Sections(source)
		lines := slices.Collect(strings.Lines(source))
		for i, s := range sections {
			switch {
			case s.Level < 1 || s.Level > 6:
				t.Fatalf("%q: level %d", source, s.Level)
			case s.FirstLine < 1 || s.LastLine < s.FirstLine || s.LastLine > len(lines):
				t.Fatalf("%q: section of lines %d to %d of %d", source, s.FirstLine, s.LastLine, len(lines))
			case strings.TrimSpace(lines[s.LastLine-1]) == "":
				t.Fatalf("%q: the section ends with the blank line %d", source, s.LastLine)
			}
			if i == 0 {
				continue
			}
			if s.FirstLine <= sections[i-1].FirstLine {
				t.Fatalf("%q: heading on line %d after one on line %d", source, s.FirstLine, sections[i-1].FirstLine)
			}
			for _, before := range sections[:i] {
				if before.LastLine >= s.FirstLine && before.LastLine < s.LastLine {
					t.Fatalf("%q: sections of lines %d to %d and %d to %d overlap", source,
						before.FirstLine, before.LastLine, s.FirstLine, s.LastLine)
				}
			}
		}
		if !strings.Contains(source, "\r") {
			checkHeadings(t, source, sections)
		}
		// Blank lines before a document change no more than the numbers.
		moved := Sections("\n \n\n" + source)
		for i := range moved {
			moved[i].FirstLine -= 3
			moved[i].LastLine -= 3
		}
		if !slices.Equal(moved, sections) {
			t.Fatalf("%q: %v, below blank lines %v", source, sections, moved)
		}
	})
}

// checkHeadings fails unless the headings are those of the document's tree, and the
// same with carriage returns.
func checkHeadings(t *testing.T, source string, sections []Section) {
	if got, want := headingsOf(sections), headingsIn(Parse(source)); !slices.Equal(got, want) && len(Dropped(source)) == 0 {
		t.Fatalf("%q: headings %q, in the tree %q", source, got, want)
	}
	if got := Sections(strings.ReplaceAll(source, "\n", "\r\n")); !slices.Equal(got, sections) {
		t.Fatalf("%q: %v, with carriage returns %v", source, sections, got)
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range sectionSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if words := Words(source); words > utf8.RuneCountInString(source) {
			t.Fatalf("Words(%q) = %d", source, words)
		}
	})
}
