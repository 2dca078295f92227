package edit

import (
	"fmt"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// Outline shows an empty paragraph as an additional blank line, and writes a line with
// a backslash in its raw form. Of several in a row, it shows some with the backslash.
// In the text of an edit, a blank line is one if it was one before the edit, and a line
// with a backslash always is.

// wholeGaps widens a change of the shown text that begins or ends among the blank lines
// of empty paragraphs to all of these lines.
func (s *Source) wholeGaps(t rawEdit) rawEdit {
	text := s.Markdown.Text
	removed := text[t.start:t.end]
	start, end := t.start, t.end
	if beginsGap(t.text) || beginsGap(removed) {
		start = gapStart(text, start)
	}
	if endsGap(t.text) || endsGap(removed) {
		end = gapEnd(text, end)
	}
	whole := t.widen(text, start, end)
	if at := s.Markdown.RawRange(start, end); s.Markdown.Raw[at.Start:at.End] == text[start:end] && !strings.Contains("\n"+whole.text+"\n", "\n\\\n") {
		return t
	}
	return whole
}

func beginsGap(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return text != "" && (line == "" || line == `\`)
}

func endsGap(text string) bool {
	line := text[strings.LastIndexByte(text, '\n')+1:]
	return text != "" && (line == "" || line == `\`)
}

// gapStart returns where the line ends and backslash lines before an offset begin.
func gapStart(text string, at int) int {
	for at > 0 && (text[at-1] == '\n' || text[at-1] == '\\' && (at == 1 || text[at-2] == '\n') && (at == len(text) || text[at] == '\n')) {
		at--
	}
	return at
}

// gapEnd returns where those behind an offset end.
func gapEnd(text string, at int) int {
	for at < len(text) && (text[at] == '\n' || text[at] == '\\' && (at == 0 || text[at-1] == '\n') && (at+1 == len(text) || text[at+1] == '\n')) {
		at++
	}
	return at
}

// withGaps returns the new text of a change of the shown text as raw Markdown, in which
// a blank line follows the backslash of each empty paragraph: otherwise the next line
// would go on with it.
func (s *Source) withGaps(t rawEdit, raw string) string {
	shown := s.Markdown.Text[t.start:t.end]
	if shown == raw && !strings.Contains(t.text, `\`) {
		return t.text
	}
	was, wasRaw, now := strings.Split(shown, "\n"), strings.Split(raw, "\n"), strings.Split(t.text, "\n")
	stays := map[int]bool{} // the lines that were an empty paragraph before
	if len(was) == len(wasRaw) {
		for _, pair := range common(gapKeys(was), gapKeys(now)) {
			if prefix, ok := gapPrefix(wasRaw[pair[0]]); ok && prefix == "" {
				stays[pair[1]] = true
			}
		}
	}
	before, behind := s.Markdown.Text[:t.start], s.Markdown.Text[t.end:]
	blank := before == "" || strings.HasSuffix(before, "\n\n") // the line before
	fenced := s.inCode(t)
	for i, line := range now {
		fenced = fenced != isFence(line)
		prefix, gap := gapPrefix(line)
		gap = gap && blank && !fenced && (i < len(now)-1 || behind == "" || behind[0] == '\n')
		blank = isBlank(line) && (i > 0 || before == "" || strings.HasSuffix(before, "\n"))
		if gap || stays[i] {
			now[i] = prefix + "\\\n" + strings.TrimRight(prefix, " ")
		}
	}
	return strings.Join(now, "\n")
}

// gapPrefix returns what precedes the backslash of a line with an empty paragraph.
func gapPrefix(line string) (prefix string, ok bool) {
	prefix, ok = strings.CutSuffix(line, `\`)
	return prefix, ok && strings.Trim(prefix, "> ") == ""
}

// gapKeys tells the lines of a run of empty lines by their place in it.
func gapKeys(lines []string) []string {
	keys := make([]string, len(lines))
	run := 0
	for i, line := range lines {
		if _, gap := gapPrefix(line); line != "" && !gap {
			run, keys[i] = 0, line
			continue
		}
		keys[i] = fmt.Sprint("\n", run, line)
		run++
	}
	return keys
}

// inCode reports whether a change of the shown text begins in a code or math block.
func (s *Source) inCode(t rawEdit) bool {
	at := s.Markdown.RawOffset(t.start)
	block, _ := rawEdit{at, at + 1, ""}.blocks(s.Markdown.Blocks)
	switch s.Doc.Content[block].Type {
	case prosemirror.CodeBlock, prosemirror.CodeFence, prosemirror.MathBlock:
		return true
	}
	return false
}
