package prosemirror

import (
	"slices"
	"strings"
)

// maxFilledCells bounds the number of cells added to the short rows of a text. It is a
// quarter of what markdown-it adds to each table: a table ends where it would have more.
const maxFilledCells = 1 << 14

// TableCells returns how many cells the tables of a document in Markdown have, with those
// that short rows are filled with.
func TableCells(markdown string) (cells int) {
	if !strings.Contains(markdown, "|") {
		return 0
	}
	p := newBlockParser(normalizeLines(markdown), map[string]reference{})
	p.sparse = true
	p.parse(0, p.lineMax)
	columns := 0 // of the table
	for _, t := range p.tokens {
		switch t.kind {
		case tableOpen:
			columns = 0
		case headerOpen:
			columns++
			cells++
		case rowOpen:
			cells += columns // 0 in the row of headers
		}
	}
	return cells
}

// table parses a table of GitHub's extension: a row, a line of dashes that
// gives the alignments, and rows up to a blank line or another block.
func (p *blockParser) table(start, end int, silent bool) bool {
	if start+2 > end || p.lines[start+1].columns < p.indent || p.isCode(start+1) {
		return false
	}
	delimiter := p.text(start + 1)
	if !isDelimiterRow(delimiter) {
		return false
	}
	aligns, ok := alignments(delimiter)
	if !ok {
		return false
	}
	head := trimSpace(p.text(start))
	if !strings.Contains(head, "|") || p.isCode(start) {
		return false
	}
	columns := splitRow(head)
	if len(columns) == 0 || len(columns) != len(aligns) {
		return false
	}
	if silent {
		return true
	}
	oldParent := p.parent
	p.parent = inTable
	p.open(tableOpen)
	p.row(columns, aligns, headerOpen)
	next := start + 2
	for ; next < end && p.lines[next].columns >= p.indent && !p.interrupts(next, end, inQuote); next++ {
		text := trimSpace(p.text(next))
		if text == "" || p.isCode(next) {
			break
		}
		cells := splitRow(text)
		if p.filled += max(0, len(columns)-len(cells)); p.filled > maxFilledCells {
			break
		}
		p.start = next
		if len(cells) > len(columns) {
			p.drops.add(int32(next), "table cell beyond the columns of the header", strings.Join(cells[len(columns):], " "))
		}
		p.row(cells, aligns, cellOpen)
	}
	p.close(tableClose)
	p.parent = oldParent
	p.at = next
	return true
}

func (p *blockParser) row(cells []string, aligns []tokenFlag, kind tokenKind) {
	p.open(rowOpen)
	for i, align := range aligns {
		if p.sparse && i >= len(cells) {
			break
		}
		p.open(kind).flag = align
		content := ""
		if i < len(cells) {
			content = trimSpace(cells[i])
		}
		// The schema requires a block in each cell. These tokens are not blocks
		// of the source; only the level of list items matters later.
		p.tokens = append(p.tokens, token{kind: paragraphOpen, line: int32(p.start)})
		p.add(inlineToken, content)
		p.tokens = append(p.tokens, token{kind: paragraphClose})
		p.close(kind + closeBlock)
	}
	p.close(rowClose)
}

// isDelimiterRow reports whether a line consists of dashes, colons, bars and
// blanks and is not the start of a list.
func isDelimiterRow(text string) bool {
	if len(text) < 2 || !strings.Contains("|-:", text[:1]) || text[0] == '-' && isBlank(text[1]) {
		return false
	}
	return strings.Trim(text, "|-: \t") == ""
}

var columnDashes = pattern{expression: `^(:?)-+(:?)$`}

// alignments reads a delimiter row: the alignment of each column.
func alignments(row string) (aligns []tokenFlag, ok bool) {
	columns := strings.Split(row, "|")
	for i, column := range columns {
		column = trimSpace(column)
		if column == "" {
			if i == 0 || i == len(columns)-1 {
				continue
			}
			return nil, false
		}
		colons := columnDashes.get().FindStringSubmatch(column)
		if colons == nil {
			return nil, false
		}
		switch left, right := colons[1] != "", colons[2] != ""; {
		case left && right:
			aligns = append(aligns, alignedCenter)
		case right:
			aligns = append(aligns, alignedRight)
		case left:
			aligns = append(aligns, alignedLeft)
		default:
			aligns = append(aligns, plain)
		}
	}
	return aligns, true
}

// splitRow splits a row at unescaped bars; an escaped bar loses its backslash.
// Empty cells outside the first and last bar are removed.
func splitRow(row string) []string {
	var cells []string
	var cell strings.Builder // the parts of a cell with escaped bars
	last, escaped := 0, false
	end := func(i int) {
		if cell.Len() == 0 {
			cells = append(cells, row[last:i])
			return
		}
		cell.WriteString(row[last:i])
		cells = append(cells, cell.String())
		cell.Reset()
	}
	for i := range len(row) {
		if row[i] == '|' {
			if escaped {
				cell.WriteString(row[last : i-1])
				last = i
			} else {
				end(i)
				last = i + 1
			}
		}
		escaped = row[i] == '\\'
	}
	end(len(row))
	if len(cells) > 0 && cells[0] == "" {
		cells = cells[1:]
	}
	if n := len(cells); n > 0 && cells[n-1] == "" {
		cells = slices.Clip(cells[:n-1])
	}
	return cells
}

// table writes a table with its columns padded to the width of the header.
// Cells are one line: line ends become <br>. The lines have no prefix, so a
// table in a list or a quote does not survive.
func (s *serializer) table(n *Node) {
	if len(n.Content) == 0 {
		return
	}
	s.separate(1)
	s.append("\n")
	header := n.Content[0]
	widths := make([]int, len(header.Content))
	for i, cell := range header.Content {
		widths[i] = max(length16(cell.TextContent()), 3)
	}
	for i, row := range n.Content {
		for j, cell := range row.Content {
			if j == 0 {
				s.append("| ")
			} else {
				s.append(" | ")
			}
			content, corrections := s.cell(cell)
			corrections(s.out.Len())
			s.append(content)
			if j < len(widths) {
				s.append(strings.Repeat(" ", max(0, widths[j]-length16(content))))
			}
		}
		s.append(" |\n")
		if i == 0 {
			for j, cell := range header.Content {
				s.append(delimiterCell(cell.Attrs.String("alignment"), widths[j]))
			}
			s.append("|\n")
		}
	}
}

func delimiterCell(alignment string, width int) string {
	switch alignment {
	case "center":
		return "|:" + strings.Repeat("-", width) + ":"
	case "left":
		return "|:" + strings.Repeat("-", width+1)
	case "right":
		return "|" + strings.Repeat("-", width+1) + ":"
	}
	return "|" + strings.Repeat("-", width+2)
}

// cell writes the content of a table cell on one line. The function adds its
// corrections, given where it is written.
func (s *serializer) cell(cell *Node) (line string, corrections func(at int)) {
	inner := serializer{dialect: s.dialect, inTable: true, inList: s.inList, inTightList: s.inTightList}
	if s.recorder != nil {
		inner.recorder = &recorder{}
	}
	for _, child := range cell.Content {
		if child.Type == Paragraph && len(child.Content) == 0 {
			continue
		}
		inner.closed = nil
		inner.block(child)
	}
	content := inner.String()
	line = strings.ReplaceAll(strings.Trim(content, "\n"), "\n", "<br>")
	return line, func(at int) {
		cut := len(content) - len(strings.TrimLeft(content, "\n"))
		s.recorder.cell(inner.recorder, content, cut, at)
	}
}

// Unpadded returns a text without the blanks and dashes with which Outline aligns the
// columns of tables. [Parse] makes the same document of it, line by line. A row that does
// not begin with a bar, as in a table that is indented, stays as it is.
func Unpadded(markdown string) string {
	if !strings.HasPrefix(markdown, "|") && !strings.Contains(markdown, "\n|") ||
		strings.Count(markdown, "\r") != strings.Count(markdown, "\r\n") { // which are their own lines to Parse
		return markdown
	}
	lines := strings.SplitAfter(markdown, "\n")
	var b strings.Builder
	b.Grow(len(markdown))
	next := 0 // the first line that is not written yet
	unpad := func(at int, delimiter bool) {
		for ; next < at; next++ {
			b.WriteString(lines[next])
		}
		if lines[at][0] == '|' {
			unpadRow(&b, lines[at], delimiter)
			next++
		}
	}
	tokens := readBlocks(markdown).tokens
	for i := range tokens {
		if tokens[i].kind != rowOpen {
			continue
		}
		at := int(tokens[i].line)
		unpad(at, false)
		if tokens[i-1].kind == tableOpen {
			unpad(at+1, true)
		}
	}
	for _, line := range lines[next:] {
		b.WriteString(line)
	}
	return b.String()
}

// unpadRow writes a row with one blank around each cell. Of the line below the header, it
// writes three dashes for each column and no blanks.
func unpadRow(b *strings.Builder, line string, delimiter bool) {
	row := strings.TrimRight(line, " \t\r\n")
	start, blank := 0, ""
	for i := 0; i <= len(row); i++ {
		if i < len(row) && (row[i] != '|' || i > 0 && row[i-1] == '\\') {
			continue
		}
		cell := strings.Trim(row[start:i], " \t")
		if delimiter {
			cell = shortDashes(cell)
		} else if cell != "" {
			b.WriteString(blank)
		}
		b.WriteString(cell)
		if i < len(row) {
			if !delimiter && i > 0 {
				b.WriteByte(' ')
			}
			b.WriteByte('|')
		}
		start, blank = i+1, " "
	}
	b.WriteString(line[len(strings.TrimRight(line, "\r\n")):])
}

func shortDashes(cell string) string {
	dashes := strings.Trim(cell, ":")
	if len(dashes) <= 3 {
		return cell
	}
	return strings.Replace(cell, dashes, "---", 1)
}
