package prosemirror

import "strings"

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
			content := s.cell(cell)
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

func (s *serializer) cell(cell *Node) string {
	if s.cells == nil {
		s.cells = new(serializer)
	}
	inner := s.cells
	*inner = serializer{inTable: true, inList: s.inList, inTightList: s.inTightList, cells: inner.cells}
	for _, child := range cell.Content {
		if child.Type == Paragraph && len(child.Content) == 0 {
			continue
		}
		inner.closed = nil
		inner.block(child)
	}
	return strings.ReplaceAll(strings.Trim(inner.String(), "\n"), "\n", "<br>")
}
