package passage

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// contextLines is how many lines around a change are shown.
const contextLines = 3

// Unified returns a unified diff of two texts, with three lines of context:
// what turns before into after, line by line, under the names given. It is ""
// when the texts are equal.
//
// The diff is right for any two texts, and short for two that differ in some
// places. Where they have little in common, it may show lines as removed and
// added again.
func Unified(before, after, nameBefore, nameAfter string) string {
	if before == after {
		return ""
	}
	start, end := commonLines(before, after)
	for range contextLines {
		start = strings.LastIndexByte(before[:max(start-1, 0)], '\n') + 1
		rest := before[len(before)-end:]
		end -= min(indexFrom(rest, '\n', 0)+1, len(rest))
	}
	h := hunks{
		before:  splitLines(before[start : len(before)-end]),
		after:   splitLines(after[start : len(after)-end]),
		skipped: strings.Count(before[:start], "\n"),
	}
	fmt.Fprintf(&h.out, "--- %s\n+++ %s\n", nameBefore, nameAfter)
	changes := compare(h.before, h.after)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].Start-changes[n-1].End <= 2*contextLines {
			n++
		}
		h.write(changes[:n])
		changes = changes[n:]
	}
	return h.out.String()
}

// hunks writes the hunks of a unified diff.
type hunks struct {
	before, after []string
	skipped       int // how many lines both texts have before these
	out           strings.Builder
}

// write writes a hunk that shows some changes.
func (h *hunks) write(changes []lcs.Diff) {
	first, last := changes[0], changes[len(changes)-1]
	above := min(contextLines, first.Start)
	below := min(contextLines, len(h.before)-last.End)
	start := first.Start - above
	fmt.Fprintf(&h.out, "@@ -%s +%s @@\n",
		h.lines(start, last.End+below), h.lines(first.ReplStart-above, last.ReplEnd+below))
	for _, c := range changes {
		h.marked(" ", h.before[start:c.Start])
		h.marked("-", h.before[c.Start:c.End])
		h.marked("+", h.after[c.ReplStart:c.ReplEnd])
		start = c.End
	}
	h.marked(" ", h.before[start:last.End+below])
}

// lines returns the lines from one index to another as a hunk's head names
// them: where they start and how many they are, or the line they follow and 0.
func (h *hunks) lines(from, to int) string {
	switch from += h.skipped; to + h.skipped - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, to+h.skipped-from)
	}
}

func (h *hunks) marked(mark string, lines []string) {
	for _, line := range lines {
		h.out.WriteString(mark)
		h.out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			h.out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
