package passage

import "strings"

// Replacement returns the text that replaces a passage as it is stored: New, but
// with the bullets of the stored passage if Old has other ones. A list with
// different bullets would become several lists (CommonMark, section 5.3).
func (e Edit) Replacement(stored string) string {
	marks := bulletsOf(stored)
	if len(marks) != 1 {
		return e.New
	}
	other := strings.Trim(bulletsOf(e.Old), marks)
	if other == "" {
		return e.New
	}
	var b strings.Builder
	inFence := false
	for line := range strings.Lines(e.New) {
		if isFence(line) {
			inFence = !inFence
		}
		if at := bulletAt(line); at >= 0 && !inFence && strings.IndexByte(other, line[at]) >= 0 {
			line = line[:at] + marks + line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// bulletsOf returns each of - * + that begins an item in a text, once.
func bulletsOf(text string) string {
	found := ""
	for line := range strings.Lines(text) {
		if at := bulletAt(line); at >= 0 && strings.IndexByte(found, line[at]) < 0 {
			found += line[at : at+1]
		}
	}
	return found
}

// bulletAt returns where the bullet of a line stands, -1 if it is no list item.
func bulletAt(line string) int {
	at := len(line) - len(strings.TrimLeft(line, " \t>"))
	if at+1 >= len(line) || strings.IndexByte("-*+", line[at]) < 0 || line[at+1] != ' ' && line[at+1] != '\t' {
		return -1
	}
	if strings.Trim(line[at:], line[at:at+1]+" \t\r\n") == "" {
		return -1 // a thematic break
	}
	return at
}

func isFence(line string) bool {
	line = strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}
