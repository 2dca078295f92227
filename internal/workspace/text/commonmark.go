package text

import "strings"

// Outline's API writes a hard break as a backslash and an n in the text of a
// document, and as two spaces at the end of a line in an export.

// ToCommonMark converts a stored text to CommonMark. It leaves code unchanged.
func ToCommonMark(text string) string {
	if !strings.Contains(text, `\n`) {
		return text
	}
	var b strings.Builder
	var fence string
	for line := range strings.SplitAfterSeq(text, "\n") {
		opened := fence
		if fence = fenceAfter(fence, line); opened != "" || fence != "" || isIndented(line) {
			b.WriteString(line)
			continue
		}
		for i, part := range strings.Split(line, "`") {
			if i > 0 {
				b.WriteByte('`')
			}
			if i%2 == 0 {
				part = replaceHardBreaks(part, "  \n")
			}
			b.WriteString(part)
		}
	}
	return b.String()
}

// replaceHardBreaks replaces the hard breaks of a text without code. An escaped
// backslash before an n is not a hard break.
func replaceHardBreaks(text, with string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return b.String() + text
		}
		b.WriteString(text[:i])
		if text[i+1] == 'n' {
			b.WriteString(with)
		} else {
			b.WriteString(text[i : i+2])
		}
		text = text[i+2:]
	}
}

// FromCommonMark converts CommonMark to a text as Outline stores it.
func FromCommonMark(markdown string) string {
	lines := strings.Split(markdown, "\n")
	var b strings.Builder
	var fence string
	for i, line := range lines {
		opened := fence
		fence = fenceAfter(fence, line)
		last := i+1 == len(lines) || strings.TrimSpace(lines[i+1]) == ""
		code := opened != "" || fence != "" || isIndented(line)
		switch {
		case !code && !last && strings.HasSuffix(line, "  "):
			b.WriteString(strings.TrimRight(line, " ") + `\n`)
		case !code && !last && strings.HasSuffix(line, `\`) && !strings.HasSuffix(line, `\\`):
			b.WriteString(line + "n")
		default:
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// fenceAfter returns the code fence that is open after a line, or "" if none
// is.
func fenceAfter(open, line string) string {
	line = strings.TrimLeft(line, " >")
	mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	if mark == "" {
		mark = line[:len(line)-len(strings.TrimLeft(line, "~"))]
	}
	rest := line[len(mark):]
	switch {
	case open == "" && len(mark) >= 3 && !strings.Contains(rest, "`"):
		return mark
	case open != "" && strings.HasPrefix(mark, open) && strings.TrimSpace(rest) == "":
		return ""
	}
	return open
}

// isIndented reports whether a line may be part of an indented code block, in
// which hard breaks are not replaced.
func isIndented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}
