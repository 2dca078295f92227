package passage

import (
	"slices"
	"sort"
	"strings"

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
