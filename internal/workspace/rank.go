package workspace

import "math"

// The weights and formulas below are those of PostgreSQL's ts_rank, with which
// Outline orders what it finds: a word of the title weighs 1, one of the text
// a tenth.
const (
	titleWeight = 1
	textWeight  = 0.1

	// maxPlaces is how many places of one word count.
	maxPlaces = 256
	// maxDistance is how many words apart two words may stand to count as
	// near each other.
	maxDistance = 100
	// minRank is the rank of words that are all far from each other.
	minRank = 1e-20
)

// rank says how well a document matches a query. It is above 0; a match in the
// title ranks above any number in the text, more matches above fewer, and words
// near each other above words far apart.
func (m match) rank(x *index) float64 {
	if len(m.places) == 1 {
		return x.rankOfOne(m.places[0])
	}
	rank := minRank
	for i, places := range m.places {
		for _, earlier := range m.places[:i] {
			rank = x.addPairs(rank, earlier, places)
		}
	}
	return rank
}

func (x *index) weight(place int32) float64 {
	if int(place) < x.titleWords {
		return titleWeight
	}
	return textWeight
}

// rankOfOne is the rank of one word by the places where it stands: each counts
// less than the one before. Those in the title come first, so the heaviest
// count in full.
func (x *index) rankOfOne(places []int32) float64 {
	sum := 0.0
	for i, place := range places[:min(len(places), maxPlaces)] {
		sum += x.weight(place) / float64((i+1)*(i+1))
	}
	const limit = math.Pi * math.Pi / 6 // of the sum of 1/n²
	return sum / limit
}

// addPairs adds to a rank each pair of places of two words that are near each
// other.
func (x *index) addPairs(rank float64, a, b []int32) float64 {
	a, b = a[:min(len(a), maxPlaces)], b[:min(len(b), maxPlaces)]
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

// nearness is close to 1 for neighbours and falls towards 0.
func nearness(p, q int32) float64 {
	distance := math.Abs(float64(p - q))
	return 1 / (1.005 + 0.05*math.Exp(distance/1.5-2))
}
