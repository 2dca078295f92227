package edit

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// contextLines is the number of lines shown around a change.
const contextLines = 3

// A Diff is a unified diff.
type Diff struct {
	// Text is the diff, or "" if the texts are equal.
	Text string
	// Lines has, for each line of Text, the number of the line of the new text
	// that it shows, or that follows it if it shows none. Numbers start at 1.
	Lines []int
}

// Unified returns the diff from before to after with three lines of context. It is
// correct for any two texts, and short for two that differ in a few places. If
// they have little in common, it may show lines as removed and added again. It does
// not mark a missing newline at the end of a text: documents have none.
func Unified(before, after, nameBefore, nameAfter string) Diff {
	if before == after {
		return Diff{}
	}
	start, end := commonLines(before, after)
	for range contextLines {
		start = strings.LastIndexByte(before[:max(start-1, 0)], '\n') + 1
		end = withoutLine(before, end)
	}
	h := hunkWriter{
		before:  splitLines(before[start : len(before)-end]),
		after:   splitLines(after[start : len(after)-end]),
		skipped: strings.Count(before[:start], "\n"),
	}
	h.line(1, "--- "+nameBefore+"\n")
	h.line(1, "+++ "+nameAfter+"\n")
	changes := lineChanges(h.before, h.after)
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].Start-changes[n-1].End <= 2*contextLines {
			n++
		}
		h.write(changes[:n])
		changes = changes[n:]
	}
	h.lines[0], h.lines[1] = h.lines[2], h.lines[2] // they stand before the first hunk
	return Diff{h.out.String(), h.lines}
}

// A hunkWriter writes the hunks of a unified diff. udiff.ToUnified is not used: after a
// hunk with several changes it numbers the lines of the following hunks wrongly.
type hunkWriter struct {
	before, after []string
	skipped       int // how many lines both texts have before these
	out           strings.Builder
	lines         []int // of the new text, for each line of out
}

// write writes a hunk that shows some changes.
func (h *hunkWriter) write(changes []lcs.Diff) {
	first, last := changes[0], changes[len(changes)-1]
	above := min(contextLines, first.Start)
	below := min(contextLines, len(h.before)-last.End)
	from, to := first.Start-above, first.ReplStart-above
	h.line(h.skipped+to+1, fmt.Sprintf("@@ -%s +%s @@\n", h.span(from, last.End+below), h.span(to, last.ReplEnd+below)))
	for _, c := range changes {
		to += h.marked(' ', h.before[from:c.Start], to)
		h.marked('-', h.before[c.Start:c.End], to)
		to += h.marked('+', h.after[c.ReplStart:c.ReplEnd], to)
		from = c.End
	}
	h.marked(' ', h.before[from:last.End+below], to)
}

// span returns a range of lines in the form of a hunk's header: the first line and
// their number, or the preceding line and 0.
func (h *hunkWriter) span(from, to int) string {
	switch n := to - from; n {
	case 0:
		return fmt.Sprintf("%d,0", h.skipped+from)
	case 1:
		return fmt.Sprint(h.skipped + from + 1)
	default:
		return fmt.Sprintf("%d,%d", h.skipped+from+1, n)
	}
}

// marked writes lines with a mark before each, and returns how many. to is the
// index, in the new text, of the first of them or, if they are removed, of the
// line that follows.
func (h *hunkWriter) marked(mark byte, lines []string, to int) int {
	for i, line := range lines {
		at := h.skipped + to + 1
		if mark != '-' {
			at += i
		}
		h.out.WriteByte(mark)
		h.line(at, line)
		if !strings.HasSuffix(line, "\n") {
			h.out.WriteByte('\n')
		}
	}
	return len(lines)
}

// line writes a line of the diff, for line number at of the new text.
func (h *hunkWriter) line(at int, line string) {
	h.out.WriteString(line)
	h.lines = append(h.lines, at)
}

// splitLines returns the lines of a text with their line ends.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// commonLines returns the length in bytes of the whole lines that two different
// texts have in common at the start, and of those that the rest has in common
// at the end.
func commonLines(a, b string) (prefix, suffix int) {
	prefix, _ = commonEnds(a, b)
	prefix = strings.LastIndexByte(a[:prefix], '\n') + 1
	_, suffix = commonEnds(a[prefix:], b[prefix:])
	return prefix, withoutLine(a, suffix)
}

// withoutLine returns how many of the last n bytes of text follow their first
// line end.
func withoutLine(text string, n int) int {
	return max(0, len(text)-1-indexFrom(text, '\n', len(text)-n))
}

// lineChanges returns the changes from before to after, in order.
//
// After some hundred changes, the library stops searching for the shortest
// result and treats the rest as one change, so that 50 edits of a long text
// would show all of it. Therefore the library only compares the lines between
// anchors, which are few.
func lineChanges(before, after []string) []lcs.Diff {
	var changes []lcs.Diff
	i, j := 0, 0
	for _, same := range append(anchors(before, after), anchor{len(before), len(after)}) {
		if from, to := before[i:same.before], after[j:same.after]; !slices.Equal(from, to) {
			for _, c := range lcs.DiffLines(from, to) {
				changes = append(changes, lcs.Diff{Start: i + c.Start, End: i + c.End, ReplStart: j + c.ReplStart, ReplEnd: j + c.ReplEnd})
			}
		}
		i, j = same.before+1, same.after+1
	}
	return changes
}

// An anchor is a line that occurs exactly once in each of two texts.
type anchor struct{ before, after int }

// anchors returns the longest sequence of such lines that are in the same order
// in both texts (the first step of Bram Cohen's patience diff).
func anchors(before, after []string) []anchor {
	const none, several = -1, -2
	type place struct{ before, after int }
	places := make(map[string]place, len(before))
	for i, line := range before {
		if _, known := places[line]; known {
			i = several
		}
		places[line] = place{i, none}
	}
	for i, line := range after {
		if p, known := places[line]; known {
			if p.after != none {
				i = several
			}
			places[line] = place{p.before, i}
		}
	}
	// The longest increasing subsequence: ends[n] is the anchor with the least
	// place in after among those that end a run of n+1.
	var all []anchor
	var ends, previous []int
	for i, line := range before {
		p := places[line]
		if p.before != i || p.after < 0 {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return all[ends[n]].after > p.after })
		link := none
		if n > 0 {
			link = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = len(all)
		all, previous = append(all, anchor{i, p.after}), append(previous, link)
	}
	run := make([]anchor, 0, len(ends))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i != none; i = previous[i] {
			run = append(run, all[i])
		}
	}
	slices.Reverse(run)
	return run
}
