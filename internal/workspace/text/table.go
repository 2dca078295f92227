package text

import (
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// table returns a table with columns padded to the widest cell, at least three
// characters. A backslash before a bar in a cell does not count, as recorded.
func (m *markdownWriter) table(table *extast.Table) string {
	columns := len(table.Alignments)
	widths := make([]int, columns)
	var rows [][]string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		cells := make([]string, columns)
		for i, cell := 0, row.FirstChild(); cell != nil && i < columns; i, cell = i+1, cell.NextSibling() {
			cells[i] = m.cell(cell)
			widths[i] = max(widths[i], cellWidth(cells[i]), 3)
		}
		rows = append(rows, cells)
	}
	var b strings.Builder
	for i, cells := range rows {
		for column, cell := range cells {
			b.WriteString("| " + cell + strings.Repeat(" ", max(widths[column]-cellWidth(cell), 0)))
			b.WriteByte(' ')
		}
		b.WriteString("|\n")
		if i == 0 {
			for column, width := range widths {
				b.WriteString("|" + delimiter(table.Alignments[column], width+2))
			}
			b.WriteString("|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (m *markdownWriter) cell(cell ast.Node) string {
	if cell.Lines().Len() == 0 {
		return ""
	}
	return m.inline(cell)
}

func cellWidth(cell string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(cell, `\|`, "|"))
}

// delimiter returns the cell of the delimiter row for a column.
func delimiter(alignment extast.Alignment, width int) string {
	dashes := strings.Repeat("-", width)
	switch alignment {
	case extast.AlignLeft:
		return ":" + dashes[1:]
	case extast.AlignRight:
		return dashes[1:] + ":"
	case extast.AlignCenter:
		return ":" + dashes[2:] + ":"
	}
	return dashes
}
