package prosemirror

import (
	"maps"
	"slices"
	"strings"
)

// maxCellDepth bounds the depth of tables within table cells.
const maxCellDepth = 4

// tokens turns Markdown into tokens: blocks, then text, then the passes in
// which Outline rewrites both, in Outline's order.
func tokens(markdown string, references map[string]reference, dialect Dialect, depth int, drops *drops) []token {
	source, letters := numberLetters(markdown)
	p := newBlockParser(normalizeLines(source), references)
	p.drops, p.dialect = drops, dialect
	if depth > 0 {
		p.filled = maxFilledCells // a table within a table costs as much again
	}
	p.parse(0, p.lineMax)
	list := p.tokens
	if len(letters) > 0 {
		written := letters
		if drops != nil {
			written = maps.Clone(letters)
		}
		nameLetters(list, letters)
		if drops != nil {
			drops.letters(list, written, strings.Split(markdown, "\n"))
		}
	}
	return rewrite(list, references, dialect, depth, drops)
}

// rewrite parses the text of blocks and runs Outline's passes.
func rewrite(list []token, references map[string]reference, dialect Dialect, depth int, drops *drops) []token {
	parseInline(list, references, dialect, drops)
	list = rewriteCells(list, references, dialect, depth, drops)
	rewriteCheckboxes(list, drops)
	list = splitEmptyLines(list)
	// Two of Outline's extensions register this pass, so it runs twice.
	if dialect != comment {
		list = linksToFiles(list, drops)
		list = linksToFiles(list, drops)
	}
	for i := range list {
		if list[i].kind == inlineToken {
			list[i].children = linksToMentions(list[i].children, dialect)
			list[i].children = namesToEmoji(list[i].children)
			list[i].children = joinSpecial(list[i].children, list[i].line, drops)
		}
	}
	return list
}

// normalizeLines makes every line end a newline and replaces NUL, as CommonMark
// 2.1 and 2.3 require.
func normalizeLines(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return s
}

// parseInline sets the children of each inline token.
func parseInline(list []token, references map[string]reference, dialect Dialect, drops *drops) {
	p := inlineParser{references: references, dialect: dialect, drops: drops}
	for i := range list {
		if list[i].kind == inlineToken && list[i].content != "" {
			if list[i].children = p.parse(list[i].content); len(list[i].children) > 1<<10 {
				p.tokens = nil // copying them would take as much again
			} else {
				list[i].children = slices.Clone(list[i].children)
			}
		}
	}
}

// rewriteCheckboxes turns list items that contain a checkbox, [ ] or [x], into
// checkbox items.
func rewriteCheckboxes(list []token, drops *drops) {
	for i := len(list) - 1; i >= 3; i-- {
		if list[i].kind != inlineToken || list[i-2].kind != listItemOpen || list[i-1].kind != paragraphOpen || strings.IndexByte(list[i].content, '[') < 0 {
			continue
		}
		box := checkbox.get().FindStringSubmatch(list[i].content)
		if box == nil {
			continue
		}
		if list[i-3].kind == bulletListOpen {
			list[i-3].kind = checkboxListOpen
		}
		if i+3 < len(list) && list[i+3].kind == bulletListClose {
			list[i+3].kind = checkboxListClose
		}
		if children := list[i].children; len(children) > 0 && children[0].kind == textToken {
			// Text before the checkbox is lost.
			text := children[0].content
			if at := checkbox.get().FindStringSubmatchIndex(text); at != nil {
				drops.add(list[i].line, "words before the checkbox of a list item", text[:at[0]]+text[at[1]:])
				children[0].content = text[at[4]:at[5]]
				if children[0].content == "" {
					children[0].flag = undefined
				}
			}
		}
		list[i-2].kind = checkboxItemOpen
		if strings.EqualFold(box[1], "x") {
			list[i-2].flag = checked
		}
		for j := i; j < len(list); j++ {
			if list[j].kind == listItemClose || list[j].kind == checkboxItemClose {
				list[j].kind = checkboxItemClose
				break
			}
		}
	}
	// The other items of such a list become checkbox items. Outline misses the
	// end of a list that ends with a plain item, so this affects later lists.
	var levels []int32
	for i := range list {
		t := &list[i]
		switch {
		case t.kind == checkboxListOpen:
			levels = append(levels, t.level)
		case t.kind == checkboxListClose:
			levels = levels[:max(0, len(levels)-1)]
		case len(levels) > 0 && t.level == levels[len(levels)-1]+1:
			if t.kind == listItemOpen {
				t.kind = checkboxItemOpen
			} else if t.kind == listItemClose {
				t.kind = checkboxItemClose
			}
		}
	}
}

// checkboxSign matches a checkbox and the white space behind it.
const checkboxSign = `\[([xX_-]|` + space + `)\]` + space

// checkbox matches a checkbox with its label, which is the rest of its line.
var checkbox = pattern{expression: checkboxSign + `(` + sameLine + `*)`}

// splitEmptyLines makes paragraphs of lines that contain only a backslash,
// which is how Outline writes empty paragraphs. The block around such a line,
// whatever it was, becomes one paragraph for each and one for the remaining
// text.
func splitEmptyLines(list []token) []token {
	count := 0
	for i := 1; i < len(list); i++ {
		count += emptyLines(list[i].children)
	}
	if count == 0 {
		return list
	}
	out := make([]token, 0, len(list)+3*count)
	for i := 0; i < len(list); i++ {
		empty := 0
		if i+1 < len(list) {
			empty = emptyLines(list[i+1].children)
		}
		if empty == 0 {
			out = append(out, list[i])
			continue
		}
		children := list[i+1].children
		rest := append(make([]token, 0, len(children)-empty+1), token{kind: textToken})
		for _, child := range children {
			if !isEmptyLine(&child) {
				rest = append(rest, child)
			}
		}
		if len(rest) > 1 {
			empty++
		}
		for n := range empty {
			inline := token{kind: inlineToken, line: list[i+1].line}
			if n == empty-1 {
				inline.children = rest
			}
			out = append(out, token{kind: paragraphOpen}, inline, token{kind: paragraphClose})
		}
		i += 2
	}
	return out
}

func emptyLines(children []token) int {
	count := 0
	for i := range children {
		if isEmptyLine(&children[i]) {
			count++
		}
	}
	return count
}

func isEmptyLine(t *token) bool { return t.kind == textToken && t.content == `\` }

// namesToEmoji turns :name: in text into emoji, except in autolinks.
func namesToEmoji(children []token) []token {
	if !slices.ContainsFunc(children, func(t token) bool { return strings.Contains(t.content, ":") }) {
		return children
	}
	var out []token
	inAutolink := false
	for _, t := range children {
		if t.flag == autolinked {
			inAutolink = t.kind == linkOpen
		}
		if t.kind != textToken || inAutolink || t.content == "" {
			out = append(out, t)
			continue
		}
		for start, end := findEmoji(t.content); start >= 0; start, end = findEmoji(t.content) {
			if start > 0 {
				out = append(out, token{kind: textToken, content: t.content[:start]})
			}
			out = append(out, token{kind: emojiToken, content: t.content[start+1 : end-1]})
			t.content = t.content[end:]
		}
		if t.content != "" {
			out = append(out, t)
		}
	}
	return out
}

// joinSpecial turns escapes and entities into text and joins it with its
// neighbors.
func joinSpecial(children []token, line int32, drops *drops) []token {
	special := false
	for i := range children {
		if children[i].kind == specialToken {
			children[i].kind = textToken
			special = true
		}
	}
	for i := range children {
		if children[i].kind == textToken && children[i].flag == undefined &&
			(i > 0 && children[i-1].kind == textToken || i+1 < len(children) && children[i+1].kind == textToken) {
			children[i].content = "undefined"
			drops.add(line, "task that begins with a backslash or an entity, before which it writes the word undefined", joinText(slices.Clone(children))[0].content)
		}
	}
	if !special {
		return children
	}
	return joinText(children)
}
