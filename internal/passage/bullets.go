package passage

import "strings"

// Replacement returns the text that replaces a passage as it is stored: New,
// but with the bullets of the stored passage if those of Old differ. A list
// with different bullets would become several lists (CommonMark, section 5.3).
// If Old is written in an entirely different way, with other escapes or breaks,
// what New has in common with Old at both ends stays as it is stored.
func (e Edit) Replacement(stored string) string {
	if e.New != "" && e.Old != stored && fold(e.Old).text != fold(stored).text {
		return e.spliced(stored)
	}
	return e.withBullets(stored, e.New, true)
}

// withBullets returns a part of New with the bullets of the stored passage.
func (e Edit) withBullets(stored, part string, atLineStart bool) string {
	marks := bulletsOf(stored)
	if len(marks) != 1 {
		return part
	}
	other := strings.Trim(bulletsOf(e.Old), marks)
	if other == "" {
		return part
	}
	var b strings.Builder
	inFence := false
	for line := range strings.Lines(part) {
		if isFence(line) {
			inFence = !inFence
		}
		if at := bulletAt(line); atLineStart && at >= 0 && !inFence && strings.IndexByte(other, line[at]) >= 0 {
			line = line[:at] + marks + line[at+1:]
		}
		b.WriteString(line)
		atLineStart = true
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

// bulletAt returns the position of the bullet of a line, or -1 if the line is
// not a list item.
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
