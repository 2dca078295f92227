package prosemirror

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSectionsReachToTheNextHeadingOfTheirLevel(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"text before the first heading is in none", "a\n\n# b\n", "b 3-3\n"},
		{"subsections are inside", "# a\n\n## b\n\nx\n\n### c\n\n## d\n\n# e\n", "a 1-9\nb 3-7\nc 7-7\nd 9-9\ne 11-11\n"},
		{"levels may be skipped", "### a\n# b\n#### c\n## d\n", "a 1-1\nb 2-4\nc 3-3\nd 4-4\n"},
		{"blank lines at the end are left out", "# a\n\nx\n\n \n\t\n# b\n\n\n", "a 1-3\nb 7-7\n"},
		{"runs of blank lines count in full", "# a\n\n\n\n\n\nx\n\n\n\n## b\n\n\ny\n\n\n", "a 1-14\nb 11-14\n"},
		{"an underline belongs to its heading", "a\nb\n===\nc\n---\n", "a b 1-5\nc 4-5\n"},
		{"headings inside code end nothing", "# a\n```\n# b\n```\nx\n", "a 1-5\n"},
		{"the section of a quoted heading ends with the quote", "## a\nx\n\n> # b\n> y\n\nz\n\n## c\n", "a 1-7\nb 4-5\nc 9-9\n"},
		{"quoted headings end each other", "> # a\n> x\n> # b\n> ## c\n> y\n\nz\n", "a 1-2\nb 3-5\nc 4-5\n"},
		{"the section of a heading in an item ends with the item", "# a\n- ## b\n\n  x\n\n- ## c\n\ny\n", "a 1-8\nb 2-4\nc 6-6\n"},
		{"so it does in items of items", "1. ## a\n   - # b\n     x\n   - y\n2. z\n\nw\n", "a 1-4\nb 2-3\n"},
		{"an item that ends the document ends with it", "# a\n- # b\n  x", "a 1-3\nb 2-3\n"},
		{"lazy lines belong to the quote", "> # a\n> x\ny\n\nz\n", "a 1-3\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, source := range []string{test.source, strings.ReplaceAll(test.source, "\n", "\r\n")} {
				var got strings.Builder
				for _, s := range Sections(source) {
					fmt.Fprintf(&got, "%s %d-%d\n", s.Heading, s.FirstLine, s.LastLine)
				}
				if diff := cmp.Diff(test.want, got.String()); diff != "" {
					t.Errorf("Sections(%q) (-want +got):\n%s", source, diff)
				}
			}
		})
	}
}

func TestASectionTellsWhatOfItIsOutsideOfACallout(t *testing.T) {
	tests := []struct{ name, source, want string }{
		{"a section beside one", "# a\n:::info\nx\n:::\ny\n", "a 1-5, 0\n"},
		{"a section that fills one", ":::info\n# a\nx\n:::\n", "a 2-4, 1\n"},
		{"a section that fills two", "++++\n:::info\n# a\nx\n:::\n\n++++\n", "a 3-7, 3\n"},
		{"one that goes on behind it", "+++\n# a\nx\n+++\ny\n\n# b\n", "a 2-5, 2, torn\nb 7-7, 0\n"},
		{"one that ends where it begins", "# a\nx\n\n+++\n# b\ny\n+++\n", "a 1-4, 2\nb 5-7, 1\n"},
		{"one that ends within it", "# a\n+++\nx\n# b\n+++\n", "a 1-3, 2, torn\nb 4-5, 1\n"},
		{"from one to the next", "+++\n# a\n+++\n\n+++\n# b\n+++\n", "a 2-5, 3\nb 6-7, 1\n"},
		{"a subsection within it", "# a\n:::info\n## b\n:::\nx\n", "a 1-5, 0\nb 3-5, 2, torn\n"},
		{"a quote within it", ":::info\n> # a\n> x\n:::\ny\n", "a 2-3, 0\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got strings.Builder
			for _, s := range Sections(test.source) {
				fmt.Fprintf(&got, "%s %d-%d, %d", s.Heading, s.FirstLine, s.LastLine, s.Outside)
				if s.Torn {
					got.WriteString(", torn")
				}
				got.WriteByte('\n')
			}
			if diff := cmp.Diff(test.want, got.String()); diff != "" {
				t.Errorf("Sections(%q) (-want +got):\n%s", test.source, diff)
			}
		})
	}
}

func TestNestingIsReadAsDeepAsAnyDocumentGoes(t *testing.T) {
	const quotes, lists = maxNesting - 1, (maxNesting - 1) / 2
	quoted := strings.Repeat("> ", quotes) + "# a\n"
	if got := headings(quoted); got != "1: # a\n" {
		t.Errorf("a heading in %d quotes gives %q", quotes, got)
	}
	if got := headings("> " + quoted); got != "" {
		t.Errorf("a heading in one quote more gives %q", got)
	}
	listed := strings.Repeat("- ", lists) + "# a\n"
	if got := headings(listed); got != "1: # a\n" {
		t.Errorf("a heading in %d lists gives %q", lists, got)
	}
	if got := headings("- " + listed); got != "" {
		t.Errorf("a heading in one list more gives %q", got)
	}

	// Outline drops what follows as well.
	if got := headings("- " + listed + "\n# b\n"); got != "" {
		t.Errorf("after a list that is too deep, got %q", got)
	}
}
