package folder

import "strings"

// outsideCode rewrites the parts of the lines of a text that are not code.
func outsideCode(text string, rewrite func(part string) string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " \t>")
		switch run := fenceOf(body); {
		case fence == "" && run != "":
			fence = run
			out.WriteString(line)
		case fence != "":
			if strings.HasPrefix(run, fence) && strings.TrimSpace(strings.TrimLeft(body, fence[:1])) == "" {
				fence = ""
			}
			out.WriteString(line)
		default:
			outsideCodeInLine(&out, line, rewrite)
		}
	}
	return out.String()
}

// fenceOf returns the signs with which a line opens or closes a block of code, or "".
func fenceOf(line string) string {
	for _, sign := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, sign)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// outsideCodeInLine is outsideCode for a line, which passes over code between backticks.
func outsideCodeInLine(out *strings.Builder, line string, rewrite func(string) string) {
	for {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			out.WriteString(rewrite(line))
			return
		}
		run := len(line[start:]) - len(strings.TrimLeft(line[start:], "`"))
		end := closing(line[start+run:], run)
		if end < 0 { // no code: the backticks are text
			out.WriteString(rewrite(line))
			return
		}
		out.WriteString(rewrite(line[:start]))
		end += start + run
		out.WriteString(line[start:end])
		line = line[end:]
	}
}

// closing returns where a run of exactly n backticks ends in s, or -1.
func closing(s string, n int) int {
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		at += run
		if run == n {
			return at
		}
	}
	return -1
}
