package prosemirror

import "strings"

// Unpadded returns a text without the blanks and dashes with which Outline aligns the
// columns of tables. [Parse] makes the same document of it, line by line. A row that does
// not begin with a bar, as in a table that is indented, stays as it is.
func Unpadded(markdown string) string {
	if !strings.HasPrefix(markdown, "|") && !strings.Contains(markdown, "\n|") ||
		strings.Count(markdown, "\r") != strings.Count(markdown, "\r\n") { // which are lines of their own to Parse
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
