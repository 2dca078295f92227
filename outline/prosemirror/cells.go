package prosemirror

import "strings"

// rewriteCells turns what stands for a break into one, in all text: \n
// everywhere, <br> in text alone. It makes checkboxes and fenced blocks of
// table cells that hold them.
func rewriteCells(list []token, references map[string]reference, depth int) []token {
	var out []token
	for i := 0; i < len(list); i++ {
		if list[i].kind == inlineToken {
			list[i].children = splitBreaks(list[i].content, list[i].children)
		}
		if out != nil {
			out = append(out, list[i])
		}
		if kind := list[i].kind; kind != headerOpen && kind != cellOpen {
			continue
		}
		// A cell holds one paragraph.
		if blocks := cellBlocks(list[i+2].content, references, depth); blocks != nil {
			if out == nil {
				out = append(make([]token, 0, len(list)+len(blocks)), list[:i+1]...)
			}
			out = append(out, blocks...)
			i += 3
		}
	}
	if out == nil {
		return list
	}
	return out
}

// splitBreaks splits the tokens of a text at its breaks. The source of the
// text decides whether there are any.
func splitBreaks(content string, children []token) []token {
	if !hasBreak(content) && !hasBreakTag(content) {
		return children
	}
	out := make([]token, 0, len(children)+4)
	for _, child := range children {
		if child.kind == codeInlineToken || child.kind == mathInlineToken || child.content == "" {
			out = append(out, child)
			continue
		}
		text := replaceBreakTags(child.content, `\n`)
		if !hasBreak(text) {
			out = append(out, child)
			continue
		}
		for n, part := range breakParts(text) {
			if n > 0 {
				out = append(out, token{kind: breakToken})
			}
			out = append(out, token{kind: textToken, content: trimSpace(part)})
		}
	}
	return out
}

// hasBreak reports \n not behind another backslash.
func hasBreak(s string) bool {
	at := findBreak(s, 0)
	return at >= 0
}

func findBreak(s string, from int) int {
	for {
		at := strings.Index(s[from:], `\n`)
		if at < 0 {
			return -1
		}
		at += from
		if at == 0 || s[at-1] != '\\' {
			return at
		}
		from = at + 2
	}
}

func breakParts(s string) []string {
	var parts []string
	start := 0
	for {
		at := findBreak(s, start)
		if at < 0 {
			return append(parts, s[start:])
		}
		parts = append(parts, s[start:at])
		start = at + 2
	}
}

// breakTag returns the length of a <br> tag at the start of s, 0 without one.
func breakTag(s string) int {
	if len(s) < 4 || s[0] != '<' || s[1]|0x20 != 'b' || s[2]|0x20 != 'r' {
		return 0
	}
	rest := strings.TrimLeftFunc(s[3:], isSpaceRune)
	rest = strings.TrimPrefix(rest, "/")
	if rest == "" || rest[0] != '>' {
		return 0
	}
	return len(s) - len(rest) + 1
}

func hasBreakTag(s string) bool {
	for i := strings.IndexByte(s, '<'); i >= 0; {
		if breakTag(s[i:]) > 0 {
			return true
		}
		next := strings.IndexByte(s[i+1:], '<')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

func replaceBreakTags(s, by string) string {
	if !hasBreakTag(s) {
		return s
	}
	return strings.Join(splitBreakTags(s), by)
}

func splitBreakTags(s string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s); {
		if n := breakTag(s[i:]); n > 0 {
			parts = append(parts, s[start:i])
			i += n
			start = i
			continue
		}
		i++
	}
	return append(parts, s[start:])
}

// cellBlocks returns the blocks that a cell holds in place of text, nil when
// it holds text.
func cellBlocks(content string, references map[string]reference, depth int) []token {
	if blocks := fencedCell(content, references, depth); blocks != nil {
		return blocks
	}
	if strings.IndexByte(content, '[') < 0 {
		return nil
	}
	var out []token
	for _, part := range splitBreakTags(content) {
		label, done, ok := cellCheckbox(trimSpace(part))
		if !ok {
			continue
		}
		item := token{kind: checkboxItemOpen}
		if done {
			item.flag = checked
		}
		out = append(out, item, token{kind: paragraphOpen},
			token{kind: inlineToken, content: label, children: []token{{kind: textToken, content: label}}},
			token{kind: paragraphClose}, token{kind: checkboxItemClose})
	}
	if out == nil {
		return nil
	}
	return append(append([]token{{kind: checkboxListOpen}}, out...), token{kind: checkboxListClose})
}

// cellCheckbox reads a checkbox at the start of a line of a cell. The label
// ends at the next tag.
func cellCheckbox(s string) (label string, done, ok bool) {
	if strings.HasPrefix(s, "-") {
		s = strings.TrimLeftFunc(s[1:], isSpaceRune)
	}
	if !strings.HasPrefix(s, "[") {
		return "", false, false
	}
	mark, label, ok := checkboxAt(s[1:])
	if !ok {
		return "", false, false
	}
	if end := strings.IndexAny(label, "<\n"); end >= 0 {
		label = label[:end]
	}
	return label, mark|0x20 == 'x', true
}

// fencedCell parses a cell that holds a callout, a toggle, code or math, whose
// lines Outline joins with <br> because a row is one line.
func fencedCell(content string, references map[string]reference, depth int) []token {
	if depth >= maxCellDepth || !hasBreakTag(content) {
		return nil
	}
	source := replaceBreakTags(content, "\n")
	raw := false
	switch {
	case strings.HasPrefix(source, "```"), strings.HasPrefix(source, "$$"):
		raw = true
	case strings.HasPrefix(source, "+++"):
	case strings.HasPrefix(source, ":::"):
		rest := source[3:]
		if rest == "" || strings.TrimLeftFunc(rest[:runeLength(rest)], isSpaceRune) == "" {
			return nil
		}
	default:
		return nil
	}
	if raw {
		source = cellUnescaper.Replace(source)
	}
	list := tokens(source, references, depth+1)
	if len(list) == 0 {
		return nil
	}
	switch list[0].kind {
	case noticeOpen, toggleOpen, fenceToken, mathBlockToken:
		return list
	}
	return nil
}

var (
	cellUnescaper = strings.NewReplacer(`\\`, `\`, `\|`, `|`)
	cellEscaper   = strings.NewReplacer(`\`, `\\`, `|`, `\|`)
)
