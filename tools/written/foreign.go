package written

import (
	"regexp"
	"strings"
	"sync"
)

// Adapt returns a text in which blocks of other programs that Outline would show as plain
// text are those that Outline has: alerts of GitHub and Obsidian (> [!WARNING]) become
// callouts, and details of HTML become toggles. Code stays as it is. It reports whether
// anything was changed.
func Adapt(text string) (string, bool) {
	if !strings.Contains(text, "[!") && !strings.Contains(text, "<details") {
		return text, false
	}
	var out []string
	lines := strings.Split(text, "\n")
	code, changed := "", false
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if fence := fenceOf(line); fence != "" && (code == "" || strings.HasPrefix(fence, code) && strings.TrimSpace(line) == fence) {
			if code == "" {
				code = fence
			} else {
				code = ""
			}
		}
		if m := alert().FindStringSubmatch(line); code == "" && m != nil && !holdsCallout(lines[i+1:]) {
			out, changed = append(out, ":::"+styleOf(m[1])), true
			if title := strings.TrimSpace(m[2]); title != "" {
				out = append(out, "**"+title+"**", "")
			}
			for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], ">"); i++ {
				out = append(out, strings.TrimPrefix(strings.TrimPrefix(lines[i+1], ">"), " "))
			}
			out = append(out, ":::")
			continue
		}
		if code == "" {
			if end, block := detailsAt(lines, i); block != nil {
				out, changed = append(out, block...), true
				i = end
				continue
			}
		}
		out = append(out, line)
	}
	if !changed {
		return text, false
	}
	return strings.Join(out, "\n"), true
}

// holdsCallout reports whether the rest of a quote has a line that would end a callout.
func holdsCallout(lines []string) bool {
	for _, line := range lines {
		if !strings.HasPrefix(line, ">") {
			return false
		}
		if strings.HasPrefix(strings.TrimLeft(line, "> "), ":::") {
			return true
		}
	}
	return false
}

// styleOf returns the style of a callout for the kind of an alert.
func styleOf(kind string) string {
	switch strings.ToLower(kind) {
	case "tip", "hint":
		return "tip"
	case "important", "warning", "caution", "attention", "danger", "error", "failure", "bug":
		return "warning"
	case "success", "check", "done":
		return "success"
	}
	return "info"
}

var alert = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^> ?\[!(?i:(note|info|abstract|summary|todo|question|example|quote|tip|hint|important|warning|caution|attention|danger|error|failure|bug|success|check|done))\][+-]?(.*)$`)
})

// fenceOf returns the signs that a line opens or closes a code block with, or "".
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, sign := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, sign)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

var details = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?is)^<details[^>]*>\s*<summary>(.*?)</summary>(.*)</details>\s*$`)
})

// detailsAt returns the index of the last line of the details that begin at a line, and the
// toggle for them, which is nil if none begin there, or if they hold others.
func detailsAt(lines []string, at int) (end int, toggle []string) {
	if !strings.HasPrefix(lines[at], "<details") {
		return 0, nil
	}
	for end := at; end < len(lines); end++ {
		if end > at && strings.HasPrefix(lines[end], "<details") {
			return 0, nil
		}
		if !strings.Contains(lines[end], "</details>") {
			continue
		}
		m := details().FindStringSubmatch(strings.Join(lines[at:end+1], "\n"))
		if m == nil || strings.Contains(m[2], "<details") || strings.Contains(m[2], "+++") || strings.ContainsAny(m[1], "<>\n") {
			return 0, nil
		}
		return end, []string{"+++", strings.TrimSpace(m[1]), "", strings.Trim(m[2], "\n "), "", "+++"}
	}
	return 0, nil
}
