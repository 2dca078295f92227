package edit

import (
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// widenBy includes n more characters on both sides, and the words that these
// are in.
func (e rawEdit) widenBy(raw string, n int) rawEdit {
	start, end := runeStart(raw, max(0, e.start-n)), runeEnd(raw, min(len(raw), e.end+n))
	start = len(strings.TrimRightFunc(raw[:start], isWord))
	return e.widen(raw, start, len(raw)-len(strings.TrimLeftFunc(raw[end:], isWord)))
}

// widenLeft and widenRight include n more characters on one side, and the words that these
// are in.
func (e rawEdit) widenLeft(raw string, n int) rawEdit {
	return e.widen(raw, e.widenBy(raw, n).start, e.end)
}

func (e rawEdit) widenRight(raw string, n int) rawEdit {
	return e.widen(raw, e.start, e.widenBy(raw, n).end)
}

// widenLines includes the lines in which the edit begins and ends.
func (e rawEdit) widenLines(raw string) rawEdit {
	return e.widen(raw, strings.LastIndexByte(raw[:e.start], '\n')+1, indexFrom(raw, '\n', e.end))
}

// unique widens an edit, but not beyond a range, until the text to find occurs
// once in raw.
func (e rawEdit) unique(raw string, limit prosemirror.Range) (rawEdit, bool) {
	for step := 1; ; step *= 2 {
		if e.start < limit.Start || e.end > limit.End {
			return e, false
		}
		if find := raw[e.start:e.end]; find != "" {
			if at := strings.Index(raw, find); at == e.start && !strings.Contains(raw[at+1:], find) {
				return e, true
			}
			if len(find) == len(raw) {
				return e, false
			}
		}
		e = e.widenBy(raw, step)
	}
}

// forms yields the edit in the forms in which it can be sent as a patch: first
// those that stay within the blocks that the edit touches, from the shortest to
// the longest, then those that touch more blocks, so that Outline parses all of
// them again. The latter must touch blocks first to last.
func (s *Source) forms(e rawEdit, first, last int) iter.Seq[rawEdit] {
	return func(yield func(rawEdit) bool) {
		each := func(e, form rawEdit) bool {
			if !yield(form) {
				return false
			}
			form, ok := s.meant(e, form)
			return !ok || yield(form)
		}
		slides := e.slides(s.Markdown.Raw)
		for _, e := range slides {
			if !s.narrow(e, each) {
				return
			}
		}
		if !s.regions(e, first, last, each) {
			return
		}
		for _, e := range slides[1:] { // which may touch fewer blocks
			if first, last := e.blocks(s.Markdown.Blocks); !s.regions(e, first, last, each) {
				return
			}
		}
	}
}

func (s *Source) narrow(e rawEdit, yield func(e, form rawEdit) bool) bool {
	raw := s.Markdown.Raw
	first, last := e.blocks(s.Markdown.Blocks)
	limit := prosemirror.Range{Start: s.Markdown.Blocks[first].Raw.Start, End: s.Markdown.Blocks[last].Raw.End}
	start := limit.Start
	for start < e.start && raw[start] == '\n' {
		start++
	}
	var seen []rawEdit
	forms := []rawEdit{
		e, e.widenBy(raw, 0), e.widenBy(raw, 1), e.widenBy(raw, 12), e.widenLines(raw),
		e.widen(raw, start, limit.End), e.widen(raw, limit.Start, limit.End),
	}
	// If a piece must begin or end with other words, those on one side may do without
	// touching the comments on the other.
	for _, n := range []int{1, 3, 8, 16} {
		forms = append(forms, e.widenRight(raw, n), e.widenLeft(raw, n))
	}
	for _, form := range forms {
		form, ok := form.unique(raw, limit)
		if !ok || slices.Contains(seen, form) {
			continue
		}
		seen = append(seen, form)
		if !yield(e, form) {
			return false
		}
	}
	return true
}

func (s *Source) regions(e rawEdit, first, last int, yield func(e, form rawEdit) bool) bool {
	raw, blocks := s.Markdown.Raw, s.Markdown.Blocks
	for _, around := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {2, 2}} {
		from, to := first-around[0], last+around[1]
		if from < 0 || to >= len(blocks) || from == to {
			continue
		}
		start, end := e.start, e.end
		if at := blocks[from].Raw.End; start >= at {
			_, size := utf8.DecodeLastRuneInString(raw[:at])
			start = at - size
		}
		if at := blocks[to].Raw.Start; end <= at {
			for at < blocks[to].Raw.End-1 && raw[at] == '\n' {
				at++
			}
			_, size := utf8.DecodeRuneInString(raw[at:])
			end = at + size
		}
		form, ok := e.widen(raw, start, end).unique(raw, prosemirror.Range{End: len(raw)})
		if ok && !yield(e, form) {
			return false
		}
	}
	return true
}

// maxCompared bounds the work of comparing two lists.
const maxCompared = 1 << 18

// common returns the pairs of indexes of a longest common subsequence of two
// lists. If the lists are too long to compare, it returns what they have in
// common at both ends.
func common[T comparable](a, b []T) (pairs [][2]int) {
	start, endA, endB := changed(a, b, equal)
	for i := range start {
		pairs = append(pairs, [2]int{i, i})
	}
	if n, m := endA-start, endB-start; n > 0 && m > 0 && n*m <= maxCompared {
		same := func(i, j int) int {
			if a[start+i] == b[start+j] {
				return 1
			}
			return 0
		}
		for _, pair := range heaviest(n, m, same) {
			pairs = append(pairs, [2]int{start + pair[0], start + pair[1]})
		}
	}
	for i := range len(a) - endA {
		pairs = append(pairs, [2]int{endA + i, endB + i})
	}
	return pairs
}

// heaviest returns the pairs of indexes of two lists of lengths n and m, in the order of
// both, that weigh most together. Pairs without a weight are not among them.
func heaviest(n, m int, weight func(i, j int) int) (pairs [][2]int) {
	best := make([]int32, (n+1)*(m+1)) // the weight of the pairs from i and j on
	at := func(i, j int) *int32 { return &best[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			if w := weight(i, j); w > 0 {
				*at(i, j) = max(*at(i, j), *at(i+1, j+1)+int32(w))
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch w := weight(i, j); {
		case w > 0 && *at(i, j) == *at(i+1, j+1)+int32(w):
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case *at(i, j) == *at(i+1, j):
			i++
		default:
			j++
		}
	}
	return pairs
}

// changed returns the part of two lists between their common ends.
func changed[T any](a, b []T, same func(x, y T) bool) (start, endA, endB int) {
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

func equal[T comparable](x, y T) bool { return x == y }

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
