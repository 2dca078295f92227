package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"outline-mcp/outline"
)

// maxDepth is how many brackets of a file may be open at a time. The parser calls itself for
// each, and Go ends a program whose stack is full.
const maxDepth = 1000

// checkBrackets returns what is wrong with the brackets and strings of a file of JSON, and
// what to do, for users who do not know JSON. It quotes no values that may be secret.
func checkBrackets(src []byte) error {
	var open []int // the brackets that are not closed yet
	for i := 0; i < len(src); i++ {
		switch char := src[i]; char {
		case '{', '[':
			if open = append(open, i); len(open) > maxDepth {
				return fmt.Errorf("line %d: more than %d brackets are open here; remove some", lineOf(src, i), maxDepth)
			}
		case '}', ']':
			if len(open) == 0 {
				return fmt.Errorf("line %d: the %c has no %c before it; remove it", lineOf(src, i), char, opening(char))
			}
			if last := open[len(open)-1]; src[last] != opening(char) {
				return fmt.Errorf("line %d: the %c on line %d is not closed before this %c; add %c in front of it", lineOf(src, i), src[last], lineOf(src, last), char, closing(src[last]))
			}
			open = open[:len(open)-1]
		case '"':
			start := i
			for i++; i < len(src) && src[i] != '"' && src[i] != '\n'; i++ {
				if src[i] != '\\' {
					continue
				}
				if i++; i < len(src) && !bytes.ContainsRune([]byte(`"\/bfnrtu`), rune(src[i])) {
					twice := strings.NewReplacer(`\\`, `\\`, `\"`, `\"`, `\`, `\\`).Replace(lineAt(src, i)) // but not before a quotation mark
					return fmt.Errorf(`line %d: a \ in quotation marks must be written twice; write %s`, lineOf(src, i), fixed(twice, `C:\\Users\\...`))
				}
			}
			if i >= len(src) || src[i] == '\n' {
				return fmt.Errorf("line %d: a string begins here and does not end on this line; write %s on one line, in quotation marks", lineOf(src, start), valueOf(src, start))
			}
		case '/':
			i += max(0, len(comment().Find(src[i:]))-1)
		}
	}
	if len(open) > 0 {
		slices.Reverse(open)
		missing := strings.Join(mapList(open, func(at int) string { return string(closing(src[at])) }), " ")
		return fmt.Errorf("line %d: the %c has no %c that closes it; add %s at the end of the file", lineOf(src, open[0]), src[open[0]], closing(src[open[0]]), missing)
	}
	return nil
}

// brokenJSON returns what else is wrong with a file that cannot be parsed, as checkBrackets
// does.
func brokenJSON(src []byte, parse error) error {
	line, column, text := 0, 0, parse.Error()
	_, _ = fmt.Sscanf(text, "hujson: line %d, column %d:", &line, &column)
	switch {
	case strings.Contains(text, "after object value"), strings.Contains(text, "after array value"):
		if here := lineNumber(src, line); len(indent(here)) < column-1 {
			return fmt.Errorf("line %d: a comma is missing after a value, or the text after it does not belong there", line)
		}
		for line--; line > 1 && strings.TrimSpace(lineNumber(src, line)) == ""; line-- {
		}
		return fmt.Errorf("line %d: a comma is missing at the end of the line; write %s", line, fixed(strings.TrimSpace(lineNumber(src, line))+",", "a comma after the value"))
	case strings.Contains(text, "after object name"):
		return fmt.Errorf("line %d: a colon is missing between a name and its value", line)
	case strings.Contains(text, "after top-level value"):
		return fmt.Errorf("line %d: something follows the } that ends the file; remove it", line)
	case strings.ContainsAny(lineNumber(src, line), "“”„‟‘’"):
		here := lineNumber(src, line)
		at := strings.IndexAny(here, "“”„‟‘’")
		quoted, _ := utf8.DecodeRuneInString(here[at:])
		return fmt.Errorf("line %d: the quotation mark %c is not the plain \" that JSON needs; write %s", line, quoted, fixed(strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‟", `"`, "‘", `"`, "’", `"`).Replace(here), "the plain one"))
	case strings.Contains(text, "invalid literal"), strings.Contains(text, "at start of value"):
		return fmt.Errorf("line %d: a value is not valid JSON: strings need quotation marks (\"...\"), other values are true, false, null and numbers", line)
	case line > 0:
		return fmt.Errorf("line %d: this is not valid JSON", line)
	}
	return errors.New("the file is not valid JSON")
}

// strictly returns where a file is not JSON as defined by RFC 8259, and how to write
// it, or "" if it is, or need not be for the client.
func (c Client) strictly(src []byte) (finding, advice string) {
	var syntax *json.SyntaxError
	var any json.RawMessage
	if c.TOML || c.Lenient || len(bytes.TrimSpace(src)) == 0 || !errors.As(json.Unmarshal(src, &any), &syntax) {
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

func opening(closing byte) byte { return closing - 2 } // as in ASCII
func closing(opening byte) byte { return opening + 2 }

// comment matches a text that begins with a comment.
var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?://.*|/\*(?s:.*?)(?:\*/|$))`) })

// lineAt returns the line that an offset is on, lineNumber the one with a number.
func lineAt(src []byte, offset int) string { return lineNumber(src, lineOf(src, offset)) }

func lineNumber(src []byte, number int) string {
	lines := strings.Split(string(src), "\n")
	if number < 1 || number > len(lines) {
		return ""
	}
	return lines[number-1]
}

// valueOf names the value that begins at an offset, if it is that of a member.
func valueOf(src []byte, offset int) string {
	before := src[:offset]
	parts := regexp.MustCompile(`"([A-Za-z0-9_-]+)"\s*:\s*$`).FindSubmatch(before[bytes.LastIndexByte(before, '\n')+1:])
	if parts == nil {
		return "it"
	}
	return "the value of " + quote(string(parts[1]))
}

// fixed returns a line as it should be, or otherwise if the line may hold a secret
// or is long.
func fixed(line, otherwise string) string {
	line = strings.TrimSpace(line)
	secret := regexp.MustCompile(`(?i)KEY|TOKEN|SECRET|PASSWORD|AUTH|COOKIE|BEARER|SK-`)
	if len(line) > 120 || secret.MatchString(line) || outline.Redact(line) != line {
		return otherwise
	}
	return line
}
