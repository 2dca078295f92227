package workspace

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An index finds words in one version of a document.
//
// Words are numbered through the title and then the text, with one number
// between the two left out, so that no phrase reaches from one to the other.
type index struct {
	plain      string // the text without Markdown
	spans      []span // where its words stand
	titleWords int    // how many words the title has

	terms  []string  // every word once, folded, sorted
	places [][]int32 // for each term the numbers of its words, ascending
}

// A span is a range of bytes.
type span struct{ start, end int32 }

func newIndex(title, plain string) *index {
	x := &index{plain: plain}
	found := make(map[string][]int32)
	add := func(word string, place int) {
		if term, ok := fold(word); ok {
			found[term] = append(found[term], int32(place))
		}
	}
	for from, to := range words(title) {
		add(title[from:to], x.titleWords)
		x.titleWords++
	}
	for from, to := range words(plain) {
		add(plain[from:to], x.place(len(x.spans)))
		x.spans = append(x.spans, span{int32(from), int32(to)})
	}
	x.terms = make([]string, 0, len(found))
	for term := range found {
		x.terms = append(x.terms, term)
	}
	slices.Sort(x.terms)
	x.places = make([][]int32, len(x.terms))
	for i, term := range x.terms {
		x.places[i] = found[term]
	}
	return x
}

// place is the number of the n-th word of the text.
func (x *index) place(n int) int { return x.titleWords + 1 + n }

// find returns where a term stands, or, if prefix is set, every term that
// begins so. The result is ascending and belongs to the index.
func (x *index) find(term string, prefix bool) []int32 {
	first, exact := slices.BinarySearch(x.terms, term)
	if !prefix {
		if !exact {
			return nil
		}
		return x.places[first]
	}
	end := first + sort.Search(len(x.terms)-first, func(i int) bool {
		return !strings.HasPrefix(x.terms[first+i], term)
	})
	switch end - first {
	case 0:
		return nil
	case 1:
		return x.places[first]
	}
	places := slices.Concat(x.places[first:end]...)
	slices.Sort(places)
	return places
}

// words yields the start and end of each word of a text: a run of letters,
// marks and digits of any script.
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

// fold returns the form in which words are compared: in lower case, and
// without the ending of an English plural. Stop words have none.
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
	case endsIn(stem, "s", "u", "i"):
		return word, true
	case strings.HasSuffix(stem, "ie"):
		return strings.TrimSuffix(stem, "ie") + "y", true
	case endsIn(stem, "sse", "xe", "she", "tche", "nche", "rche"):
		return strings.TrimSuffix(stem, "e"), true
	}
	return stem, true
}

func endsIn(word string, endings ...string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(word, ending) })
}
