package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// diff shows what has changed in a text. It is part of the answer to a write.
type diff struct {
	Diff             string `json:"diff"`
	DiffLinesLeftOut int    `json:"diff_lines_left_out,omitempty"`
	NextStartLine    int    `json:"next_start_line,omitempty" jsonschema:"Where read_document continues"`

	lines   []int // of the new text, for each line of Diff
	inBrief bool  // whether the text of the answer shows it in brief
	// changesOnly leaves out of the text the lines that both texts have, and oneOfMany also
	// what is far from the change in long lines, because there are diffs of other documents.
	changesOnly, oneOfMany bool
}

func diffOf(before, after outline.Document) diff {
	return newDiff(before, after.Text, fmt.Sprintf("revision %d", after.Revision))
}

func newDiff(before outline.Document, after, nameAfter string) diff {
	return unified(before.Text, after, fmt.Sprintf("revision %d", before.Revision), nameAfter)
}

// unified compares two texts in the form in which callers read them.
func unified(before, after, nameBefore, nameAfter string) diff {
	u := edit.Unified(prosemirror.Unpadded(before), prosemirror.Unpadded(after), nameBefore, nameAfter)
	return diff{Diff: u.Text, lines: u.Lines}
}

func (d diff) write(t *output.Text) {
	if d.Diff != "" {
		shown := d.Diff
		switch {
		case d.inBrief:
			shown = d.brief(keptLine)
		case d.oneOfMany && d.DiffLinesLeftOut == 0:
			shown = d.brief(keptAmong)
		case d.changesOnly && d.DiffLinesLeftOut == 0:
			shown = changedLines(d.Diff)
		}
		t.Blank()
		t.Block(shown)
	}
	if d.DiffLinesLeftOut == 0 {
		return
	}
	t.Blank()
	leftOut := output.Count(d.DiffLinesLeftOut, "line", "lines")
	if d.NextStartLine > 0 {
		t.Advice("%s of the diff left out[: read_document with start_line %d shows what is there].", leftOut, d.NextStartLine)
	} else {
		t.Line("%s of the diff left out: fewer edits at a time show all.", leftOut)
	}
}

// maxDiff is how many bytes of a diff an answer has whose text shows it in brief.
const maxDiff = 1 << 20

// cut ends the diff before its n-th byte, after a line if possible.
func (d diff) cut(n int) diff {
	if n >= len(d.Diff) {
		return d
	}
	kept := d.Diff[:strings.LastIndexByte(d.Diff[:n], '\n')+1]
	d.DiffLinesLeftOut = strings.Count(d.Diff[len(kept):], "\n")
	d.NextStartLine = d.lines[strings.Count(kept, "\n")]
	d.Diff = kept
	return d
}

const (
	longRun   = 800 // bytes of lines that are removed or added together, above which the middle is left out
	keptRun   = 300 // bytes that are shown at either end of them
	keptLine  = 120 // bytes of a long line that are shown before and behind what differs
	keptAmong = 40  // the same in one of several documents
)

// brief returns the changed lines of the diff without most of what the caller has sent or
// read: the middle of long runs, and what a long line has in common with the one in its
// place, but for some bytes before and behind what differs. With few of them, the caller has
// not sent the lines, and each is shown.
func (d diff) brief(kept int) string {
	all := strings.SplitAfter(strings.TrimSuffix(d.Diff, "\n"), "\n")
	all[len(all)-1] += "\n"
	var shown strings.Builder
	for i := 0; i < len(all); {
		removed := runOf(all[i:], '-')
		added := runOf(all[i+removed:], '+')
		if i < 2 || removed+added == 0 { // the header, or a line that both texts have
			i++
			continue
		}
		was, now := all[i:i+removed], all[i+removed:i+removed+added]
		writeBrief(&shown, was, now, kept)
		writeBrief(&shown, now, was, kept)
		i += removed + added
	}
	return shown.String()
}

// changedLines returns a diff without its header and the lines that both texts have.
func changedLines(diff string) string {
	var shown strings.Builder
	for i, line := range strings.SplitAfter(diff, "\n") {
		if i > 1 && !strings.HasPrefix(line, " ") {
			shown.WriteString(line)
		}
	}
	return shown.String()
}

// writeBrief writes a run of lines, given the one of the other text.
func writeBrief(b *strings.Builder, run, other []string, kept int) {
	lines := make([]string, len(run))
	for i, line := range run {
		// Where lines were only added, or only removed, the one that it was made of or
		// became is among these.
		from, to := min(i, i+len(other)-len(run)), max(i, i+len(other)-len(run))+1
		lines[i] = briefLine(line, other[max(0, min(from, len(other))):max(0, min(to, len(other)))], kept)
	}
	from, to := 0, 0
	if kept == keptLine {
		from, to = leftOut(lines)
	}
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
func briefLine(line string, others []string, kept int) string {
	if len(line) <= 3*kept+kept/3 {
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
		from, to = max(from, runeAt(line, start-kept)), min(to, runeAt(line, end+kept))
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
