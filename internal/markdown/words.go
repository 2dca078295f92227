package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the number of words that a reader of the document would count.
// White space, the bars of tables and long dashes separate words, and a word
// has a letter or a digit. In Chinese and Japanese, each character is a word.
// Code counts; list numbers, task boxes, link targets, HTML tags and the
// languages of code blocks do not. The count is made line by line without a
// full parse, so it can be off by a few words for unusual Markdown.
func Words(source string) int {
	words := 0
	for line := range strings.Lines(source) {
		words += countWords(trimMarkers(line))
	}
	return words
}

// trimMarkers removes the markers at the start of a line that are not text.
func trimMarkers(line string) string {
	line = strings.TrimLeft(line, " \t>")
	switch {
	case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"), strings.HasPrefix(line, ":::") && isContainerLine(line):
		return ""
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && len(line) > digits+1 && strings.IndexByte(".)", line[digits]) >= 0 && line[digits+1] == ' ' {
		line = line[digits+2:]
	}
	line = strings.TrimLeft(line, "-*+ \t")
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		line = strings.TrimPrefix(line, box)
	}
	return line
}

func countWords(line string) int {
	words, inWord := 0, false
	links := true // a link target may end on this line
	for i := 0; i < len(line); {
		r, size := rune(line[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(line[i:])
		}
		switch {
		case r == '\\' && i+1 < len(line):
			if line[i+1] == 'n' { // Outline's hard break
				inWord = false
				size = 2
			} else if line[i+1] < utf8.RuneSelf && !isWordRune(rune(line[i+1])) {
				size = 2
			}
		case r == ']' && links && strings.HasPrefix(line[i+1:], "("):
			end := strings.IndexByte(line[i:], ')')
			links = end >= 0
			if links {
				size = end + 1
			}
		case r == '<' && tagLength(line[i:]) > 0:
			inWord = false
			size = tagLength(line[i:])
		case unicode.IsSpace(r) || r == '|' || r == '—' || r == '…':
			inWord = false
		case r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			words++
			inWord = false
		case !inWord && isWordRune(r):
			words++
			inWord = true
		}
		i += size
	}
	return words
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// tagLength returns the length of the HTML tag or comment that s begins with,
// or 0. An address between angle brackets is text.
func tagLength(s string) int {
	end := strings.IndexAny(s[1:], "<>") + 1
	if end < 2 || s[end] != '>' || strings.ContainsAny(s[:end], ":@") {
		return 0
	}
	if c := s[1]; c != '/' && c != '!' && !(c|0x20 >= 'a' && c|0x20 <= 'z') {
		return 0
	}
	return end + 1
}
