package folder

import (
	"slices"
	"strings"
)

// merge makes the changes of both texts to their common earlier text. ok is false if
// both change the same block, or blocks that touch, in different ways.
func merge(earlier, ours, theirs string) (merged string, ok bool) {
	switch {
	case ours == theirs, theirs == earlier:
		return ours, true
	case ours == earlier:
		return theirs, true
	}
	o, a, b := blocks(earlier), blocks(ours), blocks(theirs)
	inA, inB := matches(o, a), matches(o, b)
	var out []string
	var i, j, k int // how far o, a and b have been merged
	for i < len(o) || j < len(a) || k < len(b) {
		if i < len(o) && inA[i] == j && inB[i] == k {
			out = append(out, o[i])
			i, j, k = i+1, j+1, k+1
			continue
		}
		// The next block that all three have ends what differs.
		end := i
		for end < len(o) && (inA[end] < j || inB[end] < k) {
			end++
		}
		endA, endB := len(a), len(b)
		if end < len(o) {
			endA, endB = inA[end], inB[end]
		}
		old, mine, other := o[i:end], a[j:endA], b[k:endB]
		switch {
		case slices.Equal(mine, other), slices.Equal(old, other):
			out = append(out, mine...)
		case slices.Equal(old, mine):
			out = append(out, other...)
		default:
			each, ok := mergeEach(old, mine, other)
			if !ok {
				return "", false
			}
			out = append(out, each...)
		}
		i, j, k = end, endA, endB
	}
	return strings.TrimRight(strings.Join(out, ""), "\n"), true
}

// mergeEach merges block by block where neither side adds or removes one.
func mergeEach(old, mine, other []string) (merged []string, ok bool) {
	if len(mine) != len(old) || len(other) != len(old) {
		return nil, false
	}
	for i, block := range old {
		switch block {
		case other[i]:
			merged = append(merged, mine[i])
		case mine[i]:
			merged = append(merged, other[i])
		default:
			return nil, false
		}
	}
	return merged, true
}

// blocks cuts a text where blank lines are outside of code. A block includes the blank
// lines after it, and the last one ends like the others so that it can be compared.
func blocks(text string) []string {
	var all []string
	start, at, fence, blank := 0, 0, "", false
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	for line := range strings.Lines(text) {
		isBlank := strings.TrimSpace(line) == "" && fence == ""
		if blank && !isBlank {
			all = append(all, text[start:at])
			start = at
		}
		blank = isBlank
		fence = fenceAfter(line, fence)
		at += len(line)
	}
	return append(all, text[start:]+"\n\n")
}

// matches returns for each item of a the index of the same item in b, or -1: a longest
// common subsequence.
func matches(a, b []string) []int {
	result := make([]int, len(a))
	for i := range result {
		result[i] = -1
	}
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		result[head] = head
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
		result[len(a)-tail] = len(b) - tail
	}
	middleA, middleB := a[head:len(a)-tail], b[head:len(b)-tail]
	const most = 4000 // blocks that differ: beyond it, they all count as changed
	if len(middleA) > most || len(middleB) > most {
		return result
	}
	lengths := make([][]uint16, len(middleA)+1)
	for i := range lengths {
		lengths[i] = make([]uint16, len(middleB)+1)
	}
	for i := len(middleA) - 1; i >= 0; i-- {
		for j := len(middleB) - 1; j >= 0; j-- {
			if middleA[i] == middleB[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(middleA) && j < len(middleB); {
		switch {
		case middleA[i] == middleB[j]:
			result[head+i] = head + j
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return result
}
