package prosemirror

import (
	"slices"
	"strings"
)

// inline writes the inline content of a block: marks are opened and closed
// around the nodes, in an order that keeps as many open as possible.
func (s *serializer) inline(parent *Node) {
	if len(parent.Content) == 1 && s.recorder == nil {
		if child := parent.Content[0]; len(child.Marks) == 0 {
			s.inlineNode(child)
			return
		}
	}
	w := inlineWriter{s: s, parent: parent, at: boundary{start: -1}}
	for i, child := range parent.Content {
		w.node(child, i)
	}
	w.end()
}

// An inlineWriter writes the inline content of one block.
type inlineWriter struct {
	s      *serializer
	parent *Node
	active []Mark // open marks, outermost first
	opened []int  // the index of the node at which each was opened
	// Blanks cut from the end of marked text, which may not stand before a
	// closing sign.
	trailing string

	at boundary // before the next node
}

func (w *inlineWriter) node(n *Node, index int) {
	marks := n.Marks
	leading, blank := w.trailing, ""
	w.at.text, w.trailing = w.trailing, ""
	if n.IsText() && slices.ContainsFunc(marks, isMixable) {
		lead, inner, trail := enclosingBlanks(n.Text)
		leading, blank = leading+lead, lead
		w.trailing = trail
		if lead != "" || trail != "" {
			if inner == "" {
				// Blanks stay within the marks around them.
				keep := len(w.active)
				if keep > 0 && w.active[keep-1].Type == Code {
					keep--
				}
				w.close(keep, index)
				if leading != "" {
					w.put(leading, true)
				}
				w.passed(blank, index)
				return
			}
			n = n.withText(inner)
		}
	}
	open := len(marks)
	code := open > 0 && marks[open-1].Type == Code
	if code {
		open--
	}
	marks = w.reorder(marks, open)
	keep := 0
	for keep < min(len(w.active), open) && marks[keep].Is(w.active[keep]) {
		keep++
	}
	w.close(keep, index)
	if leading != "" {
		w.put(leading, true)
	}
	for len(w.active) < open {
		mark := marks[len(w.active)]
		w.put(w.sign(mark, true, index), false)
		w.active = append(w.active, mark)
		w.opened = append(w.opened, index)
	}
	w.passed(blank, index)
	if !code || !n.IsText() {
		w.plain(n, index)
		return
	}
	text := n.Text
	if w.s.inTable {
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	ticks := w.parent.Content[index]
	w.s.text(codeSign(ticks, true)+text+codeSign(ticks, false), false)
}

func (w *inlineWriter) end() {
	w.at.text = w.trailing
	w.close(0, len(w.parent.Content))
	if w.trailing != "" {
		w.put(w.trailing, true)
	}
	w.passed("", len(w.parent.Content))
}

// close closes the innermost marks until keep are open. The next node is at
// index.
func (w *inlineWriter) close(keep, index int) {
	for len(w.active) > keep {
		last := len(w.active) - 1
		w.put(w.sign(w.active[last], false, index), false)
		w.active, w.opened = w.active[:last], w.opened[:last]
	}
}

// reorder moves marks that are already open to the front, if their order is
// free. Only the first open marks count; that a code mark after them can come
// to the front is a bug in Outline.
func (w *inlineWriter) reorder(marks []Mark, open int) []Mark {
	if open == 0 || len(w.active) == 0 {
		return marks
	}
	for i := 0; i < open && isMixable(marks[i]); i++ {
		mark := marks[i]
		j := slices.IndexFunc(w.active, func(m Mark) bool { return !isMixable(m) || mark.Is(m) })
		if j < 0 || !mark.Is(w.active[j]) {
			continue
		}
		if i > j {
			marks = slices.Concat(marks[:j], []Mark{mark}, marks[j:i], marks[i+1:open])
		} else if j > i {
			rest := marks[min(j, open):open]
			marks = slices.Concat(marks[:i], marks[i+1:max(i+1, min(j, len(marks)))], []Mark{mark}, rest)
		}
	}
	return marks
}

// inlineNode writes a node without its marks.
func (s *serializer) inlineNode(n *Node) {
	switch n.Type {
	case Text:
		s.text(n.Text, true)
	case Break:
		switch {
		case s.inTable:
			s.write("<br>")
		case s.commonMark:
			s.write("  \n")
		default:
			s.write(`\n`)
		}
	case Image:
		s.write(s.image(n))
	case Emoji:
		if name := n.Attrs.String("data-name"); name != "" {
			s.write(":" + name + ":")
		}
	case Mention:
		if s.comment {
			s.commentMention(n)
			return
		}
		s.write(mentionMarkdown(n, s.dialect))
	case MathInline:
		s.write("$")
		s.text(n.TextContent(), false)
		s.write("$")
	default:
		if s.comment {
			s.inline(n)
		}
	}
}

func mentionMarkdown(n *Node, dialect Dialect) string {
	label, model := mentionLabel(n), scriptString(n, "modelId")
	if dialect == Until192 {
		label = scriptString(n, "label")
	}
	switch n.Attrs.String("type") {
	case "document":
		if anchor := n.Attrs.String("anchorId"); anchor != "" {
			model += "#" + anchor
		}
		return "[" + label + "](/doc/" + model + ")"
	case "collection":
		return "[" + label + "](/collection/" + model + ")"
	}
	return "@[" + label + "](mention://" + scriptString(n, "id") + "/" + scriptString(n, "type") + "/" + model + ")"
}

func (s *serializer) image(n *Node) string {
	out := " !["
	if s.inList {
		out = "!["
	}
	alt := strings.Replace(n.Attrs.String("alt"), "\n", "", 1)
	out += escapeMarkdown(alt, false, s.inTable) + "](" + escapeMarkdown(n.Attrs.String("src"), false, s.inTable)
	var title []string
	if source := n.Attrs.String("source"); source != "" && s.dialect != Until192 {
		title = append(title, "source="+source)
	}
	if layout := n.Attrs.String("layoutClass"); layout != "" {
		title = append(title, layout)
	} else if text := n.Attrs.String("title"); text != "" {
		title = append(title, text)
	}
	size := ""
	if width, height := sizeString(n, "width"), sizeString(n, "height"); width != "" || height != "" {
		size = " =" + width + "x" + height
	}
	if len(title) > 0 || size != "" {
		out += ` "` + escapeMarkdown(strings.Join(title, " "), false, s.inTable) + size + `"`
	}
	return out + ")"
}

// sizeString is a width or height, "" when it is missing or 0.
func sizeString(n *Node, name string) string {
	switch s := scriptString(n, name); s {
	case "undefined", "null", "0":
		return ""
	default:
		return s
	}
}

// escapeMarkdown escapes what would be read as Markdown in a line of text. It
// does not escape _ = $ < & and brackets that do not begin an inline link.
func escapeMarkdown(s string, lineStart, inTable bool) string {
	brackets := -1 // up to where a [ is escaped
	if strings.IndexByte(s, '[') >= 0 {
		brackets = strings.LastIndex(s, "](")
	}
	extra := 0
	for i := range len(s) {
		if needsEscape(s[i], i, brackets, inTable) {
			extra++
		}
	}
	digits := 0
	if lineStart && s != "" {
		switch s[0] {
		case ':', '#', '-', '+':
			extra++
			digits = -1
		default:
			for digits < len(s) && isDigit(s[digits]) {
				digits++
			}
			if digits == len(s) || s[digits] != '.' {
				digits = 0
			} else if digits > 0 {
				extra++
			}
		}
	}
	if extra == 0 {
		return s
	}
	var out strings.Builder
	out.Grow(len(s) + extra)
	for i := range len(s) {
		if needsEscape(s[i], i, brackets, inTable) || digits < 0 && i == 0 || digits > 0 && i == digits {
			out.WriteByte('\\')
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func needsEscape(c byte, at, brackets int, inTable bool) bool {
	switch c {
	case '`', '*', '\\', '~':
		return true
	case '[':
		return at < brackets
	case '|':
		return inTable
	}
	return false
}
