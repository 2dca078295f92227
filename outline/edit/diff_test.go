package edit

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnifiedShowsWhatHasChanged(t *testing.T) {
	tests := []struct{ name, before, after, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"a line, with three around it", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
			"--- old\n+++ new\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"lines far apart, in two hunks", "a\n2\n3\n4\n5\n6\n7\n8\nb\n", "2\n3\n4\n5\n6\n7\n8\nb\nc\n",
			"--- old\n+++ new\n@@ -1,4 +1,3 @@\n-a\n 2\n 3\n 4\n@@ -7,3 +6,4 @@\n 7\n 8\n b\n+c\n"},
		{"a first line", "", "a\n", "--- old\n+++ new\n@@ -0,0 +1 @@\n+a\n"},
		{"no line left", "a\n", "", "--- old\n+++ new\n@@ -1 +0,0 @@\n-a\n"},
		{"the line end at the end", "a\nb", "a\nb\n", "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n"},
		{"a line behind one that did not end", "a", "a\nb", "--- old\n+++ new\n@@ -1 +1,2 @@\n-a\n+a\n+b\n"},
		{"only the end of lines", "a\r\nb\n", "a\nb\n", "--- old\n+++ new\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Unified(test.before, test.after, "old", "new").Text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			checkDiff(t, test.before, test.after)
		})
	}
}

func TestManyChangesInALongTextStayReadable(t *testing.T) {
	before := splitLines(handbook(1 << 19))
	after := append([]string{}, before...)
	for i := range 50 {
		for j := range 4 {
			after[100*i+j+3] = fmt.Sprintf("changed %d %d\n", i, j)
		}
	}
	a, b := strings.Join(before, ""), strings.Join(after, "")
	checkDiff(t, a, b)
	if got := strings.Count(Unified(a, b, "a", "b").Text, "\n"); got > 50*(4+4+6+2)+2 {
		t.Errorf("the diff has %d lines", got)
	}
}

// ended returns a text with a newline at its end, which diffs do not tell from one
// without.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// checkDiff fails unless the diff of two texts turns the one into the other.
func checkDiff(t *testing.T, before, after string) {
	t.Helper()
	unified := Unified(before, after, "a", "b")
	diff := unified.Text
	if (diff == "") != (before == after) {
		t.Fatalf("the diff of %q and %q is %q", before, after, diff)
	}
	got, err := patch(ended(before), diff)
	if err != nil {
		t.Fatalf("%v in the diff of %q and %q:\n%s", err, before, after, diff)
	}
	if got != ended(after) {
		t.Fatalf("the diff of %q and %q gives %q:\n%s", before, after, got, diff)
	}
	checkLines(t, unified, splitLines(after))
}

// checkLines fails unless a diff tells for each line it shows where that is in
// the new text.
func checkLines(t *testing.T, d Diff, after []string) {
	t.Helper()
	lines := splitLines(d.Text)
	if len(d.Lines) != len(lines) {
		t.Fatalf("%d lines have %d places", len(lines), len(d.Lines))
	}
	for i, line := range lines {
		at := d.Lines[i]
		if at < 1 || at > len(after)+1 || i > 0 && at < d.Lines[i-1] {
			t.Fatalf("line %d of the diff, %q, is at line %d", i, line, at)
		}
		shows := i > 1 && (line[0] == ' ' || line[0] == '+')
		if shows && strings.TrimSuffix(after[at-1], "\n") != strings.TrimSuffix(line[1:], "\n") {
			t.Fatalf("line %d of the diff, %q, is at line %d, which is %q", i, line, at, after[at-1])
		}
	}
}

// patch applies a unified diff strictly: line numbers, counts and context must
// fit.
func patch(before, diff string) (string, error) {
	if diff == "" {
		return before, nil
	}
	lines, diffLines := splitLines(before), splitLines(diff)
	if len(diffLines) < 3 || diffLines[0] != "--- a\n" || diffLines[1] != "+++ b\n" {
		return "", fmt.Errorf("no headers")
	}
	diffLines = diffLines[2:]
	var out []string
	next := 0 // line of before
	for len(diffLines) > 0 {
		var from, to [2]int
		header := strings.Fields(diffLines[0])
		if len(header) != 4 || header[0] != "@@" || header[3] != "@@" {
			return "", fmt.Errorf("%q is not a header", diffLines[0])
		}
		for i, r := range []*[2]int{&from, &to} {
			start, count, counted := strings.Cut(header[1+i][1:], ",")
			r[0], _ = strconv.Atoi(start)
			r[1] = 1
			if counted {
				r[1], _ = strconv.Atoi(count)
			}
			if r[1] > 0 {
				r[0]--
			}
		}
		diffLines = diffLines[1:]
		if from[0] < next || from[0] > len(lines) {
			return "", fmt.Errorf("a hunk starts at line %d", from[0])
		}
		out = append(out, lines[next:from[0]]...)
		next = from[0]
		if len(out) != to[0] {
			return "", fmt.Errorf("a hunk leads to line %d, not %d", len(out), to[0])
		}
		for from[1] > 0 || to[1] > 0 {
			if len(diffLines) == 0 {
				return "", fmt.Errorf("a hunk is too short")
			}
			mark, line := diffLines[0][0], diffLines[0][1:]
			diffLines = diffLines[1:]
			if mark != '+' {
				if next >= len(lines) || lines[next] != line {
					return "", fmt.Errorf("line %d is not %q", next, line)
				}
				next++
				from[1]--
			}
			if mark != '-' {
				out = append(out, line)
				to[1]--
			}
		}
	}
	return strings.Join(append(out, lines[next:]...), ""), nil
}
