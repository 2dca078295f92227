package fakeoutline

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/kljensen/snowball/english"
)

// A textIndex finds words in one document, as PostgreSQL's text search does with its
// English configuration, asked as Outline asks it. It is read-only and safe for
// concurrent use.
//
// Positions count the words of the title and then those of the text.
type textIndex struct {
	title, text string
	titleWords  int // the number of words in the title

	terms     []string  // the distinct lexemes, sorted
	positions [][]int32 // the positions of each term, ascending
}

// newTextIndex returns the index of a document with a title and a text.
func newTextIndex(title, text string) *textIndex {
	x := &textIndex{title: title, text: text}
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
func (x *textIndex) Text() string { return x.text }

// Has reports whether a word as wordsOf returns it occurs.
func (x *textIndex) Has(word string) bool { return len(x.find(word, false)) > 0 }

// wordsOf returns the words of a text in the order in which they occur, without stop
// words and as the index keeps them, each once.
func wordsOf(text string) []string {
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
func (x *textIndex) find(term string, prefix bool) [][]int32 {
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
		m := tokenPattern().FindStringSubmatchIndex(text[i:min(len(text), i+longestToken)])
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
var tokenPattern = expression(`^(?:` + strings.Join([]string{
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

// rank returns how well a document matches. Words that must all occur count in pairs,
// by how near they are to each other; others count by themselves.
func (n *queryNode) rank(x *textIndex) float64 {
	var found [][][]int32
	words := n.terms(nil)
	for _, word := range words {
		found = append(found, x.find(word.term, word.prefix))
	}
	together := n.operator == '&' || n.operator == 0 && len(words) > 1
	if together && len(words) > 1 {
		return x.rankPairs(found)
	}
	sum := 0.0
	for _, entries := range found {
		for _, positions := range entries {
			sum += x.rankWord(positions)
		}
	}
	return sum / float64(len(words))
}

func (x *textIndex) weight(position int32) float64 {
	if int(position) < x.titleWords {
		return titleWeight
	}
	return textWeight
}

// rankWord returns the rank of a single word. Each position counts less than the
// one before; positions in the title come first, so the heaviest count in full.
func (x *textIndex) rankWord(positions []int32) float64 {
	sum := 0.0
	for i, position := range positions[:min(len(positions), maxPositions)] {
		sum += x.weight(position) / float64((i+1)*(i+1))
	}
	const limit = math.Pi * math.Pi / 6 // of the sum of 1/n²
	return sum / limit
}

// rankPairs returns the rank of words by each pair of positions that are near each
// other.
func (x *textIndex) rankPairs(found [][][]int32) float64 {
	rank := minRank
	last := make([][]int32, len(found)) // of each word, the positions of its last form
	for i, entries := range found {
		for _, positions := range entries {
			last[i] = positions[:min(len(positions), maxPositions)]
			for _, earlier := range last[:i] {
				rank = x.addPairs(rank, earlier, last[i])
			}
		}
	}
	return rank
}

// addPairs returns the rank increased by each pair of positions of two words
// that are near each other.
func (x *textIndex) addPairs(rank float64, a, b []int32) float64 {
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

// snippet returns the part of a document's plain text around the first occurrence of a
// query, with <b> and </b> around words that are the query's as they are written, as
// Outline cuts it. Outline knows no syntax here, so that a query with | marks nothing.
// The text is not escaped.
func snippet(plain, query string) string {
	query = strings.ToValidUTF8(query, "")
	folded := strings.ToLower(plain)
	// An expression without case is slow: what cannot match is left out of it.
	occurs := func(s string) bool { return strings.Contains(folded, strings.ToLower(s)) }
	alternatives := []string{regexp.QuoteMeta(query)}
	if phrases := quotedPattern().FindAllStringSubmatch(query, -1); phrases != nil {
		for _, m := range phrases {
			alternatives = append(alternatives, regexp.QuoteMeta(m[1]))
		}
	} else {
		var kept []string
		for w := range strings.SplitSeq(query, " ") {
			if !isUnmarked(w) {
				kept = append(kept, w)
			}
		}
		for w := range strings.SplitSeq(strings.TrimSpace(strings.Join(kept, " ")), " ") {
			if occurs(w) {
				alternatives = append(alternatives, `\b`+regexp.QuoteMeta(w)+`\b`)
			}
		}
	}
	if !occurs(query) {
		alternatives = alternatives[1:]
	}
	var at []int
	shown := plain
	if len(alternatives) > 0 {
		marked := regexp.MustCompile(`(?i)` + strings.Join(alternatives, "|"))
		if occurs(query) {
			at = regexp.MustCompile(`(?i)` + regexp.QuoteMeta(query)).FindStringIndex(plain)
		}
		if at == nil {
			at = marked.FindStringIndex(plain)
		}
		shown = marked.ReplaceAllString(plain, "<b>$0</b>")
	}
	units := func(s string) []uint16 { return utf16.Encode([]rune(s)) } // Outline counts them
	start := -1
	if at != nil {
		start = len(units(plain[:at[0]]))
	}
	text := units(plain)
	if start -= 65; start > 0 {
		for start < len(text) && !breaks(text[start]) {
			start++
		}
	}
	start = max(0, start)
	context := units(shown)
	end := min(start+250, len(context)-1)
	for end >= 0 && !breaks(context[end]) {
		end--
	}
	if end < 0 { // -1 counts from the end
		end = len(context) - 1
	}
	if end <= start {
		return ""
	}
	return string(utf16.Decode(context[start:end]))
}

func breaks(unit uint16) bool { return strings.ContainsRune(" .,\"'\n。！？!?…", rune(unit)) }

// isUnmarked reports whether Outline never marks a word: its list has all stop words but
// these.
func isUnmarked(word string) bool {
	switch word {
	case "while", "between", "to", "up", "in", "out", "on", "further", "how", "all", "more", "most", "no", "not", "own", "can", "will", "just", "now":
		return false
	}
	return isStopWord(word)
}
