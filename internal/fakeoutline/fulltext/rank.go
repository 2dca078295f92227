package fulltext

import (
	"math"
	"regexp"
	"strings"
	"unicode/utf16"
)

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
func (n *node) rank(x *Index) float64 {
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

func (x *Index) weight(position int32) float64 {
	if int(position) < x.titleWords {
		return titleWeight
	}
	return textWeight
}

// rankWord returns the rank of a single word. Each position counts less than the
// one before; positions in the title come first, so the heaviest count in full.
func (x *Index) rankWord(positions []int32) float64 {
	sum := 0.0
	for i, position := range positions[:min(len(positions), maxPositions)] {
		sum += x.weight(position) / float64((i+1)*(i+1))
	}
	const limit = math.Pi * math.Pi / 6 // of the sum of 1/n²
	return sum / limit
}

// rankPairs returns the rank of words by each pair of positions that are near each
// other.
func (x *Index) rankPairs(found [][][]int32) float64 {
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
func (x *Index) addPairs(rank float64, a, b []int32) float64 {
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

// Snippet returns the part of a document's plain text around the first occurrence of a
// query, with <b> and </b> around words that are the query's as they are written, as
// Outline cuts it. Outline knows no syntax here, so that a query with | marks nothing.
// The text is not escaped.
func Snippet(plain, query string) string {
	query = strings.ToValidUTF8(query, "")
	whole := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(query))
	alternatives := []string{regexp.QuoteMeta(query)}
	if phrases := quoted().FindAllStringSubmatch(query, -1); phrases != nil {
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
			alternatives = append(alternatives, `\b`+regexp.QuoteMeta(w)+`\b`)
		}
	}
	marked := regexp.MustCompile(`(?i)` + strings.Join(alternatives, "|"))

	at := whole.FindStringIndex(plain)
	if at == nil {
		at = marked.FindStringIndex(plain)
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
	context := units(marked.ReplaceAllString(plain, "<b>$0</b>"))
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
