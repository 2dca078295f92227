package prosemirror

import "strings"

// rewriteCells turns what represents a break into one: \n in all text, <br>
// only in plain text. It turns table cells with checkboxes and fenced blocks
// into these blocks.
func rewriteCells(list []token, references map[string]reference, dialect Dialect, depth int, drops *drops) []token {
	var out []token
	for i := 0; i < len(list); i++ {
		if list[i].kind == inlineToken {
			list[i].children = splitBreaks(&list[i], drops)
		}
		if out != nil {
			out = append(out, list[i])
		}
		if kind := list[i].kind; kind != headerOpen && kind != cellOpen {
			continue
		}
		// A cell holds one paragraph.
		if blocks := cellBlocks(&list[i+2], references, dialect, depth, drops); blocks != nil {
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
func splitBreaks(inline *token, drops *drops) []token {
	content, children := inline.content, inline.children
	if len(breakParts(content)) == 1 && len(splitBreakTags(content)) == 1 {
		return children
	}
	out := make([]token, 0, len(children)+4)
	for _, child := range children {
		if child.kind == codeInlineToken || child.kind == mathInlineToken || child.content == "" {
			out = append(out, child)
			continue
		}
		parts := breakParts(strings.Join(splitBreakTags(child.content), `\n`))
		if len(parts) == 1 {
			out = append(out, child)
			continue
		}
		if child.kind == imageToken {
			drops.add(inline.line, "image with a line break in its alternative text", child.info())
		}
		for n, part := range parts {
			if n > 0 {
				out = append(out, token{kind: breakToken})
			}
			out = append(out, token{kind: textToken, content: trimSpace(part)})
		}
	}
	return out
}

// breakParts splits a text at each \n that does not follow another backslash.
func breakParts(s string) []string {
	var parts []string
	start := 0
	for from := 0; ; {
		at := strings.Index(s[from:], `\n`)
		if at < 0 {
			return append(parts, s[start:])
		}
		at += from
		if at == 0 || s[at-1] != '\\' {
			parts = append(parts, s[start:at])
			start = at + 2
		}
		from = at + 2
	}
}

// breakTags are the line breaks of HTML.
var breakTags = pattern{expression: `<[bB][rR]` + space + `*/?>`}

func splitBreakTags(s string) []string {
	if strings.IndexByte(s, '<') < 0 { // nearly all texts
		return []string{s}
	}
	return breakTags.get().Split(s, -1)
}

// cellBlocks returns the blocks that a cell contains in place of text, or nil
// if it contains text.
func cellBlocks(cell *token, references map[string]reference, dialect Dialect, depth int, drops *drops) []token {
	content := cell.content
	if blocks := fencedCell(cell, references, dialect, depth, drops); blocks != nil {
		return blocks
	}
	if strings.IndexByte(content, '[') < 0 {
		return nil
	}
	var out []token
	var lost []string
	for _, part := range splitBreakTags(content) {
		part = trimSpace(part)
		box := checkboxInCell.get().FindStringSubmatch(part)
		if box == nil {
			lost = append(lost, part)
			continue
		}
		label := box[2]
		lost = append(lost, part[len(box[0]):])
		item := token{kind: checkboxItemOpen}
		if strings.EqualFold(box[1], "x") {
			item.flag = checked
		}
		out = append(out, item, token{kind: paragraphOpen},
			token{kind: inlineToken, content: label, children: []token{{kind: textToken, content: label}}},
			token{kind: paragraphClose}, token{kind: checkboxItemClose})
	}
	if out == nil {
		return nil
	}
	if drops != nil {
		drops.add(cell.line, "words beside the checkboxes of a table cell", strings.Join(lost, " "))
	}
	return append(append([]token{{kind: checkboxListOpen}}, out...), token{kind: checkboxListClose})
}

// checkboxInCell matches a checkbox at the start of a line of a cell. The label ends at the
// next tag; the rest is lost.
var checkboxInCell = pattern{expression: `^(?:-` + space + `*)?` + checkboxSign + `([^<\n]*)`}

// fencedCell parses a cell that contains a callout, a toggle, code or math,
// whose lines Outline joins with <br> because a row is one line.
func fencedCell(cell *token, references map[string]reference, dialect Dialect, depth int, drops *drops) []token {
	lines := splitBreakTags(cell.content)
	if depth >= maxCellDepth || len(lines) == 1 {
		return nil
	}
	source := strings.Join(lines, "\n")
	switch {
	case strings.HasPrefix(source, "```"), strings.HasPrefix(source, "$$"):
		source = cellUnescaper.Replace(source)
	case strings.HasPrefix(source, "+++"):
	case strings.HasPrefix(source, ":::"):
		rest := source[3:]
		if rest == "" || strings.TrimLeftFunc(rest[:runeLength(rest)], isSpaceRune) == "" {
			return nil
		}
	default:
		return nil
	}
	known := drops.mark()
	list := tokens(source, references, dialect, depth+1, drops)
	if len(list) > 0 {
		switch list[0].kind {
		case noticeOpen, toggleOpen, fenceToken, mathBlockToken:
			drops.inCell(known, cell.line, list)
			return list
		}
	}
	drops.reset(known)
	return nil
}

var (
	cellUnescaper = strings.NewReplacer(`\\`, `\`, `\|`, `|`)
	cellEscaper   = strings.NewReplacer(`\`, `\\`, `|`, `\|`)
)
