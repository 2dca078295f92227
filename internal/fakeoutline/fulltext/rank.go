package fulltext

import "math"

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
