package files

import (
	"maps"
	"slices"
	"strings"
)

// markdown is the text of a file as it is written.
type markdown struct {
	text   strings.Builder
	list   bool     // the last block is an item of a list
	tables []*table // those that are open, the innermost last
	cells  int
	taken  int  // bytes of text that was read, whether or not it is written yet
	full   bool // a limit is reached: nothing more is written
}

// table is a table that is being read.
type table struct {
	rows [][]cell
	at   int // the column of the next cell
	open []string
}

type cell struct {
	column int
	text   string
}

// table returns the innermost open table, or nil.
func (m *markdown) table() *table {
	if n := len(m.tables); n > 0 {
		return m.tables[n-1]
	}
	return nil
}

func (m *markdown) String() string { return strings.TrimRight(m.text.String(), "\n") + "\n" }

// take counts text that is read: a file can show the same text many times.
func (m *markdown) take(n int) {
	m.taken += n
	m.full = m.full || m.taken > 2*maxText
}

func (m *markdown) write(text string) {
	if m.full = m.full || m.text.Len()+len(text) > maxText; !m.full {
		m.text.WriteString(text)
	}
}

// block writes a paragraph, an item or a heading: what comes before its text decides. In
// a table it is text of the open cell.
func (m *markdown) block(before, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if inner := m.table(); inner != nil {
		inner.open = append(inner.open, text)
		return
	}
	item := strings.HasSuffix(before, "- ") || strings.HasSuffix(before, "1. ")
	if m.text.Len() > 0 && (!item || !m.list) {
		m.write("\n")
	}
	m.list = item
	if item || strings.HasPrefix(before, "#") {
		text = strings.Join(strings.Fields(text), " ")
	}
	m.write(before + text + "\n")
}

// heading writes a heading of a level from 1.
func (m *markdown) heading(level int, text string) {
	m.block(strings.Repeat("#", min(max(level, 1), 6))+" ", text)
}

// item writes an item of a list, of a level from 0.
func (m *markdown) item(level int, ordered bool, text string) {
	before := "- "
	if ordered {
		before = "1. "
	}
	m.block(strings.Repeat("    ", min(max(level, 0), 8))+before, text)
}

func (m *markdown) beginTable() { m.tables = append(m.tables, &table{}) }

func (m *markdown) beginRow() {
	if inner := m.table(); inner != nil {
		inner.rows, inner.at = append(inner.rows, nil), 0
	}
}

// endCell ends a cell that spans some columns. An empty cell is not kept.
func (m *markdown) endCell(span int) {
	inner := m.table()
	if inner == nil {
		return
	}
	m.add(inner.at, strings.Join(inner.open, " "))
	inner.at += span
	inner.open = nil
}

// add adds a cell to the last row of the open table.
func (m *markdown) add(column int, text string) {
	if m.take(len(text)); m.full {
		return
	}
	text = strings.Join(strings.Fields(text), " ")
	inner := m.table()
	if text == "" || inner == nil || len(inner.rows) == 0 {
		return
	}
	if m.cells++; m.cells > maxCells {
		m.full = true
		return
	}
	row := &inner.rows[len(inner.rows)-1]
	*row = append(*row, cell{column, text})
}

// endTable writes the table without its empty rows and columns. A table in a cell is text
// of that cell.
func (m *markdown) endTable() {
	ended := m.table()
	if ended == nil {
		return
	}
	m.tables = m.tables[:len(m.tables)-1]
	if outer := m.table(); outer != nil {
		for _, row := range ended.rows {
			for _, c := range row {
				outer.open = append(outer.open, c.text)
			}
		}
		return
	}
	ended.rows = slices.DeleteFunc(ended.rows, func(row []cell) bool { return len(row) == 0 })
	used := map[int]int{}
	for _, row := range ended.rows {
		for _, c := range row {
			used[c.column] = 0
		}
	}
	columns := slices.Sorted(maps.Keys(used))
	for i, column := range columns {
		used[column] = i
	}
	for i, row := range ended.rows {
		if i == 0 {
			m.list = false
			if m.text.Len() > 0 {
				m.write("\n")
			}
		}
		slices.SortStableFunc(row, func(a, b cell) int { return a.column - b.column })
		at := 0
		m.write("|")
		for _, c := range row {
			for ; at < used[c.column] && !m.full; at++ {
				m.write("  |")
			}
			m.write(" " + strings.ReplaceAll(c.text, "|", `\|`) + " |")
			at++
		}
		if m.full {
			return
		}
		if i == 0 {
			m.write(strings.Repeat("  |", max(0, len(columns)-at)) + "\n|" + strings.Repeat(" --- |", len(columns)))
		}
		m.write("\n")
	}
}
