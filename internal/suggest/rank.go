package suggest

import (
	"slices"
	"strings"
	"unicode"
)

// matching returns the candidates that a text can mean, the best first: those whose
// name is the text, those whose name begins with it, and those that contain all of
// its words. A candidate can also be meant by the beginning of its ID.
func matching(candidates []Candidate, typed string) []Candidate {
	var byRank [noMatch][]Candidate
	for _, c := range candidates {
		if rank := c.rank(typed); rank < noMatch {
			byRank[rank] = append(byRank[rank], c)
		}
	}
	return slices.Concat(byRank[:]...)
}

const noMatch = 4

// rank returns how well a text matches, from 0, the best, to noMatch.
func (c Candidate) rank(typed string) int {
	if typed == "" {
		return 0
	}
	name, typed := strings.ToLower(c.Name), strings.ToLower(typed)
	slug := strings.ToLower(c.Value)
	switch {
	case name == typed, slug == typed, c.ID == typed:
		return 0
	case strings.HasPrefix(name, typed), strings.HasPrefix(slug, typed), strings.HasPrefix(c.ID, typed):
		return 1
	}
	// The slug has the title without accents, too.
	all := " " + strings.Join(wordsOf(name+" "+slug), " ")
	words := wordsOf(typed)
	if len(words) == 0 && !strings.Contains(name, typed) {
		return noMatch
	}
	rank := 2
	for _, word := range words {
		switch {
		case strings.Contains(all, " "+word):
		case strings.Contains(all, word):
			rank = 3
		default:
			return noMatch
		}
	}
	return rank
}

// wordsOf returns the runs of letters, marks and digits of a text.
func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
}
