package search

import (
	"math"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// caseless is a text for comparisons that ignore case.
type caseless struct {
	runes  []rune   // canonical
	starts []string // the forms of the first rune
}

func fold(text string) caseless {
	var f caseless
	if text == "" {
		return f
	}
	for _, r := range text {
		f.runes = append(f.runes, canonical(r))
	}
	first := f.runes[0]
	f.starts = append(f.starts, string(first))
	for r := unicode.SimpleFold(first); r != first; r = unicode.SimpleFold(r) {
		f.starts = append(f.starts, string(r))
	}
	return f
}

// canonical returns the smallest rune that differs from r only in case.
func canonical(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// search is [Pattern.search] without case. It looks for the forms of the first rune,
// which the standard library finds fastest, and compares the rest there.
func (f caseless) search(text string) func(from int) (start, end int) {
	places := make([]int, len(f.starts)) // of the next occurrence of each form; len(text) if there is none
	for i := range places {
		places[i] = -1
	}
	return func(from int) (start, end int) {
		for {
			start = len(text)
			for i, form := range f.starts {
				if places[i] < from {
					places[i] = len(text)
					if n := strings.Index(text[from:], form); n >= 0 {
						places[i] = from + n
					}
				}
				start = min(start, places[i])
			}
			if start == len(text) {
				return -1, -1
			}
			if n := f.prefixOf(text[start:]); n > 0 {
				return start, start + n
			}
			from = start + 1
		}
	}
}

// prefixOf returns how many bytes at the beginning of a text are the folded one, or 0.
func (f caseless) prefixOf(text string) int {
	at := 0
	for _, want := range f.runes {
		if at >= len(text) {
			return 0
		}
		r, size := rune(text[at]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[at:])
		}
		if r != want && canonical(r) != want {
			return 0
		}
		at += size
	}
	return at
}

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
