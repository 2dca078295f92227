package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

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
		case len(s.key) >= shortestStem && (strings.HasPrefix(key, s.key) || strings.HasSuffix(key, s.key)):
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
