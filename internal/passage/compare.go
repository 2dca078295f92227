package passage

import (
	"slices"
	"sort"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// compare returns the changes from before to after, in order.
//
// After some hundred changes, the library stops searching for the shortest
// result and treats the rest as one change, so that 50 edits of a long text
// would show all of it. Therefore the library only compares the lines between
// anchors, which are few.
func compare(before, after []string) []lcs.Diff {
	var changes []lcs.Diff
	i, j := 0, 0
	for _, same := range append(anchors(before, after), anchor{len(before), len(after)}) {
		if from, to := before[i:same.before], after[j:same.after]; !slices.Equal(from, to) {
			for _, c := range lcs.DiffLines(from, to) {
				changes = append(changes, lcs.Diff{Start: i + c.Start, End: i + c.End, ReplStart: j + c.ReplStart, ReplEnd: j + c.ReplEnd})
			}
		}
		i, j = same.before+1, same.after+1
	}
	return changes
}

// An anchor is a line that occurs exactly once in each of two texts.
type anchor struct{ before, after int }

// anchors returns the longest sequence of such lines that are in the same order
// in both texts (the first step of Bram Cohen's patience diff).
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
