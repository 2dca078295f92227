package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"outline-mcp/outline"
)

// brokenJSON returns what is wrong with a file that cannot be parsed, and what to
// do, for somebody who does not know JSON. It quotes no values that may be secret.
func brokenJSON(src []byte, parse error) error {
	text, number, column := parse.Error(), 0, 0
	_, _ = fmt.Sscanf(text, "hujson: line %d, column %d:", &number, &column)
	line := lineNumber(src, number)
	switch inText := strings.Contains(text, `invalid literal: "`); {
	case inText || strings.Contains(text, "parsing string"):
		for i, line := range strings.Split(string(src), "\n") {
			if strings.Count(line, `"`)%2 != strings.Count(line, `\"`)%2 {
				return fmt.Errorf("line %d: a text begins here and does not end on this line; write %s on one line, in quotation marks", i+1, lastName(line))
			}
		}
		if strings.Contains(line, `\`) {
			return fmt.Errorf(`line %d: a \ in quotation marks must be written twice; write %s`, number, fixed(doubled(line), `C:\\Users\\...`))
		}
	case strings.Contains(text, "unexpected EOF"):
		return unclosed(src)
	case strings.Contains(text, "after object value"), strings.Contains(text, "after array value"):
		if len(indent(line)) < column-1 {
			return fmt.Errorf("line %d: a comma is missing after a value, or what follows is too much", number)
		}
		for number--; number > 1 && strings.TrimSpace(lineNumber(src, number)) == ""; number-- {
		}
		return fmt.Errorf("line %d: a comma is missing at the end of the line; write %s", number, fixed(strings.TrimSpace(lineNumber(src, number))+",", "a comma after the value"))
	case strings.Contains(text, "after top-level value"):
		return fmt.Errorf("line %d: something follows the } that ends the file; remove it", number)
	}
	return fmt.Errorf("line %d: this is not valid JSON", max(number, 1))
}

// unclosed names the brackets that a file does not close.
func unclosed(src []byte) error {
	noBrackets := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|//[^\n]*|(?s:/\*.*?\*/)`)
	bare := noBrackets.ReplaceAllFunc(src, func(text []byte) []byte { return bytes.Repeat([]byte(" "), len(text)) })
	open, missing := []int{}, ""
	for i, char := range bare {
		switch {
		case char == '{' || char == '[':
			open = append(open, i)
			missing = string(char+2) + " " + missing // as in ASCII
		case (char == '}' || char == ']') && len(open) > 0:
			open = open[:len(open)-1]
			missing = missing[2:]
		}
	}
	if len(open) == 0 {
		return errors.New("the file ends too early")
	}
	last := open[len(open)-1]
	return fmt.Errorf("line %d: the %c has no %c that closes it; add %s at the end of the file", lineOf(src, last), src[last], missing[0], strings.TrimSpace(missing))
}

// strictly returns where a file is not JSON as defined by RFC 8259, and how to write
// it, or "" if it is.
func strictly(src []byte) (finding, advice string) {
	var syntax *json.SyntaxError
	var any json.RawMessage
	if isStandardJSON(src) || !errors.As(json.Unmarshal(src, &any), &syntax) {
		return "", ""
	}
	at := max(int(syntax.Offset)-1, 0)
	before := bytes.TrimRight(src[:at], " \t\r\n")
	if !bytes.HasSuffix(before, []byte(",")) || src[at] == '/' {
		return fmt.Sprintf("line %d has a comment, which plain JSON does not allow", lineOf(src, at)), "remove it"
	}
	comma := len(before) - 1
	column := len(lastLine(src[:comma]))
	line := lineAt(src, comma)
	without := line[:column] + line[column+1:]
	return fmt.Sprintf("line %d has a comma after the last value, which plain JSON does not allow", lineOf(src, comma)), "write " + fixed(without, "the line without the comma")
}

// lineAt returns the line that an offset is on, lineNumber the one with a number.
func lineAt(src []byte, offset int) string { return lineNumber(src, lineOf(src, offset)) }

func lineNumber(src []byte, number int) string {
	lines := strings.Split(string(src), "\n")
	if number < 1 || number > len(lines) {
		return ""
	}
	return lines[number-1]
}

// doubled returns a line with each single \ written twice.
func doubled(line string) string {
	return strings.ReplaceAll(strings.ReplaceAll(line, `\\`, `\`), `\`, `\\`)
}

// lastName names the value that begins in a line and does not end there.
func lastName(line string) string {
	parts := regexp.MustCompile(`"([A-Za-z0-9_-]+)"\s*:\s*"[^"]*$`).FindStringSubmatch(line)
	if parts == nil {
		return "it"
	}
	return "the value of " + quote(parts[1])
}

// fixed returns a line as it should be, or otherwise if the line may hold a secret
// or is long.
func fixed(line, otherwise string) string {
	line = strings.TrimSpace(line)
	upper := strings.ToUpper(line)
	secret := slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "AUTH", "COOKIE"}, func(word string) bool { return strings.Contains(upper, word) })
	if secret || len(line) > 120 || outline.Redact(line) != line {
		return otherwise
	}
	return line
}
