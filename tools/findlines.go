package tools

import (
	"strings"
	"unicode/utf8"

	"outline-mcp/internal/grep"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// documentPage makes matches of a document. What it needs for that, it makes once.
type documentPage struct {
	document     outline.Document
	contextLines int

	lines    []string
	sections []prosemirror.Section
	read     bool
}

// longestLine is the maximum length of a line in an answer, in code points.
// A longer one is shortened to the part around the match.
const longestLine = 240

func (p *documentPage) match(m grep.Match) documentMatch {
	match := documentMatch{documentName: nameOf(p.document.DocumentSummary), Line: m.Line, Column: m.Column, Text: plainLine(around(m))}
	if m.Line == 0 {
		return match
	}
	if !p.read {
		p.sections, p.read = prosemirror.Sections(p.document.Text), true
		if p.contextLines > 0 {
			p.lines = strings.Split(strings.TrimSuffix(p.document.Text, "\n"), "\n")
		}
	}
	for _, s := range p.sections {
		if s.FirstLine > m.Line {
			break
		}
		if s.Heading != "" {
			match.Heading = output.Excerpt(s.Heading, longestTitle)
		}
	}
	if p.contextLines > 0 {
		match.Before = contextOf(p.lines[max(0, m.Line-1-p.contextLines) : m.Line-1])
		match.After = contextOf(p.lines[min(m.Line, len(p.lines)):min(m.Line+p.contextLines, len(p.lines))])
	}
	return match
}

// contextOf returns lines beside a match.
func contextOf(lines []string) []string {
	var shown []string
	for _, line := range lines {
		shown = append(shown, plainLine(text.Truncate(strings.TrimSuffix(line, "\r"), longestLine)))
	}
	return shown
}

// around returns the line of a match, or the part around it.
func around(m grep.Match) string {
	if utf8.RuneCountInString(m.Text) <= longestLine {
		return m.Text
	}
	const before = longestLine / 3
	start := m.Start
	for n := 0; n < before && start > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(m.Text[:start])
		start -= size
	}
	shown := text.Truncate(m.Text[start:], longestLine)
	if start > 0 {
		shown = output.Ellipsis + shown
	}
	return shown
}

// plainLine returns a copy of a line without control characters, except for tabs. A
// part of a document would keep all of it in memory.
func plainLine(line string) string {
	cells := strings.Split(line, "\t")
	for i, cell := range cells {
		cells[i] = output.Label(cell)
	}
	return strings.Clone(strings.Join(cells, "\t"))
}
