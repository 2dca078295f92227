package edit

import (
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
	// What is inserted before or behind them leaves them as they are.
	within := func(at int) bool { return gapStart(text, at) < at && gapEnd(text, at) > at }
	if beginsGap(removed) || within(start) {
		start = gapStart(text, start)
	}
	if endsGap(removed) || within(end) {
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
// would continue with it. end is where the passage ends.
func (s *Source) withGaps(t rawEdit, raw string, end int) string {
	shown := s.Markdown.Text[t.start:t.end]
	if t.text == "" || shown == raw && !strings.Contains(t.text, `\`) {
		return t.text
	}
	was, wasRaw, now := strings.Split(shown, "\n"), strings.Split(raw, "\n"), strings.Split(t.text, "\n")
	stays := map[int]bool{} // the lines that were an empty paragraph before
	before, behind := s.Markdown.Text[:t.start], s.Markdown.Text[t.end:]
	keys := func(lines []string) []string {
		if lines[0] == "" && strings.HasSuffix(before, "\n\n") {
			return gapKeys(append([]string{""}, lines...), false, behind != "" && behind[0] != '\n')[1:]
		}
		return gapKeys(lines, before != "" && !strings.HasSuffix(before, "\n"), behind != "" && behind[0] != '\n')
	}
	if len(was) == len(wasRaw) {
		for _, pair := range common(keys(was), keys(now)) {
			if prefix, ok := gapPrefix(wasRaw[pair[0]]); ok && prefix == "" {
				stays[pair[1]] = true
			}
		}
	}
	blank := before == "" || strings.HasSuffix(before, "\n\n") || strings.HasSuffix("\n"+before, "\n\\\n") // the line before
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
	// The line behind an empty paragraph begins another block, also without a blank line.
	if last, lastWas := len(now)-2, len(wasRaw)-2; last >= 0 && lastWas >= 0 && end < t.end && wasRaw[lastWas] == `\` && strings.TrimSpace(now[last]) != "" {
		now[last] += "\n"
	}
	return strings.Join(now, "\n")
}

// gapPrefix returns what precedes the backslash of a line with an empty paragraph.
func gapPrefix(line string) (prefix string, ok bool) {
	prefix, ok = strings.CutSuffix(line, `\`)
	return prefix, ok && strings.Trim(prefix, "> ") == ""
}

// gapKeys returns lines so that those with an empty paragraph differ from those that
// separate blocks. The first and the last line may begin or end within a line of text.
func gapKeys(lines []string, begins, ends bool) []string {
	const empty = "\n"
	keys := make([]string, len(lines))
	run := 0 // where the run of empty lines begins
	for i, line := range lines {
		_, gap := gapPrefix(line)
		switch {
		case i == 0 && begins:
			keys[i], run = "start "+line, i+1
		case i == len(lines)-1 && ends:
			keys[i] = "end " + line
		case line != "" && !gap:
			keys[i], run = line, i+1
		case line == "" && i > run && (lines[i-1] == "" || lines[run+1] == ""):
			keys[i] = empty
		default:
			keys[i] = line
		}
	}
	return keys
}

// withStoredGaps returns the new text with the empty lines of the stored passage where
// it has those of the old text, if the old text has another number of them.
func withStoredGaps(old, stored, text string) string {
	was, there, now := gapRuns(old), gapRuns(stored), gapRuns(text)
	if len(was) != len(there) || len(was) != len(now) || len(was) == 0 {
		return text
	}
	var out strings.Builder
	copied := 0
	for i, run := range now {
		if text[run.start:run.end] == old[was[i].start:was[i].end] {
			out.WriteString(text[copied:run.start] + stored[there[i].start:there[i].end])
			copied = run.end
		}
	}
	return out.String() + text[copied:]
}

// checkGaps refuses an edit that changes several empty paragraphs in a row, and has them in
// another form than the passage that it matches: which of them it means is not clear.
func (e Edit) checkGaps(text string, m Match) error {
	stored := text[m.Start:m.End]
	if e.Old == stored {
		return nil
	}
	was, there, now := gapRuns(e.Old), gapRuns(stored), gapRuns(e.New)
	same := len(was) == len(there) && len(was) == len(now)
	for i, run := range now {
		same = same && e.New[run.start:run.end] == e.Old[was[i].start:was[i].end]
	}
	if same {
		return nil
	}
	for _, run := range there {
		start, end := gapStart(text, m.Start+run.start), gapEnd(text, m.Start+run.end)
		if strings.Contains(text[max(0, start-1):end], "\n\\") || start == 0 && strings.HasPrefix(text, `\`) {
			return &RefusedError{
				Reason:  "the passage has several empty paragraphs in a row, and old_text has them in another form",
				Instead: "Copy old_text from the document as it stands, with all blank lines and lines of a backslash.",
			}
		}
	}
	return nil
}

// gapRuns returns the runs of empty lines and lines with a backslash in a text.
func gapRuns(text string) (runs []rawEdit) {
	for at := 0; at < len(text); at++ {
		end := gapEnd(text, at)
		if end > at+1 {
			runs = append(runs, rawEdit{start: at, end: end})
		}
		at = max(at, end)
	}
	return runs
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
