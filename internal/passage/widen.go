package passage

import (
	"sort"
	"strings"
)

// maxSnap is how many bytes an extension may grow to end with a whole line.
const maxSnap = 1000

// FindReplace returns the arguments that make the patch of text on a server that
// replaces the first occurrence of find.
func (p Patch) FindReplace(text string) (find, replace string) {
	w := widen(text, p.Match)
	return text[w.Start:w.End], text[w.Start:p.Start] + p.New + text[p.End:w.End]
}

// widen returns a match that contains m and whose text does not occur earlier in
// text. It extends m to the left, to the right or to both sides, whichever is
// shortest, and within the lines of m if possible. The extension ends with a whole
// line if one ends nearby.
func widen(text string, m Match) Match {
	if isFirst(text, m) {
		return m
	}
	bounds := Match{Start: 0, End: len(text)}
	lines := Match{Start: strings.LastIndexByte(text[:m.Start], '\n') + 1, End: indexFrom(text, '\n', m.End)}
	if isFirst(text, lines) {
		bounds = lines // keep other blocks unchanged
	}
	best := bounds
	for _, direction := range []struct{ left, right int }{{0, 1}, {1, 0}, {1, 1}} {
		// Anything that contains a first occurrence is one too: search for the shortest.
		extended := func(by int) Match {
			return Match{
				Start: runeStart(text, max(m.Start-by*direction.left, bounds.Start)),
				End:   runeEnd(text, min(m.End+by*direction.right, bounds.End)),
			}
		}
		if !isFirst(text, extended(len(text))) {
			continue
		}
		enough := 1
		for enough < len(text) && !isFirst(text, extended(enough)) {
			enough *= 2
		}
		short := enough / 2
		enough = short + sort.Search(enough-short, func(n int) bool { return isFirst(text, extended(short+n)) })
		if w := toLines(text, m, extended(enough)); w.End-w.Start < best.End-best.Start {
			best = w
		}
	}
	best.Tolerant = m.Tolerant
	return best
}

// isFirst reports whether the text of a match does not occur before it.
func isFirst(text string, m Match) bool {
	// Nothing that begins before it can reach further than this.
	return strings.Index(text[:m.End], text[m.Start:m.End]) == m.Start
}

// toLines moves the ends of w that are not ends of m to the start or end of a
// line, if that is near.
func toLines(text string, m, w Match) Match {
	if w.Start < m.Start {
		if start := strings.LastIndexByte(text[:w.Start], '\n') + 1; w.Start-start <= maxSnap {
			w.Start = start
		}
	}
	if w.End > m.End {
		if end := indexFrom(text, '\n', w.End); end-w.End <= maxSnap {
			w.End = end
		}
	}
	return w
}
