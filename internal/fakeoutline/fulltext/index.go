// Package fulltext is the search of Outline: PostgreSQL's text search with its English
// configuration, asked as Outline asks it.
package fulltext

import (
	"slices"
	"sort"
	"strings"

	"github.com/kljensen/snowball/english"
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

// longestToken is the maximum length of a token in bytes. It bounds the time that text
// without words takes.
const longestToken = 256

// tokens yields the words of a text as PostgreSQL's default parser finds them. A compound
// comes before its parts.
func tokens(text string, yield func(token string)) {
	for i := 0; i < len(text); {
		if strings.IndexByte(separators, text[i]) >= 0 {
			i++
			continue
		}
		if end := plainWord(text, i); end > i {
			yield(text[i:end])
			i = end
			continue
		}
		m := token().FindStringSubmatchIndex(text[i:min(len(text), i+longestToken)])
		if m == nil {
			i++
			continue
		}
		found := text[i : i+m[1]]
		switch {
		case m[2] >= 0: // tags, entities and protocols are no words
		case m[4] >= 0: // an address on the web counts as itself, its host and its path
			yield(found)
			yield(text[i+m[4] : i+m[5]])
			yield(text[i+m[6] : i+m[7]])
		case m[8] >= 0: // a compound
			yield(found)
			for part := range strings.SplitSeq(found, "-") {
				yield(part)
			}
		default:
			yield(found)
		}
		i += m[1]
	}
}

// separators are the most frequent characters that no token begins with. A word of
// letters in front of one of them is a token.
const separators = " \n,;!?)|*\"'"

// plainWord returns the end of a word at i that no other rule can claim, or i.
func plainWord(text string, i int) int {
	end := i
	for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	if end == len(text) || end > i && strings.IndexByte(separators, text[end]) >= 0 {
		return end
	}
	return i
}

// token matches what PostgreSQL's parser takes for one word, in the order in which it
// prefers them.
var token = expression(`^(?:` + strings.Join([]string{
	`(</?[A-Za-z][^<>]*>|&(?:#\d+|#[xX][0-9A-Fa-f]+|[A-Za-z]+\d*);|[A-Za-z]+://)`,
	`[\w.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+`,
	`((?:[A-Za-z0-9_-]+\.)+[A-Za-z]{2,}(?::\d+)?)(/[^\s"<>\\^` + "`" + `{|}]*)`,
	`~?/?[\w.-]+(?:/[\w.-]*\w)+|~?/[\w.-]*\w`,
	`[-+]?\d+(?:\.\d+)+|\w+(?:[.-]\w+)*\.\w+`,
	`([\p{L}\p{M}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{M}][\p{L}\p{M}\p{N}]*)+)`,
	`[\p{L}\p{M}\p{N}]+|[-+]\d+`,
}, "|") + `)`)

// lexeme returns the form of a word that the index keeps, and false for a stop word.
// Words with digits or punctuation are kept as they are, others without their ending.
func lexeme(word string) (string, bool) {
	word = strings.ToLower(word)
	if strings.ContainsAny(word, "0123456789./@") {
		return word, true
	}
	if isStopWord(word) {
		return "", false
	}
	return english.Stem(word, true), true
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
