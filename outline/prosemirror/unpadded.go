package prosemirror

import "strings"

// Unpadded returns a text without the blanks and dashes with which Outline aligns the
// columns of tables. [Parse] makes the same document of it, line by line. A table that
// is indented stays as it is, and so does code.
func Unpadded(markdown string) string {
	if !strings.HasPrefix(markdown, "|") && !strings.Contains(markdown, "\n|") {
		return markdown
	}
	var b strings.Builder
	b.Grow(len(markdown))
	var fence codeFence
	row := 0 // of the table that the line before belongs to, from 1
	for rest := markdown; rest != ""; {
		line, after := rest, ""
		if end := strings.IndexByte(rest, '\n') + 1; end > 0 {
			line, after = rest[:end], rest[end:]
		}
		switch {
		case fence.holds(line), line[0] != '|', row == 0 && !beginsTable(line, after):
			row = 0
			b.WriteString(line)
		case row == 1:
			row++
			unpadRow(&b, line, true)
		default:
			row++
			unpadRow(&b, line, false)
		}
		rest = after
	}
	return b.String()
}

// beginsTable reports whether a line is the header of a table, given what follows it.
func beginsTable(line, after string) bool {
	delimiter, _, _ := strings.Cut(after, "\n")
	if delimiter = strings.TrimRight(delimiter, " \t\r"); delimiter == "" || delimiter[0] != '|' || !isDelimiterRow(delimiter) {
		return false
	}
	aligns, ok := alignments(delimiter)
	return ok && len(splitRow(trimSpace(line))) == len(aligns)
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

// A codeFence is the line that begins the code or the formula that a line is in, or "".
type codeFence string

// holds reports whether a line belongs to code or a formula. Lines have to come in order.
func (f *codeFence) holds(line string) bool {
	mark := strings.TrimSpace(line)
	if *f != "" {
		open := string(*f)
		if strings.HasPrefix(mark, open) && strings.Trim(mark, open[:1]) == "" {
			*f = ""
		}
		return true
	}
	if mark == "$$" {
		*f = codeFence(mark)
	} else if n := len(mark) - len(strings.TrimLeft(mark, "`")); n >= 3 && !strings.Contains(mark[n:], "`") {
		*f = codeFence(mark[:n])
	} else if n := len(mark) - len(strings.TrimLeft(mark, "~")); n >= 3 {
		*f = codeFence(mark[:n])
	}
	return *f != ""
}
