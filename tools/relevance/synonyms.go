package relevance

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed synonyms.txt
var synonymLines string

// A thesaurus has words that mean the same, by their keys.
type thesaurus struct {
	lines  [][]string       // words of one meaning
	having map[string][]int // the lines that a key is in
}

var synonyms = sync.OnceValue(func() thesaurus {
	t := thesaurus{having: make(map[string][]int)}
	for line := range strings.Lines(synonymLines) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		for _, w := range words {
			t.having[key(w)] = append(t.having[key(w)], len(t.lines))
		}
		t.lines = append(t.lines, words)
	}
	return t
})

// widen looks up the synonyms of a query. A search that finds all words does not need them.
func (q *Query) widen() {
	for i, w := range q.words {
		if !q.widened {
			q.words[i].same, q.words[i].known = synonyms().of(w)
		}
	}
	q.widened = true
}

// shortestStem is how many letters a word has at least that stands for longer ones, such as
// compounds.
const shortestStem = 5

// of returns the words that mean the same as a word, or as what begins or ends it. known
// reports that the word itself is there.
func (t thesaurus) of(w word) (same []word, known bool) {
	lines, known := t.having[w.key]
	part := ""
	for other, found := range t.having {
		begins, ends := strings.HasPrefix(w.key, other), strings.HasSuffix(w.key, other)
		if !known && (begins || ends) && (w.run || len(other) >= shortestStem) && (len(other) > len(part) || len(other) == len(part) && begins) {
			part, lines = other, found
		}
	}
	for _, line := range lines {
		for _, text := range t.lines[line] {
			other := word{text: text, key: key(text), run: isRun(text)}
			if other.key != w.key && !slices.ContainsFunc(same, func(s word) bool { return s.key == other.key }) {
				same = append(same, other)
			}
		}
	}
	return same, known
}
