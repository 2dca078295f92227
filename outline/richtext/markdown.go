package richtext

import (
	"bytes"
	"strconv"
	"strings"
)

// markdownWriter writes blocks as Markdown, each line once.
type markdownWriter struct {
	out    []byte
	line   int    // offset in out of the start of the line, after its prefix
	prefix []byte // of every line: the quotes and lists around it
	open   bool   // the line has been started, as by the marker of an item, and its first block is still to come
	cell   bool   // in a table
	single bool   // in a block of one line
}

// blocks writes blocks one after the other, and in an item of a list as close
// together as possible. The first block continues the line that has been
// started.
func (w *markdownWriter) blocks(blocks []block, inItem bool) {
	first := w.open || len(w.out) == 0
	marker := byte(0) // of the previous list
	for i, b := range blocks {
		if i > 0 || !first {
			// A list follows the text of an item at once, unless it would be read
			// as part of the text: only a list that begins with 1 cannot be.
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

// newLine ends a line and begins the next one. An empty line has no white
// space.
func (w *markdownWriter) newLine() {
	if len(w.out) == w.line {
		w.out = bytes.TrimRight(w.out, " ")
	}
	w.out = append(append(w.out, '\n'), w.prefix...)
	w.line = len(w.out)
	w.open = false
}

// within writes content with an additional prefix on its lines.
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

// list writes a list with a different marker from that of a list right before
// it, because it would otherwise be a part of that list. It returns its marker.
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

func (w *markdownWriter) item(it listItem) {
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
