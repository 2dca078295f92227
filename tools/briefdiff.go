package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"outline-mcp/output"
)

const (
	longRun  = 800 // bytes of lines that are removed or added together, above which the middle is left out
	keptRun  = 300 // bytes that are shown at either end of them
	longLine = 400 // bytes of a changed line, above which a part of it is left out
	keptLine = 120 // bytes that are shown before and behind what differs
)

// brief returns the diff without most of what the caller has sent or read: the middle of
// long runs of lines, and what a long line has in common with the one in its place.
func (d diff) brief() string {
	all := strings.SplitAfter(strings.TrimSuffix(d.Diff, "\n"), "\n")
	all[len(all)-1] += "\n"
	var shown strings.Builder
	for i := 0; i < len(all); {
		removed := runOf(all[i:], '-')
		added := runOf(all[i+removed:], '+')
		if i < 2 || removed+added == 0 { // the header, or a line that both texts have
			shown.WriteString(all[i])
			i++
			continue
		}
		was, now := all[i:i+removed], all[i+removed:i+removed+added]
		writeBrief(&shown, was, now)
		writeBrief(&shown, now, was)
		i += removed + added
	}
	return shown.String()
}

// writeBrief writes a run of lines, given the one of the other text.
func writeBrief(b *strings.Builder, run, other []string) {
	lines := make([]string, len(run))
	for i, line := range run {
		// Where lines were only added, or only removed, the one that it was made of or
		// became is among these.
		from, to := min(i, i+len(other)-len(run)), max(i, i+len(other)-len(run))+1
		lines[i] = briefLine(line, other[max(0, min(from, len(other))):max(0, min(to, len(other)))])
	}
	from, to := leftOut(lines)
	for i, line := range lines {
		if i == from && from < to {
			line = fmt.Sprintf("%c%s %s\n", line[0], output.Ellipsis, output.Count(to-from, "line", "lines"))
		} else if i > from && i < to {
			continue
		}
		b.WriteString(line)
	}
}

// runOf returns how many lines, from the first one on, have a mark.
func runOf(lines []string, mark byte) (n int) {
	for n < len(lines) && lines[n] != "" && lines[n][0] == mark {
		n++
	}
	return n
}

// leftOut returns the range of lines that are left out, which is empty for a short run.
func leftOut(run []string) (from, to int) {
	sizes := make([]int, len(run)+1) // of the lines up to each
	for i, line := range run {
		sizes[i+1] = sizes[i] + len(line)
	}
	whole := sizes[len(run)]
	if whole <= longRun {
		return 0, 0
	}
	from, to = 1, len(run)-1
	for from < to && sizes[from+1] <= keptRun {
		from++
	}
	for to > from && whole-sizes[to-1] <= keptRun {
		to--
	}
	if to-from < 2 {
		return 0, 0
	}
	return from, to
}

// briefLine returns a changed line of a diff. If it is long, what it has in common with the
// most similar of other lines is left out, and the middle of what still is too long.
func briefLine(line string, others []string) string {
	if len(line) <= longLine {
		return line
	}
	from, to := 1, len(line)-1 // behind the mark, and before the line end
	start, end := from, to     // of what differs
	for _, other := range others {
		if first, last := difference(line, other); last-first < end-start {
			start, end = first, last
		}
	}
	if end-start < to-from {
		from, to = max(from, runeAt(line, start-keptLine)), min(to, runeAt(line, end+keptLine))
	}
	shown := line[from:to]
	if len(shown) > keptRun+2*keptLine+len(output.Ellipsis) {
		shown = shown[:runeAt(shown, keptRun)] + output.Ellipsis + shown[runeAt(shown, len(shown)-2*keptLine):]
	}
	if from > 1 {
		shown = output.Ellipsis + shown
	}
	if to < len(line)-1 {
		shown += output.Ellipsis
	}
	return line[:1] + shown + "\n"
}

// difference returns the part of a line of a diff that differs from another line.
func difference(line, other string) (start, end int) {
	start, end, last := 1, len(line)-1, len(other)-1
	for start < min(end, last) && line[start] == other[start] {
		start++
	}
	for end > start && last > start && line[end-1] == other[last-1] {
		end, last = end-1, last-1
	}
	return start, end
}

// runeAt returns the offset of the first code point that begins at an offset or behind it.
func runeAt(s string, at int) int {
	at = max(0, at)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return min(at, len(s))
}
