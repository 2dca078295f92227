package passage

import "github.com/aymanbagabas/go-udiff/lcs"

// compare returns what turns before into after, by index and in order.
func compare(before, after []string) []lcs.Diff {
	d := differ{before: before, after: after}
	// The library gives up on the shortest answer after some hundred changes,
	// and takes what is left for one. Between lines that cannot be confused
	// there are few.
	for _, same := range anchors(before, after) {
		d.compare(same.before, same.after)
		d.i, d.j = same.before+1, same.after+1
	}
	d.compare(len(before), len(after))
	return d.changes
}

// A differ walks through two texts side by side.
type differ struct {
	before, after []string
	i, j          int // where it is in them
	changes       []lcs.Diff
}

// compare goes on to line n of before and line m of after.
func (d *differ) compare(n, m int) {
	for d.i < n && d.j < m && d.before[d.i] == d.after[d.j] {
		d.i, d.j = d.i+1, d.j+1
	}
	i, j := n, m
	for d.i < i && d.j < j && d.before[i-1] == d.after[j-1] {
		i, j = i-1, j-1
	}
	switch {
	case d.i == i && d.j == j:
	case d.i == i || d.j == j:
		d.add(lcs.Diff{Start: d.i, End: i, ReplStart: d.j, ReplEnd: j})
	default:
		for _, c := range lcs.DiffLines(d.before[d.i:i], d.after[d.j:j]) {
			d.add(lcs.Diff{Start: d.i + c.Start, End: d.i + c.End, ReplStart: d.j + c.ReplStart, ReplEnd: d.j + c.ReplEnd})
		}
	}
	d.i, d.j = n, m
}

// add adds a change, to the last one if it follows at once.
func (d *differ) add(c lcs.Diff) {
	if n := len(d.changes); n > 0 && d.changes[n-1].End == c.Start && d.changes[n-1].ReplEnd == c.ReplStart {
		d.changes[n-1].End, d.changes[n-1].ReplEnd = c.End, c.ReplEnd
		return
	}
	d.changes = append(d.changes, c)
}
