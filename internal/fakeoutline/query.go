package fakeoutline

import (
	"math"
	"strings"
)

// maxQuery is the maximum length of a query in bytes; the rest is ignored.
const maxQuery = 1000

// A searchQuery matches documents that contain each of its phrases. The zero searchQuery
// matches nothing.
type searchQuery struct {
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

// parseQuery reads a query. Words in double quotes form a phrase. A single word
// without quotes also matches words that start with it.
func parseQuery(text string) searchQuery {
	if len(text) > maxQuery {
		text = strings.ToValidUTF8(text[:maxQuery], "")
	}
	var q searchQuery
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

func (q *searchQuery) addWords(text string) {
	for from, to := range words(text) {
		q.addPhrase(text[from:to])
	}
}

func (q *searchQuery) addPhrase(text string) {
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

// A searchMatch is the occurrences of a query in a document.
type searchMatch struct {
	index     *searchIndex
	positions [][]int32 // of each word of the query
	hits      [][]hit   // of each phrase
}

// A hit is one occurrence of a phrase.
type hit struct {
	position int32 // of its first word
	words    int32
}

// match looks the query up in a document and reports whether it matches.
func (q searchQuery) match(x *searchIndex) (searchMatch, bool) {
	m := searchMatch{index: x}
	for _, p := range q.phrases {
		positions := make([][]int32, len(p))
		for i, word := range p {
			if positions[i] = x.find(word.term, q.prefix); len(positions[i]) == 0 {
				return searchMatch{}, false
			}
		}
		hits := p.hits(positions)
		if len(hits) == 0 {
			return searchMatch{}, false
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

// The weights and formulas below are those of PostgreSQL's ts_rank, which
// Outline uses to order search results: a word in the title weighs 1, a word in
// the text a tenth.
const (
	titleWeight = 1
	textWeight  = 0.1

	// maxPositions is how many positions of one word count.
	maxPositions = 256
	// maxDistance is the maximum distance, in words, of two words that count
	// as near each other.
	maxDistance = 100
	// minRank is the rank when all words are far from each other.
	minRank = 1e-20
)

// rank returns how well the document matches the query. It is positive. A match
// in the title ranks above any number of matches in the text, more matches rank
// above fewer, and words near each other above words far apart.
func (m searchMatch) rank() float64 {
	x := m.index
	if len(m.positions) == 1 {
		return x.rankWord(m.positions[0])
	}
	rank := minRank
	for i, positions := range m.positions {
		for _, earlier := range m.positions[:i] {
			rank = x.addPairs(rank, earlier, positions)
		}
	}
	return rank
}

func (x *searchIndex) weight(position int32) float64 {
	if int(position) < x.titleWords {
		return titleWeight
	}
	return textWeight
}

// rankWord returns the rank of a single word. Each position counts less than the
// one before; positions in the title come first, so the heaviest count in full.
func (x *searchIndex) rankWord(positions []int32) float64 {
	sum := 0.0
	for i, position := range positions[:min(len(positions), maxPositions)] {
		sum += x.weight(position) / float64((i+1)*(i+1))
	}
	const limit = math.Pi * math.Pi / 6 // of the sum of 1/n²
	return sum / limit
}

// addPairs returns the rank increased by each pair of positions of two words
// that are near each other.
func (x *searchIndex) addPairs(rank float64, a, b []int32) float64 {
	a, b = a[:min(len(a), maxPositions)], b[:min(len(b), maxPositions)]
	first := 0
	for _, p := range a {
		for first < len(b) && b[first] < p-maxDistance {
			first++
		}
		for _, q := range b[first:] {
			if q > p+maxDistance {
				break
			}
			if p == q {
				continue
			}
			near := math.Sqrt(x.weight(p) * x.weight(q) * nearness(p, q))
			rank = 1 - (1-rank)*(1-near)
		}
	}
	return rank
}

// nearness is close to 1 for adjacent words and falls towards 0 with distance.
func nearness(p, q int32) float64 {
	distance := math.Abs(float64(p - q))
	return 1 / (1.005 + 0.05*math.Exp(distance/1.5-2))
}
