// Package search finds what a caller names: exact text and expressions in a text
// ([Pattern]), pages about a subject ([Query]), and headings, users and icons by their
// names ([Named], [Nearest]).
//
// Outline's own search finds only pages that have all words of a query. If none has,
// [Query.Broader] asks for pages that have some of them, or words like them, and
// [Query.Rank] puts those first that answer best. [Query.Passage] chooses what to show of
// a page.
package search

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Query is a query with the words in it that matter: without those that are common in
// some language, unless there are no others.
type Query struct {
	words    []word
	excluded []string        // words that pages must not have
	asked    map[string]bool // the keys of all words, also of those that are common
	usual    bool            // all words are common
	strict   bool            // it has a phrase, or words of which one is enough
	widened  bool            // synonyms are looked up
	likeness map[string]match
}

// A word is a word of a query.
type word struct {
	text  string // as the query has it, in lower case
	key   string // in the form in which words are compared
	run   bool   // of a script without spaces between words
	same  []word // words that mean the same
	known bool   // it is in the list of such words: no typo
}

var (
	field = expression(`[-!]?"[^"]*"|\S+`)
	//go:embed common.txt
	commonWords string
)

// common returns the words that are common in some language.
var common = sync.OnceValue(func() map[string]bool {
	words := make(map[string]bool)
	for line := range strings.Lines(commonWords) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range strings.Fields(line) {
				words[w] = true
			}
		}
	}
	return words
})

// phrases returns what finds phrases with a meaning that their words do not have alone, and
// a word for each.
var phrases = sync.OnceValues(func() (*regexp.Regexp, map[string]string) {
	words := map[string]string{
		"work from home": "homeoffice", "working from home": "homeoffice", "from home": "remote",
		"pay rise": "raise", "pay raise": "raise", "not pay": "unpaid", "not paid": "unpaid", "who changed": "audit", "who edited": "audit",
		"log in": "login", "log into": "login", "sign in": "login", "sign up": "register", "time off": "vacation", "day off": "vacation", "days off": "vacation",
		"part time": "parttime", "part-time": "parttime", "open source": "opensource", "go live": "golive", "bad gateway": "502", "out of memory": "memory", "space left": "disk",
		"root cause analysis": "rca", "not move": "frozen", "not moving": "frozen", "not responding": "frozen", "right now": "now",
		"without internet": "offline", "without connection": "offline", "without network": "offline", "no internet": "offline", "no connection": "offline",
	}
	longestFirst := slices.SortedFunc(maps.Keys(words), func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`\b(?:` + strings.Join(longestFirst, "|") + `)\b`), words
})

var negations = strings.NewReplacer("can't ", "can not ", "won't ", "will not ", "n't ", " not ")

// withoutPhrases returns a query, in lower case, with words in place of the phrases.
func withoutPhrases(query string) string {
	phrase, words := phrases()
	return phrase.ReplaceAllStringFunc(negations.Replace(strings.ReplaceAll(query, "’", "'")), func(found string) string { return words[found] })
}

// Parse reads a query in Outline's syntax: words that are excluded or optional, prefixes,
// and phrases.
func Parse(query string) *Query {
	q := &Query{asked: make(map[string]bool), likeness: make(map[string]match), strict: strings.ContainsAny(query, `"|`) || strings.Contains(query, " OR ")}
	var usual []word
	for _, f := range field().FindAllString(withoutPhrases(strings.ToLower(withoutFlags(norm.NFC.String(query)))), -1) {
		if f == "or" || f == "and" {
			continue
		}
		excluded := strings.TrimLeft(f, "-!") != f
		for text := range wordsOf(f) {
			w := word{text: text, key: key(text), run: isRun(text)}
			q.asked[w.key] = !excluded
			switch {
			case excluded:
				q.excluded = append(q.excluded, text)
			case q.has(w) || w.run && isParticle(text):
			case common()[text]:
				usual = append(usual, w)
			default:
				q.words = append(q.words, w)
			}
		}
	}
	if len(q.words) == 0 {
		q.words, q.usual = usual, true
	}
	q.words = q.words[:min(len(q.words), maxWords)]
	return q
}

// maxWords is how many words of a query count.
const maxWords = 24

// Len returns the number of words that matter.
func (q *Query) Len() int { return len(q.words) }

// Open reports whether pages without one of the words may answer the query, too: it has
// several, and neither a phrase nor an operator.
func (q *Query) Open() bool { return len(q.words) > 1 && len(q.excluded) == 0 && !q.strict }

func (q *Query) has(w word) bool {
	return slices.ContainsFunc(q.words, func(other word) bool { return other.key == w.key })
}

// wordsOf yields the words of a text: runs of letters, marks and digits. In a script
// without spaces, a change of the script separates them.
func wordsOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start, script := -1, scriptNone
		for i, r := range text {
			now := scriptOf(r)
			if now == scriptMark {
				now = script
			}
			if now == script {
				continue
			}
			if start >= 0 && !yield(text[start:i]) {
				return
			}
			if start, script = i, now; now == scriptNone {
				start = -1
			}
		}
		if start >= 0 {
			yield(text[start:])
		}
	}
}

// The scripts that separate words.
const (
	scriptNone = iota // no word
	scriptMark
	scriptLetters
	scriptHan
	scriptHiragana
	scriptKatakana
	scriptOther // without spaces: Thai, Lao, Khmer, Burmese
)

func scriptOf(r rune) int {
	switch {
	case r < 0x80:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return scriptLetters
		}
		return scriptNone
	case r == 'ー' || unicode.Is(unicode.Katakana, r):
		return scriptKatakana
	case unicode.Is(unicode.Han, r):
		return scriptHan
	case unicode.Is(unicode.Hiragana, r):
		return scriptHiragana
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return scriptOther
	case unicode.IsMark(r):
		return scriptMark
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return scriptLetters
	}
	return scriptNone
}

// isRun reports whether a word is of a script without spaces between words.
func isRun(text string) bool {
	for _, r := range text {
		return scriptOf(r) >= scriptHan
	}
	return false
}

// isParticle reports whether a word in hiragana is too short to mean anything alone.
func isParticle(text string) bool {
	for _, r := range text {
		return scriptOf(r) == scriptHiragana && len(text) <= 3*len("の")
	}
	return false
}

// expression compiles a regular expression when it is first used.
func expression(source string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}

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
