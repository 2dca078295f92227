package grep

import (
	"math"
	"regexp/syntax"
	"strings"
	"unicode"
)

// literals returns texts that each match of an expression contains. A text that the
// expression compares without case is left out if case counts elsewhere.
func literals(re *syntax.Regexp, caseSensitive bool) (texts []string) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if caseSensitive && re.Flags&syntax.FoldCase != 0 || strings.ContainsAny(text, "\r\n") {
			return nil
		}
		return []string{text}
	case syntax.OpRepeat:
		if re.Min == 0 {
			return nil
		}
		fallthrough
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			texts = append(texts, literals(sub, caseSensitive)...)
		}
	}
	return texts
}

// frequencies are the letters of English, roughly from the most to the least
// frequent in running text. Other languages differ, which costs time only.
const frequencies = "etaoinsrhldcumfpgwybvkxjqz"

// rarest returns the text that is probably in the fewest lines, or "" if there are
// none. Each letter that is not among the most frequent makes a text rarer.
func rarest(texts []string) string {
	best, least := "", math.MaxInt
	for _, text := range texts {
		rank := 0
		for _, r := range text {
			letter := strings.IndexRune(frequencies, unicode.ToLower(r))
			if letter < 0 {
				letter = len(frequencies) / 2 // digits, punctuation, other scripts
			}
			rank -= letter + 5
		}
		if rank < least {
			best, least = text, rank
		}
	}
	return best
}
