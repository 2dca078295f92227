package search

import "strings"

// maxQuery is the maximum length of a query in bytes; the rest is ignored.
const maxQuery = 1000

// A Query matches documents that contain each of its phrases. The zero Query
// matches nothing.
type Query struct {
	phrases []phrase
	prefix  bool // the only word also matches words that start with it
}

// A phrase is a sequence of words, often of only one.
type phrase []queryWord

// A queryWord is a folded word and its distance in words from the first word of
// its phrase. Stop words are left out but count in the distance.
type queryWord struct {
	term   string
	offset int
}

// ParseQuery reads a query. Words in double quotes form a phrase. A single word
// without quotes also matches words that start with it.
func ParseQuery(text string) Query {
	if len(text) > maxQuery {
		text = strings.ToValidUTF8(text[:maxQuery], "")
	}
	var q Query
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

func (q *Query) addWords(text string) {
	for from, to := range words(text) {
		q.addPhrase(text[from:to])
	}
}

func (q *Query) addPhrase(text string) {
	var p phrase
	position, first := 0, 0
	for from, to := range words(text) {
		if term, ok := fold(text[from:to]); ok {
			if p == nil {
				first = position
			}
			p = append(p, queryWord{term, position - first})
		}
		position++
	}
	if p != nil {
		q.phrases = append(q.phrases, p)
	}
}

// A Match is the occurrences of a query in a document.
type Match struct {
	index     *Index
	positions [][]int32 // of each word of the query
	hits      [][]hit   // of each phrase
}

// A hit is one occurrence of a phrase.
type hit struct {
	position int32 // of its first word
	words    int32
}

// Match looks the query up in a document and reports whether it matches.
func (q Query) Match(x *Index) (Match, bool) {
	m := Match{index: x}
	for _, p := range q.phrases {
		positions := make([][]int32, len(p))
		for i, word := range p {
			if positions[i] = x.find(word.term, q.prefix); len(positions[i]) == 0 {
				return Match{}, false
			}
		}
		hits := p.hits(positions)
		if len(hits) == 0 {
			return Match{}, false
		}
		m.positions = append(m.positions, positions...)
		m.hits = append(m.hits, hits)
	}
	return m, len(m.hits) > 0
}

// hits returns the occurrences of a phrase, given the positions of each of its
// words.
func (p phrase) hits(positions [][]int32) []hit {
	length := int32(p[len(p)-1].offset + 1)
	next := make([]int, len(p))
	var hits []hit
candidates:
	for _, start := range positions[0] {
		for i := 1; i < len(p); i++ {
			want := start + int32(p[i].offset)
			for next[i] < len(positions[i]) && positions[i][next[i]] < want {
				next[i]++
			}
			if next[i] == len(positions[i]) {
				return hits
			}
			if positions[i][next[i]] != want {
				continue candidates
			}
		}
		hits = append(hits, hit{start, length})
	}
	return hits
}
