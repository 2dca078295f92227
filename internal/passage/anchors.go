package passage

import (
	"slices"
	"sort"
	"strings"
)

// splitLines returns the lines of a text with their ends. A "\n" at the end of
// the text begins no further line.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// commonLines returns how many bytes of whole lines two texts have in common at
// their starts and, of what is left of them, at their ends.
func commonLines(a, b string) (prefix, suffix int) {
	shorter := min(len(a), len(b))
	for prefix < shorter && a[prefix] == b[prefix] {
		prefix++
	}
	if prefix < len(a) || prefix < len(b) {
		prefix = strings.LastIndexByte(a[:prefix], '\n') + 1
	}
	a, b = a[prefix:], b[prefix:]
	shorter -= prefix
	for suffix < shorter && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	if startsLine(a, len(a)-suffix) && startsLine(b, len(b)-suffix) {
		return prefix, suffix
	}
	rest := a[len(a)-suffix:]
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		return prefix, len(rest) - i - 1
	}
	return prefix, 0
}

func startsLine(text string, at int) bool { return at == 0 || text[at-1] == '\n' }

// An anchor is a line that two texts have exactly once each.
type anchor struct{ before, after int }

// anchors returns the longest run of such lines that has the same order in both
// texts (the first step of Bram Cohen's patience diff).
func anchors(before, after []string) []anchor {
	const none, several = -1, -2
	type place struct{ before, after int }
	places := make(map[string]place, len(before))
	for i, line := range before {
		if _, known := places[line]; known {
			i = several
		}
		places[line] = place{i, none}
	}
	for i, line := range after {
		if p, known := places[line]; known {
			if p.after != none {
				i = several
			}
			places[line] = place{p.before, i}
		}
	}
	// The longest increasing subsequence: ends[n] is the anchor with the least
	// place in after among those that end a run of n+1.
	var all []anchor
	var ends, previous []int
	for i, line := range before {
		p := places[line]
		if p.before != i || p.after < 0 {
			continue
		}
		n := sort.Search(len(ends), func(n int) bool { return all[ends[n]].after > p.after })
		link := none
		if n > 0 {
			link = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = len(all)
		all, previous = append(all, anchor{i, p.after}), append(previous, link)
	}
	run := make([]anchor, 0, len(ends))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i != none; i = previous[i] {
			run = append(run, all[i])
		}
	}
	slices.Reverse(run)
	return run
}
