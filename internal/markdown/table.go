package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tables finds the tables of GitHub Flavored Markdown
// (https://github.github.com/gfm/#tables-extension-) in what looks like a
// paragraph up to then, so that a line of dashes below is not taken for the
// underline of a heading. It creates no cells: a header of many columns above
// many short rows would create a quadratic number of them.
type tables struct{}

func (tables) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := node.Lines()
	header := lines.At(0)
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		columns := delimiterColumns(line.Value(reader.Source()))
		if columns > 0 && columns == cellCount(header.Value(reader.Source())) {
			// Paragraphs do not matter for the result; what counts is that this is
			// not one any more.
			parent := node.Parent()
			parent.ReplaceChild(parent, node, ast.NewThematicBreak())
			return
		}
		header = line
	}
}

// delimiterColumns returns the number of columns that line sets, or 0 if it is
// not the delimiter row of a table: cells of dashes, with or without a colon at
// either end.
func delimiterColumns(line []byte) int {
	// A row without any colon or bar underlines a heading.
	if !bytes.ContainsAny(line, ":|") {
		return 0
	}
	columns := 0
	for cell := range bytes.SplitSeq(trimBars(line), []byte("|")) {
		cell = bytes.TrimSpace(cell)
		cell = bytes.TrimPrefix(cell, []byte(":"))
		cell = bytes.TrimSuffix(cell, []byte(":"))
		if len(cell) == 0 || len(bytes.Trim(cell, "-")) > 0 {
			return 0
		}
		columns++
	}
	return columns
}

// cellCount returns the number of cells of a table row. A bar after a backslash
// is text, in code as well.
func cellCount(line []byte) int {
	line = trimBars(line)
	return 1 + bytes.Count(line, []byte("|")) - bytes.Count(line, []byte(`\|`))
}

// trimBars removes the white space around a row and the bars at its ends.
func trimBars(line []byte) []byte {
	line = bytes.TrimSpace(line)
	line = bytes.TrimPrefix(line, []byte("|"))
	return bytes.TrimSuffix(line, []byte("|"))
}
