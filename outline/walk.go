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
func walkPages[T any](ctx context.Context, most int, fetch func(ListParams) (Page[T], error), id func(T) string, use func(T) (enough bool)) (walked, error) {
	seen := map[string]bool{} // a change during the walk moves items to another page
	for offset := 0; ; offset += maxPage {
		start := time.Now()
		page, err := fetch(ListParams{Limit: maxPage, Offset: offset})
		if err != nil {
			return walked{searched: len(seen)}, err
		}
		for _, item := range page.Items {
			if seen[id(item)] {
				continue
			}
			seen[id(item)] = true
			if use(item) {
				return walked{searched: len(seen)}, nil
			}
		}
		if len(page.Items) < maxPage {
			return walked{searched: len(seen)}, nil
		}
		deadline, limited := ctx.Deadline()
		if offset+maxPage >= most || limited && time.Until(deadline) < 3*time.Since(start)+time.Second {
			return walked{searched: len(seen), incomplete: true}, nil
		}
	}
}
