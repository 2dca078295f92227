package outline

import (
	"context"
	"time"
)

// walked is how far a list was read.
type walked struct {
	searched   int  // number of items
	incomplete bool // it ended before the list did, and before use had enough
}

// walkPages fetches the pages of a list and calls use with each item once, until use
// returns true. It stops early after most items, and when another page may take longer
// than the deadline of ctx allows. If somebody changes items between two requests, one
// that moves from a later page to an earlier one is missed.
func walkPages[T any](ctx context.Context, most int, fetch func(ListParams) (Page[T], error), id func(T) string, use func(T) (enough bool)) (w walked, err error) {
	var took time.Duration // the last page
	next := func(ctx context.Context, p ListParams) (Page[T], error) {
		deadline, limited := ctx.Deadline()
		if w.incomplete = p.Offset > 0 && (p.Offset >= most || limited && time.Until(deadline) < 3*took+time.Second); w.incomplete {
			return Page[T]{}, nil
		}
		start := time.Now()
		page, err := fetch(p)
		took = time.Since(start)
		return page, err
	}
	seen := map[string]bool{} // a change during the walk moves items to another page
	for item, err := range All(ctx, next, Paging{}) {
		if err != nil {
			return w, err
		}
		if seen[id(item)] {
			continue
		}
		seen[id(item)] = true
		w.searched++
		if use(item) {
			break
		}
	}
	return w, nil
}
