package cli

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// widestCell is how many columns a cell has at most, whatever it says.
const widestCell = 100

// cell returns a cell in one line.
func (c converter) cell(n *html.Node) string {
	words := strings.ReplaceAll(strings.TrimSpace(c.blocks(n)), "|", `\|`)
	return strings.NewReplacer("\\\n", "<br>", "\n", "<br>").Replace(words)
}

// table returns a table, whose first row has as many cells as the longest: Markdown drops
// those beyond it. A cell that spans others is followed by empty ones. A table within a cell
// becomes words of it.
func (c converter) table(n *html.Node) string {
	var rows [][]string
	columns, caption := 0, ""
	c.inCell = true
	spans := map[int]int{} // how many rows below belong to the cell above them, by column
	for row := range n.Descendants() {
		within := row.Parent
		for within != n && within.DataAtom != atom.Table {
			within = within.Parent
		}
		switch {
		case within == n && row.DataAtom == atom.Caption:
			caption = lines(c.inline(row)) + "\n\n"
			continue
		case within != n || row.DataAtom != atom.Tr:
			continue
		}
		var cells []string
		add := func(cell string, below int) {
			cells, spans[len(cells)] = append(cells, cell), below
		}
		fill := func() {
			for spans[len(cells)] > 0 {
				add("", spans[len(cells)]-1)
			}
		}
		for cell := range row.ChildNodes() {
			if fill(); cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				words := c.cell(cell)
				if inner := c; strings.Contains(words, "<br>") && !c.spaces {
					inner.spaces = true
					words = inner.cell(cell)
				}
				below, _ := strconv.Atoi(attributeOf(cell, "rowspan"))
				add(words, below-1)
				wide, _ := strconv.Atoi(attributeOf(cell, "colspan"))
				for range min(wide, widestCell) - 1 {
					add("", below-1)
				}
			}
		}
		fill()
		rows, columns = append(rows, cells), max(columns, len(cells))
	}
	var text strings.Builder
	text.WriteString(caption)
	for i, cells := range rows {
		if i == 0 {
			cells = append(cells, make([]string, columns-len(cells))...)
		}
		for _, cell := range cells {
			text.WriteString("| " + cell + " ")
		}
		if text.WriteString("|\n"); i == 0 {
			text.WriteString(strings.Repeat("|---", columns) + "|\n")
		}
	}
	return text.String()
}
