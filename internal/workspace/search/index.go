// Package search finds words and phrases in documents the way Outline's search,
// which is PostgreSQL's full-text search, does: an [Index] holds the words of
// one document, a [Query] matches indexes, and a [Match] has a rank and a
// snippet.
package search

import (
	"slices"
	"sort"
	"strings"
)

// An Index finds words in one document. It is read-only and safe for concurrent
// use.
//
// Word positions count through the title and then the text. They skip one
// number between the two, so that no phrase spans both.
type Index struct {
	plain      string // the text without Markdown
	spans      []span // the words of the text
	titleWords int    // the number of words in the title

	terms     []string  // the distinct folded words, sorted
	positions [][]int32 // the positions of each term, ascending
}

// A span is a range of bytes.
type span struct{ start, end int32 }

// NewIndex returns the index of a document with a title and a text, both
// without Markdown.
func NewIndex(title, plain string) *Index {
	x := &Index{plain: plain}
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
func (x *Index) position(n int) int { return x.titleWords + 1 + n }

// find returns the positions of a term, or, if prefix is set, of every term that
// starts with it. The result is ascending and must not be modified.
func (x *Index) find(term string, prefix bool) []int32 {
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
