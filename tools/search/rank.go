package search

import (
	"math"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// A Page is what is judged.
type Page struct{ Title, Text string }

// length returns the length of what is read of the text.
func (p Page) length() float64 { return float64(min(len(p.Text), longestRead)) }

// A Ranked page has some of the words of a query, or words like them.
type Ranked struct {
	Index int      // in the pages that were judged
	Words []string // those of the query that it has
	Like  []string // its words that are only like those of the query

	score float64
}

// The weights of what makes a page answer a query. A word counts the more the fewer pages
// have it, and the more often a text has it for its length (BM25).
const (
	inTitle  = 4.0  // a word in the title
	asTitle  = 5.0  // all words of the title in the query, however common they are
	inText   = 2.0  // in the text, at most
	together = 1.0  // in the passage with most of the words
	byLength = 0.75 // how much of the length of a text counts: a long one has many words by chance
)

// Rank returns the pages that have some of the words, or words like them, best first. doubtful
// reports that the second query of [Query.Broader] may find better ones: some word, or one that
// means the same, is on no page, and the best page has at most half of all, so that the word may
// be mistyped; or a word of a script without spaces is on no page as it is written.
func (q *Query) Rank(pages []Page) (ranked []Ranked, doubtful bool) {
	q.widen()
	found := make([]evidence, len(pages))
	having, most := make([]float64, len(q.words)), make([]float64, len(q.words))
	length := 0.0
	for i, page := range pages {
		found[i] = q.read(page)
		length += page.length() / float64(len(pages))
		for w, like := range found[i].best {
			having[w] += like
			most[w] = max(most[w], like)
		}
	}
	weights := make([]float64, len(q.words))
	mistyped := false
	for w, asked := range q.words {
		weights[w] = math.Log(1 + float64(len(pages)+1)/(having[w]+0.5))
		mistyped = mistyped || !asked.run && !asked.known && most[w] == 0
		doubtful = doubtful || asked.run && most[w] < 1
	}
	for i, e := range found {
		r := Ranked{Index: i}
		saturation := 1 - byLength + byLength*pages[i].length()/max(length, 1)
		for w, like := range e.best {
			if like == 0 {
				continue
			}
			if like > likeSynonym {
				r.Words = append(r.Words, q.words[w].text)
			} else {
				r.Like = append(r.Like, e.token[w])
			}
			r.score += weights[w] * (inTitle*e.title[w] + inText*e.text[w]/(e.text[w]+saturation) + together*e.passage[w])
		}
		if r.score > 0 {
			r.score += asTitle * e.named * e.named
			ranked = append(ranked, r)
		}
	}
	sort.SliceStable(ranked, func(i, j int) bool { return ranked[i].score > ranked[j].score })
	return ranked, doubtful || len(ranked) == 0 || mistyped && 2*len(ranked[0].Words) <= len(q.words)
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

// key returns the form in which words are compared: folded, without English endings.
func key(w string) string { return english.Stem(folded(w), true) }

// folded returns a word in lower case, without accents, with one letter for an umlaut
// however it is written.
func folded(w string) string {
	w = strings.ToLower(w)
	if utf8.RuneCountInString(w) < len(w) {
		w = withoutAccents(norm.NFKC.String(w))
	}
	if strings.Contains(w, "ae") || strings.Contains(w, "oe") || strings.Contains(w, "ue") {
		w = umlauts.Replace(w)
	}
	return w
}

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// withoutAccents returns a word with plain letters in place of those with accents.
func withoutAccents(w string) string {
	w = letters.Replace(norm.NFD.String(w))
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) && r < 0x370 { // of the Latin script
			return -1
		}
		return r
	}, w))
}

var letters = strings.NewReplacer("ß", "ss", "ø", "o", "æ", "ae", "œ", "oe", "ł", "l", "đ", "d", "ı", "i")

// A match is how like a word of a text is to one of the query.
type match struct {
	word int     // its index
	like float64 // 1: the same word; 0: none is like it
}

// The likeness of words that are not the same.
const (
	likeBeginning = 0.8  // the word of the query begins it
	likePart      = 0.65 // the word of the query is in it, as in compounds
	likeTypo      = 0.5  // with one or two letters changed
	likeSynonym   = 0.6  // it means the same
	likeLonger    = 0.4  // a word that means the same begins or ends it
	likePiece     = 0.3  // it begins or ends the word of the query, as in compounds
)

// mostRemembered is how many words of texts are remembered with their likeness.
const mostRemembered = 1 << 16

// matching returns the word of the query that a word of a text is most like.
func (q *Query) matching(token string) match {
	if m, ok := q.likeness[token]; ok {
		return m
	}
	best, same := match{}, key(token)
	for i, w := range q.words {
		if like := w.like(token, same); like > best.like {
			best = match{i, like}
		}
	}
	if len(q.likeness) > mostRemembered {
		clear(q.likeness)
	}
	q.likeness[token] = best
	return best
}

// joining returns the word of the query that two words of a text are in one, such as
// "oncall" for "on-call".
func (q *Query) joining(first, second string) (match, bool) {
	for i, w := range q.words {
		if len(w.text) == len(first)+len(second) && first != "" && strings.HasPrefix(w.text, first) && strings.HasSuffix(w.text, second) {
			return match{i, 1}, true
		}
	}
	return match{}, false
}

func (w word) like(token, key string) float64 {
	length := utf8.RuneCountInString(w.key)
	switch {
	case w.run && strings.Contains(token, w.text), key == w.key:
		return 1
	case w.run:
	case length >= 4 && strings.HasPrefix(key, w.key):
		return likeBeginning
	case length >= 5 && strings.Contains(key, w.key):
		return likePart
	}
	best := 0.0
	for _, s := range w.same {
		switch {
		case s.key == key || s.run && strings.Contains(token, s.text):
			return likeSynonym
		case len(s.key) >= shortestStem && (strings.HasPrefix(key, s.key) || strings.HasSuffix(key, s.key)),
			len(s.text) >= shortestStem && strings.HasPrefix(token, s.text): // an English ending may be the middle of a compound
			best = likeLonger
		}
	}
	switch {
	case best > 0 || w.known || w.run || length < 4:
		return best
	case mistyped(w.key, key) || mistyped(w.text, token):
		return likeTypo
	case len(key) >= shortestStem && length >= len(key)+3 && (strings.HasPrefix(w.key, key) || strings.HasSuffix(w.key, key)):
		return likePiece
	}
	return 0
}

// mistyped reports whether a may be meant for b. A short word begins with the right letter,
// or its first two are swapped.
func mistyped(a, b string) bool {
	from, to := []rune(a), []rune(b)
	swapped := len(from) > 1 && len(to) > 1 && from[0] == to[1] && from[1] == to[0]
	if len(from) < 6 && len(from) > 0 && len(to) > 0 && from[0] != to[0] && !swapped {
		return false
	}
	return nearly(a, b, 1+len(from)/8)
}

// nearly reports whether at most a number of letters have to be changed, left out, put in
// or swapped with the next one to make b of a (Damerau and Levenshtein).
func nearly(a, b string, most int) bool {
	from, to := []rune(a), []rune(b)
	if len(from)-len(to) > most || len(to)-len(from) > most {
		return false
	}
	var rows [3][64]int
	if len(to) >= len(rows[0]) {
		return false // no word that anybody mistypes
	}
	before, last, current := rows[0][:len(to)+1], rows[1][:len(to)+1], rows[2][:len(to)+1]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(from); i++ {
		current[0] = i
		least := i
		for j := 1; j <= len(to); j++ {
			cost := 1
			if from[i-1] == to[j-1] {
				cost = 0
			}
			current[j] = min(last[j]+1, current[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
			least = min(least, current[j])
		}
		if least > most {
			return false
		}
		before, last, current = last, current, before
	}
	return last[len(to)] <= most
}
