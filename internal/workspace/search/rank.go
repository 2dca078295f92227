package search

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

// Rank returns how well the document matches the query. It is positive. A match
// in the title ranks above any number of matches in the text, more matches rank
// above fewer, and words near each other above words far apart.
func (m Match) Rank() float64 {
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

// addPairs returns the rank increased by each pair of positions of two words
// that are near each other.
func (x *Index) addPairs(rank float64, a, b []int32) float64 {
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
