package search

import (
	"math"
	"sort"
	"strings"
)

// A Page is what is judged.
type Page struct{ Title, Text string }

// A Ranked page has some of the words of a query, or words like them.
type Ranked struct {
	Index int      // in the pages that were judged
	Words []string // those of the query that it has
	Like  []string // its words that are only like those of the query

	score float64
}

// The weights of what makes a page answer a query. A word counts the more the fewer pages
// have it.
const (
	inTitle  = 3.0 // a word in the title
	asTitle  = 4.0 // all words of the title in the query, however common they are
	inText   = 1.0 // in the text, at most
	together = 2.0 // in the passage with most of the words
	most     = 2.0 // a page with all words scores three times what one with few does
)

// Rank returns the pages that have some of the words, or words like them, best first.
func (q *Query) Rank(pages []Page) []Ranked {
	q.widen()
	found := make([]evidence, len(pages))
	having := make([]float64, len(q.words))
	for i, page := range pages {
		found[i] = q.read(page)
		for w := range q.words {
			having[w] += found[i].best[w]
		}
	}
	weights := make([]float64, len(q.words))
	for w := range weights {
		weights[w] = math.Log(1 + float64(len(pages)+1)/(having[w]+0.5))
	}
	var ranked []Ranked
	for i, e := range found {
		r := Ranked{Index: i}
		for w, like := range e.best {
			if like == 0 {
				continue
			}
			if like > likeSynonym {
				r.Words = append(r.Words, q.words[w].text)
			} else {
				r.Like = append(r.Like, e.token[w])
			}
			r.score += weights[w] * (inTitle*e.title[w] + inText*e.text[w]/(e.text[w]+1) + together*e.passage[w])
		}
		if r.score > 0 {
			r.score += asTitle * e.named * e.named
			r.score *= 1 + most*sum(e.best)/float64(len(q.words))
			ranked = append(ranked, r)
		}
	}
	sort.SliceStable(ranked, func(i, j int) bool { return ranked[i].score > ranked[j].score })
	return ranked
}

// evidence is what a page has of each word of a query.
type evidence struct {
	best, title, passage []float64 // the likeness, anywhere and in a place
	text                 []float64 // the sum of it
	token                []string  // the word that is most like it
	named                float64   // the share of the words of the title that the query has
}

func (q *Query) read(p Page) evidence {
	n := len(q.words)
	e := evidence{
		best: make([]float64, n), title: make([]float64, n), passage: make([]float64, n), text: make([]float64, n),
		token: make([]string, n), named: q.namedBy(p.Title),
	}
	see := func(text string, add func(m match)) {
		last := ""
		for token := range wordsOf(strings.ToLower(text)) {
			m := q.matching(token)
			if joined, ok := q.joining(last, token); ok {
				m = joined
			}
			if m.like > 0 {
				if m.like > e.best[m.word] {
					e.best[m.word], e.token[m.word] = m.like, token
				}
				add(m)
			}
			last = token
		}
	}
	see(p.Title, func(m match) { e.title[m.word] = max(e.title[m.word], m.like) })
	see(p.Text[:min(len(p.Text), longestRead)], func(m match) { e.text[m.word] += m.like })
	highest := 0.0
	for b := range blocksOf(p.Text) {
		here := make([]float64, n)
		see(b.text, func(m match) { here[m.word] = max(here[m.word], m.like) })
		if sum := sum(here); sum > highest {
			highest, e.passage = sum, here
		}
	}
	return e
}

func sum(likes []float64) (sum float64) {
	for _, like := range likes {
		sum += like
	}
	return sum
}

// namedBy returns the share of the words of a title that the query has. A single word
// tells less than a title of two.
func (q *Query) namedBy(title string) float64 {
	all, asked := 0, 0
	for token := range wordsOf(strings.ToLower(title)) {
		all++
		if q.asked[key(token)] {
			asked++
		}
	}
	return float64(asked) / float64(max(all, 2))
}
