package workspace

import "strings"

// maxQuery is how much of a query is looked at, in bytes.
const maxQuery = 1000

// A query is what a search looks for: documents in which each of its phrases
// stands. The zero query finds nothing.
type query struct {
	phrases []phrase
	prefix  bool // the one word is the beginning of words
}

// A phrase is a sequence of words, mostly of one.
type phrase []queryWord

// A queryWord is a folded word, and how far behind the first word of its
// phrase it stands. Stop words are left out, but count.
type queryWord struct {
	term   string
	offset int
}

// parseQuery reads a query. What stands between double quotes is a phrase. A
// query of a single word without quotes also finds words that begin with it.
func parseQuery(text string) query {
	if len(text) > maxQuery {
		text = strings.ToValidUTF8(text[:maxQuery], "")
	}
	var q query
	for {
		before, rest, quoted := strings.Cut(text, `"`)
		q.addWords(before)
		if !quoted {
			break
		}
		inside, after, closed := strings.Cut(rest, `"`)
		if !closed {
			q.addWords(inside)
			break
		}
		q.addPhrase(inside)
		text = after
	}
	q.prefix = len(q.phrases) == 1 && len(strings.Fields(text)) == 1
	return q
}

func (q *query) addWords(text string) {
	for from, to := range words(text) {
		q.addPhrase(text[from:to])
	}
}

func (q *query) addPhrase(text string) {
	var p phrase
	place, first := 0, 0
	for from, to := range words(text) {
		if term, ok := fold(text[from:to]); ok {
			if p == nil {
				first = place
			}
			p = append(p, queryWord{term, place - first})
		}
		place++
	}
	if p != nil {
		q.phrases = append(q.phrases, p)
	}
}

// A match is where a query was found in a document.
type match struct {
	places [][]int32 // of each word of the query that is looked up
	hits   [][]hit   // of each phrase
}

// A hit is a run of words that a phrase was found in.
type hit struct {
	place int32 // of its first word
	words int32
}

// match looks a query up in a document.
func (q *query) match(x *index) (match, bool) {
	var m match
	for _, p := range q.phrases {
		places := make([][]int32, len(p))
		for i, word := range p {
			if places[i] = x.find(word.term, q.prefix); len(places[i]) == 0 {
				return match{}, false
			}
		}
		hits := p.hits(places)
		if len(hits) == 0 {
			return match{}, false
		}
		m.places = append(m.places, places...)
		m.hits = append(m.hits, hits)
	}
	return m, len(m.hits) > 0
}

// hits returns where the words of a phrase, each found at some places, stand
// in their order.
func (p phrase) hits(places [][]int32) []hit {
	length := int32(p[len(p)-1].offset + 1)
	next := make([]int, len(p))
	var hits []hit
candidates:
	for _, start := range places[0] {
		for i := 1; i < len(p); i++ {
			want := start + int32(p[i].offset)
			for next[i] < len(places[i]) && places[i][next[i]] < want {
				next[i]++
			}
			if next[i] == len(places[i]) {
				return hits
			}
			if places[i][next[i]] != want {
				continue candidates
			}
		}
		hits = append(hits, hit{start, length})
	}
	return hits
}
