package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// words yields the start and end, in bytes, of each word of a text. A word is a
// run of letters, marks and digits of any script.
func words(text string) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		start := -1
		for i := 0; i < len(text); {
			r, size := rune(text[i]), 1
			if r >= utf8.RuneSelf {
				r, size = utf8.DecodeRuneInString(text[i:])
			}
			switch {
			case isWordRune(r):
				if start < 0 {
					start = i
				}
			case start >= 0:
				if !yield(start, i) {
					return
				}
				start = -1
			}
			i += size
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// fold returns the form of a word that the search compares: in lower case and
// without the ending of an English plural. It returns false for a stop word.
func fold(word string) (term string, ok bool) {
	word = strings.ToLower(word)
	if isStopWord(word) {
		return "", false
	}
	stem, plural := strings.CutSuffix(word, "s")
	if !plural || len(word) < 4 {
		return word, true
	}
	switch {
	case hasAnySuffix(stem, "s", "u", "i"):
		return word, true
	case strings.HasSuffix(stem, "ie"):
		return strings.TrimSuffix(stem, "ie") + "y", true
	case hasAnySuffix(stem, "sse", "xe", "she", "tche", "nche", "rche"):
		return strings.TrimSuffix(stem, "e"), true
	}
	return stem, true
}

func hasAnySuffix(word string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(word, suffix) })
}
