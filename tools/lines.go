package tools

import (
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/markdown"
	"outline-mcp/output"
)

// shownLines says which lines of a document an answer shows. Its keys are absent
// when that is the whole document.
type shownLines struct {
	StartLine     int `json:"start_line,omitempty"`
	TotalLines    int `json:"total_lines,omitempty" jsonschema:"Absent when all are shown"`
	NextStartLine int `json:"next_start_line,omitempty"`
	NextStartChar int `json:"next_start_char,omitempty"`

	text        string // all that was asked for, from the first line shown on
	first, last int    // the lines of text
	end         int    // the last line that the caller could ask for
	total       int    // the lines of the document
	startChar   int
}

// window says which part of a document a caller asks for. Lines and characters
// (code points) count from 1; maxLines 0 means all.
type window struct {
	startLine, startChar, maxLines int
}

// linesOf returns the lines of a document, from line first to line last,
// that a window asks for.
func linesOf(document string, first, last int, w window) (shownLines, error) {
	start := max(w.startLine, first)
	count := last - start + 1
	if w.maxLines > 0 {
		count = min(count, w.maxLines)
	}
	if count < 1 {
		return shownLines{}, output.Invalid("start_line %d is past the end: the last line is %d", start, last)
	}
	lines := markdown.Window(document, start, count)
	if lines.Count == 0 && start > 1 {
		return shownLines{}, output.Invalid("start_line %d is past the end: the last line is %d", start, lines.Total)
	}
	p := shownLines{
		text: lines.Text, first: start, last: start + lines.Count - 1,
		end: min(last, lines.Total), total: lines.Total, startChar: max(1, w.startChar),
	}
	if p.last < p.total {
		p.text = strings.TrimSuffix(p.text, "\n")
	}
	line, _, _ := strings.Cut(p.text, "\n")
	skipped := byteOf(line, p.startChar-1)
	if p.startChar > 1 && skipped == len(line) {
		return shownLines{}, output.Invalid("start_char %d is past the end of line %d, which has %d characters", p.startChar, start, utf8.RuneCountInString(line))
	}
	p.text = p.text[skipped:]
	return p, nil
}

// all returns the text uncut, and the keys that go with it.
func (p shownLines) all() (string, shownLines) {
	if p.first == 1 && p.startChar == 1 && p.last == p.total {
		return p.text, p
	}
	p.StartLine, p.TotalLines = p.first, p.total
	if p.last < p.end {
		p.NextStartLine = p.last + 1
	}
	return p.text, p
}

// characters counts the code points of the text.
func (p shownLines) characters() int { return utf8.RuneCountInString(p.text) }

// cut returns at most n code points of the text, and where to go on.
// It ends at the end of a line, unless not even the first line fits.
func (p shownLines) cut(n int) (string, shownLines) {
	n = max(n, 1) // going on must lead on
	end := byteOf(p.text, n)
	if end == len(p.text) {
		return p.all()
	}
	p.StartLine, p.TotalLines = p.first, p.total
	if line := strings.LastIndexByte(p.text[:end], '\n'); line >= 0 {
		p.NextStartLine = p.first + strings.Count(p.text[:line], "\n") + 1
		return p.text[:line], p
	}
	p.NextStartLine, p.NextStartChar = p.first, p.startChar+n
	return p.text[:end], p
}

func (p shownLines) write(t *output.Text) {
	if p.TotalLines == 0 {
		return
	}
	last := p.last
	switch {
	case p.NextStartChar > 0:
		t.Line("Part of line %d of %d. Go on with start_line %d and start_char %d.", p.StartLine, p.TotalLines, p.NextStartLine, p.NextStartChar)
		return
	case p.NextStartLine > 0:
		last = p.NextStartLine - 1
	}
	t.Printf("Lines %d–%d of %d.", p.StartLine, last, p.TotalLines)
	if p.NextStartLine > 0 {
		t.Printf(" Go on with start_line %d.", p.NextStartLine)
	}
	t.Blank()
}

// headOf returns at most the first n code points of s, at least one, and ends
// behind a line where it can. Going on behind it leads through all of s.
func headOf(s string, n int) string {
	end := byteOf(s, max(n, 1))
	if end == len(s) {
		return s
	}
	if line := strings.LastIndexByte(s[:end], '\n'); line >= 0 {
		return s[:line+1]
	}
	return s[:end]
}

// byteOf returns the index of the byte after the first n code points of s.
func byteOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
