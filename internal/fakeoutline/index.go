package fakeoutline

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An searchIndex finds words in one document. It is read-only and safe for concurrent
// use.
//
// Word positions count through the title and then the text. They skip one
// number between the two, so that no phrase spans both.
type searchIndex struct {
	plain      string // the text without Markdown
	spans      []span // the words of the text
	titleWords int    // the number of words in the title

	terms     []string  // the distinct folded words, sorted
	positions [][]int32 // the positions of each term, ascending
}

// A span is a range of bytes.
type span struct{ start, end int32 }

// newSearchIndex returns the index of a document with a title and a text, both
// without Markdown.
func newSearchIndex(title, plain string) *searchIndex {
	x := &searchIndex{plain: plain}
	found := make(map[string][]int32)
	add := func(word string, position int) {
		if term, ok := fold(word); ok {
			found[term] = append(found[term], int32(position))
		}
	}
	for from, to := range words(title) {
		add(title[from:to], x.titleWords)
		x.titleWords++
	}
	for from, to := range words(plain) {
		add(plain[from:to], x.position(len(x.spans)))
		x.spans = append(x.spans, span{int32(from), int32(to)})
	}
	x.terms = make([]string, 0, len(found))
	for term := range found {
		x.terms = append(x.terms, term)
	}
	slices.Sort(x.terms)
	x.positions = make([][]int32, len(x.terms))
	for i, term := range x.terms {
		x.positions[i] = found[term]
	}
	return x
}

// position returns the position of the nth word of the text, counted from 0.
func (x *searchIndex) position(n int) int { return x.titleWords + 1 + n }

// find returns the positions of a term, or, if prefix is set, of every term that
// starts with it. The result is ascending and must not be modified.
func (x *searchIndex) find(term string, prefix bool) []int32 {
	first, exact := slices.BinarySearch(x.terms, term)
	if !prefix {
		if !exact {
			return nil
		}
		return x.positions[first]
	}
	end := first + sort.Search(len(x.terms)-first, func(i int) bool {
		return !strings.HasPrefix(x.terms[first+i], term)
	})
	switch end - first {
	case 0:
		return nil
	case 1:
		return x.positions[first]
	}
	positions := slices.Concat(x.positions[first:end]...)
	slices.Sort(positions)
	return positions
}

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

// isStopWord reports whether a word, in lower case, is one of the common English
// words that a search ignores. The list is PostgreSQL's.
func isStopWord(word string) bool {
	switch word {
	case "i", "me", "my", "myself", "we", "our", "ours", "ourselves", "you", "your", "yours", "yourself",
		"yourselves", "he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself",
		"they", "them", "their", "theirs", "themselves", "what", "which", "who", "whom", "this", "that",
		"these", "those", "am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had",
		"having", "do", "does", "did", "doing", "a", "an", "the", "and", "but", "if", "or", "because", "as",
		"until", "while", "of", "at", "by", "for", "with", "about", "against", "between", "into", "through",
		"during", "before", "after", "above", "below", "to", "from", "up", "down", "in", "out", "on", "off",
		"over", "under", "again", "further", "then", "once", "here", "there", "when", "where", "why", "how",
		"all", "any", "both", "each", "few", "more", "most", "other", "some", "such", "no", "nor", "not",
		"only", "own", "same", "so", "than", "too", "very", "s", "t", "can", "will", "just", "don", "should",
		"now":
		return true
	}
	return false
}
