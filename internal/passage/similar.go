package passage

import "slices"

const (
	gramLength = 3
	gramBits   = 16
)

// gramAt returns the slot of the three bytes of text at an offset.
func gramAt(text []byte, at int) uint32 {
	g := uint32(text[at]) | uint32(text[at+1])<<8 | uint32(text[at+2])<<16
	return g * 2654435761 >> (32 - gramBits) // Knuth's multiplicative hash
}

// A window is a part of a text that is as long as a passage, with the number of
// the passage's three-byte sequences that it contains.
type window struct {
	start int
	grams int
	of    int // how many the passage has
}

// windows returns the parts of text that have most in common with wanted, in
// any order of its content: at most as many as candidates says, best first.
func windows(text, wanted []byte) []window {
	n := len(wanted) - gramLength + 1
	if n < 1 || len(text) < gramLength {
		return nil
	}
	missing := make([]int32, 1<<gramBits) // how often the passage has a sequence more than the window
	for i := range n {
		missing[gramAt(wanted, i)]++
	}
	var best []window
	stride := max(n/2, slack/2) // of so many starts side by side the best one counts
	peak := window{of: n}
	keep := func() {
		if peak.grams*4 < n || len(best) == candidates && best[candidates-1].grams >= peak.grams {
			return
		}
		at, _ := slices.BinarySearchFunc(best, peak, func(a, b window) int {
			if a.grams >= b.grams {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, peak)
		best = best[:min(len(best), candidates)]
	}
	grams := 0
	for i := range len(text) - gramLength + 1 {
		entering := gramAt(text, i)
		if missing[entering] > 0 {
			grams++
		}
		missing[entering]--
		start := i - n + 1
		if start > 0 {
			leaving := gramAt(text, start-1)
			missing[leaving]++
			if missing[leaving] > 0 {
				grams--
			}
		}
		if start := max(start, 0); start >= peak.start-peak.start%stride+stride {
			keep()
			peak = window{start: start, grams: grams, of: n}
		} else if grams > peak.grams {
			peak.start, peak.grams = start, grams
		}
	}
	keep()
	return best
}

// align returns where in text a passage resembles wanted, near a window.
func align(text, wanted []byte, w window) resemblance {
	head := wanted[:min(len(wanted), longestHead)]
	from := max(0, w.start-slack)
	to := min(len(text), w.start+len(head)+len(head)/2+slack)
	start, end, distance := closest(text[from:to], head)
	start, end = start+from, end+from
	overlap := float64(w.grams) / float64(w.of)
	aligned := 1 - float64(distance)/float64(len(head))
	r := resemblance{start, end, aligned}
	if len(wanted) > len(head) {
		r.similarity = max((overlap+aligned)/2, overlap*0.9)
		if aligned < leastSimilar {
			r.start = w.start
		}
		r.end = min(len(text), r.start+len(wanted))
	}
	// Words are what is shown: no space at the ends.
	for r.end > r.start+1 && text[r.end-1] == ' ' {
		r.end--
	}
	for r.start < r.end-1 && text[r.start] == ' ' {
		r.start++
	}
	r.end = max(r.end, r.start+1)
	return r
}

// closest returns the part of text with the least edit distance to wanted, and
// that distance (Sellers, The theory and computation of evolutionary distances,
// 1980).
func closest(text, wanted []byte) (start, end, distance int) {
	// A cell holds the distance of wanted so far to the part of text that ends
	// there, and where this part starts.
	type cell struct{ distance, start int32 }
	row := make([]cell, len(text)+1)
	for j := range row {
		row[j].start = int32(j)
	}
	for i, c := range wanted {
		diagonal := row[0]
		row[0].distance = int32(i + 1)
		for j := range text {
			next := diagonal
			if text[j] != c {
				next.distance++
			}
			above, left := row[j+1], row[j]
			// Of equally distant parts the shortest one wins.
			if d := above.distance + 1; d < next.distance || d == next.distance && above.start > next.start {
				next = cell{d, above.start}
			}
			if d := left.distance + 1; d < next.distance || d == next.distance && left.start > next.start {
				next = cell{d, left.start}
			}
			diagonal, row[j+1] = above, next
		}
	}
	best := 0
	for j, c := range row {
		if c.distance < row[best].distance {
			best = j
		}
	}
	return int(row[best].start), best, int(row[best].distance)
}
