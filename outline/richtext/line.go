package richtext

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// spans writes a line, or several with breaks between them.
//
// Markup counts only next to a character that is not white space. So white
// space at the ends of a span is written outside its marks, and white space at
// the ends of a line is left out.
func (w *markdownWriter) spans(spans []span) {
	line := lineWriter{markdownWriter: w, lineStart: !w.single}
	struck := slices.ContainsFunc(spans, func(s span) bool { return s.marks&strikethroughMark != 0 })
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
			line.white(s.text)
			continue
		}
		line.white(s.text[:len(s.text)-len(core)])
		trimmed := bytes.TrimRightFunc(core, unicode.IsSpace)
		at := around{first: !line.begun, cell: w.cell, struck: struck}
		line.turn(s)
		if s.kind == codeSpan {
			w.out = inlineCode(w.out, trimmed, w.cell)
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
	space     []byte  // white space that has not been written yet
	breaks    int     // line breaks that have not been written yet
	begun     bool    // something has been written
	lineStart bool    // nothing has been written on this line
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
		keep |= linkMark
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
		wanted |= linkMark
	}
	for missing := wanted &^ l.active; missing != 0; {
		next := marks(1) << (bits.Len8(uint8(missing)) - 1)
		l.openMark(next, s.href)
		missing &^= next
	}
	l.begun = true
}

// close closes marks from the innermost one until all open marks are among
// those to keep.
func (l *lineWriter) close(keep marks) {
	for l.active&^keep != 0 {
		last := len(l.stack) - 1
		m := l.stack[last]
		l.stack = l.stack[:last]
		l.active &^= m
		if m == linkMark {
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
	if m != linkMark {
		l.out = append(l.out, delimiters[m]...)
		return
	}
	l.href = href
	if n := len(l.out); n > 0 && l.out[n-1] == '!' {
		l.out = append(l.out[:n-1], `\!`...) // else the link would be an image
	}
	l.out = append(l.out, '[')
}

var delimiters = map[marks]string{strongMark: "**", emphasisMark: "*", strikethroughMark: "~~", underlineMark: "__", highlightMark: "=="}

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
		// Two spaces at the end of a line make a break. On an empty line they
		// would end the paragraph, so there it is a backslash.
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
