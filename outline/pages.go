package outline

import (
	"cmp"
	"context"
	"iter"
	"time"
)

// maxPage is the largest page size; Outline rejects a larger limit with 400.
const maxPage = 100

// A Page is one page of a list.
type Page[T any] struct {
	Items  []T // never nil
	Limit  int // page size that Outline applied
	Offset int // of the first item, from 0
	Total  int // number of items on all pages, -1 if Outline does not send it
}

// ListParams select a page.
type ListParams struct {
	Limit  int `json:"limit,omitempty"`  // 1–100; 0 is Outline's default, 25
	Offset int `json:"offset,omitempty"` // 0 or more
}

// A sortedList is a request for a page of a list in an order.
type sortedList struct {
	CollectionID     string `json:"collectionId,omitempty"`
	ParentDocumentID string `json:"parentDocumentId,omitempty"`
	Sort             string `json:"sort"`
	Direction        string `json:"direction"`
	ListParams
}

// pagination is the part of an answer that describes its page. Outline leaves
// total out for documents.search_titles and for several other lists.
type pagination struct {
	Limit  int  `json:"limit"`
	Offset int  `json:"offset"`
	Total  *int `json:"total"`
}

// list fetches one page. incomplete returns what is missing from an item, or "".
// An incomplete item makes the call fail with ErrBadAnswer.
func list[T any](ctx context.Context, c *Client, r request, incomplete func(T) string) (Page[T], error) {
	a := envelope[items[T]]{check: func(all items[T]) string { return incompleteAmong(all, incomplete) }}
	if err := c.call(ctx, r, &a); err != nil {
		return Page[T]{}, err
	}
	page := Page[T]{Items: *a.Data, Limit: a.Pagination.Limit, Offset: a.Pagination.Offset, Total: -1}
	if a.Pagination.Total != nil {
		page.Total = *a.Pagination.Total
	}
	return page, nil
}

// counted is like list, for an endpoint that returns the total.
func counted[T any](ctx context.Context, c *Client, r request, incomplete func(T) string) (Page[T], error) {
	page, err := list(ctx, c, r, incomplete)
	if err == nil && page.Total < 0 {
		return Page[T]{}, wrongShape(r.endpoint, "the list does not say how long it is")
	}
	return page, err
}

// A Paging says how [All] reads a list. The zero value reads all of it, 100 items at a
// time.
type Paging struct {
	First int // items of the first page; each further one is as long as all before it, up to 100
	Most  int // no further page is read after that many items
}

// All yields the items of a list, fetching each page when its first item is needed. An
// error is yielded once and ends the sequence.
func All[T any](ctx context.Context, fetch func(context.Context, ListParams) (Page[T], error), p Paging) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for next := (ListParams{Limit: cmp.Or(p.First, maxPage)}); p.Most == 0 || next.Offset < p.Most; {
			page, err := fetch(ctx, next)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			// nextPath is there even past the end, and total is often missing:
			// a page that is not full is the only sign of the last one.
			if len(page.Items) < next.Limit {
				return
			}
			next.Offset += next.Limit
			next.Limit = min(next.Offset, maxPage)
		}
	}
}

// Collect returns the items of a sequence, or those before its error.
func Collect[T any](items iter.Seq2[T, error]) (all []T, err error) {
	for item, err := range items {
		if err != nil {
			return all, err
		}
		all = append(all, item)
	}
	return all, nil
}

// createdSince returns the items of a list that were created since start, by the local
// clock. newestFirst tells that none follows an older one.
func createdSince[T any](ctx context.Context, c *Client, endpoint string, params func(ListParams) any, newestFirst bool, start time.Time, created func(T) time.Time) (found []T, err error) {
	var since time.Time // by the server's clock
	list := func(ctx context.Context, p ListParams) (Page[T], error) {
		var a envelope[items[T]]
		sent, err := c.callAt(ctx, reading.request(endpoint, params(p)), &a)
		if err != nil {
			return Page[T]{}, err
		}
		since = sent.Add(-time.Since(start) - 2*time.Second) // that clock has whole seconds
		return Page[T]{Items: *a.Data}, nil
	}
	for item, err := range All(ctx, list, Paging{}) {
		switch {
		case err != nil:
			return nil, err
		case !created(item).Before(since):
			found = append(found, item)
		case newestFirst:
			return found, nil
		}
	}
	return found, nil
}

// listProgress is how far a list was read.
type listProgress struct {
	searched   int  // number of items
	incomplete bool // it ended before the list did, and before use had enough
}

// readPages fetches the pages of a list and calls use with each item once, until use
// returns true. It stops early after most items, and when another page may take longer
// than the deadline of ctx allows. If items change between two requests, one
// that moves from a later page to an earlier one is missed.
func readPages[T any](ctx context.Context, most int, fetch func(ListParams) (Page[T], error), id func(T) string, use func(T) (enough bool)) (w listProgress, err error) {
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
	seen := map[string]bool{} // a change while the list is read moves items to another page
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

// listingTime is how long Outline remembers which collections a user may read. Until
// then, lists and searches leave out a new one and what is in it.
const listingTime = 10 * time.Second

// UnlistedCollection returns the UUID of the collection that the caller has created
// with this client in the last ten seconds, which lists and searches of the server may
// leave out. Otherwise it returns "".
func (c *Client) UnlistedCollection(ctx context.Context) string {
	if c.created.Len() == 0 {
		return ""
	}
	credential, failure := c.credential(ctx, "")
	if failure != nil {
		return ""
	}
	id, _ := c.created.Get(credential.subject())
	return id
}

// listsAtOnce reports whether the server is known to list a collection as soon as it
// is created: those that check revisions do.
func (c *Client) listsAtOnce(ctx context.Context) bool {
	known, err := c.KnowsRevisions(ctx)
	return err == nil && known
}
