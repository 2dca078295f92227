package edit

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/text"
)

const (
	mostNearest  = 3
	longestPlace = 400 // code points of a passage that is shown
	candidates   = 12  // how many windows are looked at closely
	longestOld   = 1024
	longestHead  = 256 // bytes of old that are aligned
	slack        = 128 // how far from its window the start of a passage may lie

	// Unrelated passages in the same language reach about 0.4.
	leastSimilar = 0.5
	// A short passage must fit better because chance matches are more likely.
	short, leastShort = 12, 0.7
	// A passage that is this much worse than the best does not help.
	muchWorse = 0.25
)

// A resemblance is a part of the letters of a text that resembles a passage.
type resemblance struct {
	start, end int
	similarity float64 // 1: the same
}

// nearest returns the passages of text that resemble old most, best first. It
// ignores marks, punctuation and case.
func nearest(text, old string) []Place {
	there, wanted := lettersOf(text), lettersOf(old)
	var found []resemblance
	for _, w := range windows(there.text, wanted.text[:min(len(wanted.text), longestOld)]) {
		r := align(there.text, wanted.text, w)
		if len(wanted.text) <= short && r.similarity < leastShort || r.similarity < leastSimilar {
			continue
		}
		found = append(found, r)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].similarity > found[j].similarity })

	var places []Place
	var shown []Match
	for _, r := range found {
		if len(places) == mostNearest || r.similarity < found[0].similarity-muchWorse {
			break
		}
		start, end := int(there.stored[r.start]), runeEnd(text, int(there.stored[r.end-1])+1)
		differs := r.start + there.from(r.start).difference(text, old, wanted)
		m := excerpt(text, Match{Start: start, End: end}, int(there.stored[differs]), longestPlace)
		if slices.ContainsFunc(shown, func(other Match) bool { return m.Start < other.End && other.Start < m.End }) {
			continue
		}
		shown = append(shown, m)
		places = append(places, Place{lineNumber(text, m.Start), text[m.Start:m.End]})
	}
	return places
}

// excerpt returns the whole lines of a match or, if they have more than limit
// code points, the part of them around the offset focus, in whole lines if
// possible.
func excerpt(stored string, m Match, focus, limit int) Match {
	start := strings.LastIndexByte(stored[:m.Start], '\n') + 1
	end := indexFrom(stored, '\n', m.End)
	if text.Offset(stored[start:end], limit) == end-start {
		return Match{Start: start, End: end}
	}
	focus = min(max(focus, start), end)
	from := focus
	for n := 0; n < limit/3 && from > start; n++ {
		from = max(start, runeStart(stored, from-1))
	}
	to := max(focus, from+text.Offset(stored[from:end], limit)) // invalid UTF-8 has more code points than characters
	if i := strings.IndexByte(stored[from:focus], '\n'); i >= 0 && from > start {
		from += i + 1
	}
	if i := strings.LastIndexByte(stored[focus:to], '\n'); i > 0 && to < end {
		to = focus + i
	}
	return Match{Start: from, End: to}
}

// letters is a text reduced to its letters, in lower case, and digits, with one
// space between two words.
type letters struct {
	text   []byte
	stored []uint32 // for each byte, where its character starts in the stored text
}

func lettersOf(text string) letters {
	l := letters{make([]byte, 0, len(text)), make([]uint32, 0, len(text))}
	space := true // none is needed at the start
	for i := 0; i < len(text); {
		if c := asciiLetter[text[i]]; c != 0 {
			if c != ' ' || !space {
				l.text = append(l.text, c)
				l.stored = append(l.stored, uint32(i))
			}
			space = c == ' '
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		before := len(l.text)
		switch isSpace := isGap(r); {
		case !isSpace:
			l.text = utf8.AppendRune(l.text, unicode.ToLower(r))
			space = false
		case !space:
			l.text = append(l.text, ' ')
			space = true
		}
		for range len(l.text) - before {
			l.stored = append(l.stored, uint32(i))
		}
		i += width
	}
	return l
}

// asciiLetter gives for each ASCII character the letter or digit that it counts
// as, a space for all others, and 0 for bytes beyond ASCII.
var asciiLetter = func() (table [256]byte) {
	for c := range utf8.RuneSelf {
		table[c] = ' '
		if r := unicode.ToLower(rune(c)); 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			table[c] = byte(r)
		}
	}
	return table
}()

// isGap reports whether a character beyond ASCII separates words: general, Chinese
// and Japanese punctuation, the no-break space, and invalid bytes.
func isGap(r rune) bool {
	return r <= 0xBF && r != 'ª' && r != 'µ' && r != 'º' || 0x2000 <= r && r <= 0x206F ||
		0x3000 <= r && r <= 0x303F || r == utf8.RuneError
}

// from returns the letters from an index on.
func (l letters) from(i int) letters { return letters{l.text[i:], l.stored[i:]} }

// after returns the stored text from a letter to the next one.
func (l letters) after(stored string, i int) string {
	if i+1 < len(l.stored) {
		return stored[l.stored[i]:l.stored[i+1]]
	}
	return stored[l.stored[i]:]
}

// difference returns the first letter of l, a part of text, at which it differs
// from old, which has the letters wanted. It is 0 if there is no difference.
func (l letters) difference(text, old string, wanted letters) int {
	for i := range l.text {
		switch {
		case i+1 >= len(wanted.text):
			return 0 // what follows the last letter does not count
		case l.text[i] != wanted.text[i]:
			return i
		}
		if here, there := l.after(text, i), wanted.after(old, i); here != there && fold(here).text != fold(there).text {
			return i
		}
	}
	return len(l.text) - 1
}

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
