package tools

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/markdown"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// window is the part of a text that a call asks for. Lines and code points are
// numbered from 1.
type window struct {
	first, last int // lines of the section; 0 selects the whole text
	startLine   int // 0 selects first
	startChar   int // in startLine; 0 selects 1
	maxLines    int // 0 selects all
}

// shownLines tells which lines of a text an answer shows. Its keys are absent
// if the answer shows the whole text.
type shownLines struct {
	StartLine     int `json:"start_line,omitempty"`
	TotalLines    int `json:"total_lines,omitempty" jsonschema:"Absent when all are shown"`
	NextStartLine int `json:"next_start_line,omitempty"`
	NextStartChar int `json:"next_start_char,omitempty"`

	text               string // from startChar of line first up to line last
	first, last, total int    // line numbers
	startChar          int
}

// linesOf returns the lines of text that w selects.
func linesOf(text string, w window) (shownLines, error) {
	start, last := max(w.startLine, w.first, 1), cmp.Or(w.last, math.MaxInt)
	count := last - start + 1
	if w.maxLines > 0 {
		count = min(count, w.maxLines)
	}
	pastTheEnd := func(last int) (shownLines, error) {
		return shownLines{}, output.Invalid("start_line %d is past the end: the last line is %d", start, last)
	}
	if count < 1 {
		return pastTheEnd(last)
	}
	lines := markdown.Window(text, start, count)
	if lines.Count == 0 && start > 1 {
		return pastTheEnd(lines.Total)
	}
	p := shownLines{text: lines.Text, first: start, last: start + lines.Count - 1, total: lines.Total, startChar: max(1, w.startChar)}
	if p.last < p.total {
		p.text = strings.TrimSuffix(p.text, "\n")
	}
	line, _, _ := strings.Cut(p.text, "\n")
	rest, err := fromChar(line, w.startChar, "line %d", start)
	if err != nil {
		return shownLines{}, err
	}
	p.text = p.text[len(line)-len(rest):]
	if p.first > 1 || p.startChar > 1 || p.last < p.total {
		p.StartLine, p.TotalLines = p.first, p.total
	}
	if p.last < min(last, p.total) {
		p.NextStartLine = p.last + 1
	}
	return p, nil
}

// cuts returns the way to shorten content, the text of an answer. The text ends
// at the end of a line unless even the first line is too long.
func (p *shownLines) cuts(content *string) []output.Cut {
	return []output.Cut{{Units: utf8.RuneCountInString(p.text), Least: 1, Keep: func(n int) {
		end := text.Offset(p.text, n)
		if end == len(p.text) {
			return
		}
		p.StartLine, p.TotalLines = p.first, p.total
		if line := strings.LastIndexByte(p.text[:end], '\n'); line >= 0 {
			end = line
			p.NextStartLine = p.first + strings.Count(p.text[:end], "\n") + 1
		} else {
			p.NextStartLine, p.NextStartChar = p.first, p.startChar+n
		}
		*content = p.text[:end]
	}}}
}

func (p shownLines) write(t *output.Text) {
	last := p.last
	if p.NextStartLine > 0 {
		last = p.NextStartLine - 1
	}
	switch {
	case p.TotalLines == 0:
		return
	case p.NextStartChar > 0:
		t.Printf("Part of line %d of %d. Go on with start_line %d and start_char %d.", p.StartLine, p.TotalLines, p.NextStartLine, p.NextStartChar)
	case p.NextStartLine > 0:
		t.Printf("Lines %d–%d of %d. Go on with start_line %d.", p.StartLine, last, p.TotalLines, p.NextStartLine)
	default:
		t.Printf("Lines %d–%d of %d.", p.StartLine, last, p.TotalLines)
	}
	t.Blank()
}

// reading is what an answer with a document's text contains besides the text.
type reading struct {
	state
	shownLines
}

// readPart returns the part of text that w selects. text is the document's body
// or derived from it.
func readPart(document outline.Document, text string, w window) (string, reading, error) {
	lines, err := linesOf(text, w)
	return lines.text, reading{stateOf(document.DocumentSummary), lines}, err
}

// write writes the document's state, the lines shown, and the text.
func (r reading) write(t *output.Text, text string) {
	r.state.write(t)
	r.shownLines.write(t)
	t.Blank()
	if text == "" {
		text = "(no text)"
	}
	t.Block(text)
}

// fromChar returns s from the code point number start on. If start is past the
// end, the error names what was read.
func fromChar(s string, start int, what string, args ...any) (string, error) {
	skipped := text.Offset(s, start-1)
	if start > 1 && skipped == len(s) {
		return "", output.Invalid("start_char %d is past the end of %s, which has %d characters",
			start, fmt.Sprintf(what, args...), utf8.RuneCountInString(s))
	}
	return s[skipped:], nil
}

// headOf returns at most the first n code points of s, and at least one. It
// ends after a line break if there is one.
func headOf(s string, n int) string {
	end := text.Offset(s, max(n, 1))
	if end == len(s) {
		return s
	}
	if line := strings.LastIndexByte(s[:end], '\n'); line >= 0 {
		return s[:line+1]
	}
	return s[:end]
}
