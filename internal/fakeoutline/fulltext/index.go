// Package fulltext is the search of Outline: PostgreSQL's text search with its English
// configuration, asked as Outline asks it.
package fulltext

import (
	"slices"
	"sort"
	"strings"
)

// An Index finds words in one document. It is read-only and safe for concurrent
// use.
//
// Positions count the words of the title and then those of the text.
type Index struct {
	title, text string
	titleWords  int // the number of words in the title

	terms     []string  // the distinct lexemes, sorted
	positions [][]int32 // the positions of each term, ascending
}

// NewIndex returns the index of a document with a title and a text.
func NewIndex(title, text string) *Index {
	x := &Index{title: title, text: text}
	found := make(map[string][]int32)
	position := 0
	add := func(token string) {
		if term, ok := lexeme(token); ok {
			found[term] = append(found[term], int32(position))
		}
		position++
	}
	tokens(title, add)
	x.titleWords = position
	tokens(text, add)
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

// Text returns the text that the index was made of.
func (x *Index) Text() string { return x.text }

// Has reports whether a word as Words returns it occurs.
func (x *Index) Has(word string) bool { return len(x.find(word, false)) > 0 }

// Words returns the words of a text in the order in which they occur, without stop
// words and as the index keeps them, each once.
func Words(text string) []string {
	var list []string
	tokens(text, func(token string) {
		if term, ok := lexeme(token); ok && !slices.Contains(list, term) {
			list = append(list, term)
		}
	})
	return list
}

// find returns the positions of a term, or, if prefix is set, of every term that
// starts with it, term by term. The result must not be modified.
func (x *Index) find(term string, prefix bool) [][]int32 {
	first, exact := slices.BinarySearch(x.terms, term)
	if !prefix {
		if !exact {
			return nil
		}
		return x.positions[first : first+1]
	}
	end := first + sort.Search(len(x.terms)-first, func(i int) bool {
		return !strings.HasPrefix(x.terms[first+i], term)
	})
	return x.positions[first:end]
}
