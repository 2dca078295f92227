package docedit

import (
	"slices"
	"sort"

	"outline-mcp/outline/prosemirror"
)

// maxCompared bounds the work of comparing two lists.
const maxCompared = 1 << 18

// common returns the pairs of indexes of a longest common subsequence of two
// lists. If the lists are too long to compare, it returns what they have in
// common at both ends.
func common[T comparable](a, b []T) [][2]int {
	var pairs [][2]int
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		pairs = append(pairs, [2]int{start, start})
		start++
	}
	tail := 0
	for tail < len(a)-start && tail < len(b)-start && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	n, m := len(a)-start-tail, len(b)-start-tail
	if n > 0 && m > 0 && n*m <= maxCompared {
		lengths := make([]int32, (n+1)*(m+1)) // of the common part from i and j on
		for i := n - 1; i >= 0; i-- {
			for j := m - 1; j >= 0; j-- {
				best := max(lengths[(i+1)*(m+1)+j], lengths[i*(m+1)+j+1])
				if a[start+i] == b[start+j] {
					best = max(best, lengths[(i+1)*(m+1)+j+1]+1)
				}
				lengths[i*(m+1)+j] = best
			}
		}
		for i, j := 0, 0; i < n && j < m; {
			switch {
			case a[start+i] == b[start+j] && lengths[i*(m+1)+j] == lengths[(i+1)*(m+1)+j+1]+1:
				pairs = append(pairs, [2]int{start + i, start + j})
				i++
				j++
			case lengths[(i+1)*(m+1)+j] >= lengths[i*(m+1)+j+1]:
				i++
			default:
				j++
			}
		}
	}
	for i := range tail {
		pairs = append(pairs, [2]int{len(a) - tail + i, len(b) - tail + i})
	}
	return pairs
}

// changed returns the part of two lists between their common ends.
func changed(a, b []*prosemirror.Node, same func(x, y *prosemirror.Node) bool) (start, endA, endB int) {
	for start < len(a) && start < len(b) && same(a[start], b[start]) {
		start++
	}
	endA, endB = len(a), len(b)
	for endA > start && endB > start && same(a[endA-1], b[endB-1]) {
		endA--
		endB--
	}
	return start, endA, endB
}

// searchBlock returns the first block whose range in raw satisfies the
// condition, which holds for all later blocks as well, or the last block.
func searchBlock(blocks []prosemirror.Block, condition func(prosemirror.Range) bool) int {
	n := sort.Search(len(blocks), func(i int) bool { return condition(blocks[i].Raw) })
	return max(0, min(n, len(blocks)-1))
}

// splice returns list with list[start:end] replaced.
func splice(list []*prosemirror.Node, start, end int, with []*prosemirror.Node) []*prosemirror.Node {
	return slices.Concat(list[:start], with, list[end:])
}
