package outline

import (
	"bytes"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// markdownWriter writes blocks as Markdown, each line once.
type markdownWriter struct {
	out    []byte
	line   int    // where in out the line begins, behind its prefix
	prefix []byte // of every line: the quotes and lists around it
	open   bool   // the line is begun, as by the marker of an item, and waits for its first block
	cell   bool   // in a table
	single bool   // in a block of one line
}

// blocks writes blocks one below the other, in an item of a list as close as
// they may stand. The first one goes on the line that is begun.
func (w *markdownWriter) blocks(blocks []block, inItem bool) {
	first := w.open || len(w.out) == 0
	marker := byte(0) // of the list before
	for i, b := range blocks {
		if i > 0 || !first {
			// Below the text of an item a list follows at once, unless the text
			// would take it for its own: only one that begins with 1 cannot be.
			tight := inItem && i > 0 && b.kind == listBlock && blocks[i-1].kind == paragraphBlock && (!b.ordered || b.items[0].number == 1)
			if !tight {
				w.newLine()
			}
			w.newLine()
		}
		if b.kind == listBlock {
			marker = w.list(b, marker)
			continue
		}
		marker = 0
		w.block(b)
	}
}

// newLine ends a line and begins the next one. An empty one keeps no white
// space.
func (w *markdownWriter) newLine() {
	if len(w.out) == w.line {
		w.out = bytes.TrimRight(w.out, " ")
	}
	w.out = append(append(w.out, '\n'), w.prefix...)
	w.line = len(w.out)
	w.open = false
}

// within writes what stands behind another prefix.
func (w *markdownWriter) within(prefix string, write func()) {
	length := len(w.prefix)
	w.prefix = append(w.prefix, prefix...)
	write()
	w.prefix = w.prefix[:length]
}

func (w *markdownWriter) block(b block) {
	onMarker := w.open
	w.open = false
	switch b.kind {
	case paragraphBlock:
		w.spans(b.spans)
	case headingBlock:
		w.heading(b)
	case codeBlock:
		w.code(b)
	case ruleBlock:
		if onMarker {
			w.out = append(w.out, "___"...) // "- ---" is one rule
		} else {
			w.out = append(w.out, "---"...)
		}
	case quoteBlock:
		w.out = append(w.out, "> "...)
		w.within("> ", func() {
			w.open = true
			w.blocks(b.children, false)
		})
	case tableBlock:
		w.table(b.rows)
	}
}

func (w *markdownWriter) heading(b block) {
	w.out = append(append(w.out, strings.Repeat("#", b.level)...), ' ')
	start := len(w.out)
	w.single = true
	w.spans(b.spans)
	w.single = false
	// Number signs at the end of the line would not be read as text.
	end := bytes.TrimRight(w.out[start:], "#")
	if n := start + len(end); n < len(w.out) && (len(end) == 0 || end[len(end)-1] == ' ' || end[len(end)-1] == '\t') {
		w.out = append(w.out[:n], append([]byte{'\\'}, w.out[n:]...)...)
	}
}

func (w *markdownWriter) code(b block) {
	text := cleaner.Replace(b.code)
	fence := strings.Repeat("`", max(3, longestRun([]byte(text), '`')+1))
	w.out = append(append(w.out, fence...), b.language...)
	for line := range strings.SplitSeq(text, "\n") {
		w.newLine()
		w.out = append(w.out, line...)
	}
	w.newLine()
	w.out = append(w.out, fence...)
}

// list writes a list with another marker than that of a list right before it,
// of which it would be a part otherwise. It returns its marker.
func (w *markdownWriter) list(b block, before byte) byte {
	marker := byte('-')
	if b.ordered {
		marker = '.'
	}
	// On the line of another item "- - -" would be a rule.
	onMarker := w.open && bytes.HasSuffix(w.out, []byte("- "))
	if marker == before || onMarker && !b.ordered {
		marker = map[byte]byte{'-': '*', '.': ')'}[marker]
	}
	for i, it := range b.items {
		if i > 0 {
			w.newLine()
		}
		lead := string(marker) + " "
		if b.ordered {
			lead = strconv.Itoa(it.number) + lead
		}
		w.out = append(w.out, lead...)
		w.within(strings.Repeat(" ", len(lead)), func() { w.item(it) })
	}
	return marker
}

func (w *markdownWriter) item(it item) {
	w.open = true
	if it.task != "" {
		w.out = append(w.out, it.task...)
		if it.children[0].kind == paragraphBlock {
			w.out = append(w.out, ' ')
		} else {
			w.open = false // only text can follow on the line
		}
	}
	w.blocks(it.children, true)
}

// table writes a table as GitHub's (https://github.github.com/gfm/#tables-extension-):
// its first row is the header, which is as wide as the widest row.
func (w *markdownWriter) table(rows [][][]span) {
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	w.cell, w.single = true, true
	for i, row := range rows {
		if i > 0 {
			w.newLine()
		}
		columns := len(row)
		if i == 0 {
			columns = width
		}
		w.out = append(w.out, '|')
		for n := range columns {
			w.out = append(w.out, ' ')
			if n < len(row) {
				w.spans(row[n])
			}
			w.out = append(w.out, " |"...)
		}
		if i == 0 {
			w.newLine()
			w.out = append(append(w.out, '|'), strings.Repeat(" --- |", width)...)
		}
	}
	w.cell, w.single = false, false
}

// spans writes a line, or several with breaks between them.
//
// Markup counts only next to a character that is no white space: what is white
// at the ends of a span stands outside its marks, and at the ends of a line it
// is left out.
func (w *markdownWriter) spans(spans []span) {
	line := lineWriter{markdownWriter: w, lineStart: !w.single}
	struck := slices.ContainsFunc(spans, func(s span) bool { return s.marks&strikethrough != 0 })
	for _, s := range spans {
		switch s.kind {
		case breakSpan:
			line.space, line.breaks = line.space[:0], line.breaks+1
			continue
		case rawSpan:
			line.turn(s)
			w.out = append(w.out, s.text...)
			line.lineStart = false
			continue
		}
		core := bytes.TrimLeftFunc(s.text, unicode.IsSpace)
		if len(core) == 0 {
			line.leave(s)
		}
		line.white(s.text[:len(s.text)-len(core)])
		if len(core) == 0 {
			continue
		}
		trimmed := bytes.TrimRightFunc(core, unicode.IsSpace)
		at := around{first: !line.begun, cell: w.cell, struck: struck}
		line.turn(s)
		if s.kind == codeSpan {
			w.out = code(w.out, trimmed, w.cell)
		} else {
			at.first = at.first && line.active == 0
			at.lineStart, at.link = line.lineStart, line.href != ""
			w.out = escape(w.out, trimmed, at)
		}
		line.lineStart = false
		line.white(core[len(trimmed):])
	}
	line.close(0)
}

// lineWriter keeps track of the marks that are open in a line.
type lineWriter struct {
	*markdownWriter
	stack     []marks // open marks, the outermost first
	active    marks   // the same as a set
	href      string  // of the open link
	space     []byte  // white space that is not written yet
	breaks    int     // line breaks that are not written yet
	begun     bool    // something was written
	lineStart bool    // nothing is written on this line
}

func (l *lineWriter) white(space []byte) {
	if l.begun && l.breaks == 0 {
		l.space = append(l.space, space...)
	}
}

// leave closes the marks that a span is not in.
func (l *lineWriter) leave(s span) {
	keep := s.marks
	if s.href == l.href {
		keep |= inLink
	}
	l.close(keep)
}

// turn closes the marks that a span is not in, writes the white space before
// it and opens those that it is in.
func (l *lineWriter) turn(s span) {
	l.leave(s)
	l.gap()
	wanted := s.marks
	if s.href != "" {
		wanted |= inLink
	}
	for missing := wanted &^ l.active; missing != 0; {
		next := marks(1) << (bits.Len8(uint8(missing)) - 1)
		l.openMark(next, s.href)
		missing &^= next
	}
	l.begun = true
}

// close closes marks from the innermost one on until all that are open are
// among those to keep.
func (l *lineWriter) close(keep marks) {
	for l.active&^keep != 0 {
		last := len(l.stack) - 1
		m := l.stack[last]
		l.stack = l.stack[:last]
		l.active &^= m
		if m == inLink {
			l.out = append(append(append(l.out, "]("...), destination(l.href)...), ')')
			l.href = ""
			continue
		}
		l.out = append(l.out, delimiters[m]...)
	}
}

func (l *lineWriter) openMark(m marks, href string) {
	l.stack, l.active = append(l.stack, m), l.active|m
	l.lineStart = false
	if m != inLink {
		l.out = append(l.out, delimiters[m]...)
		return
	}
	l.href = href
	if n := len(l.out); n > 0 && l.out[n-1] == '!' {
		l.out = append(l.out[:n-1], `\!`...) // else the link would be an image
	}
	l.out = append(l.out, '[')
}

var delimiters = map[marks]string{strong: "**", emphasis: "*", strikethrough: "~~", underline: "__", highlight: "=="}

// gap writes the white space and the breaks before a span.
func (l *lineWriter) gap() {
	switch {
	case !l.begun:
	case l.breaks == 0:
		l.out = append(l.out, l.space...)
	case l.cell:
		l.out = append(l.out, strings.Repeat("<br>", l.breaks)...)
	case l.single:
		l.out = append(l.out, ' ')
	default:
		// Two spaces end a line with a break. They cannot on an empty line,
		// which would end the paragraph: there it is a backslash.
		l.out = append(l.out, "  "...)
		for n := range l.breaks {
			if n > 0 {
				l.out = append(l.out, '\\')
			}
			l.newLine()
		}
		l.lineStart = true
	}
	l.space, l.breaks = l.space[:0], 0
}
