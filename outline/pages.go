package outline

import (
	"context"
	"iter"
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

// pagination is the part of an answer that describes its page. Outline leaves
// total out for documents.search_titles and for several other lists.
type pagination struct {
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
	Total  int `json:"total"`
}

// list fetches one page. incomplete returns what is missing from an item, or "".
// An incomplete item makes the call fail with ErrBadAnswer.
func list[T any](ctx context.Context, c *Client, endpoint string, params any, incomplete func(T) string) (Page[T], error) {
	return listOf(ctx, c, request{endpoint: endpoint, params: params, passing: true}, incomplete)
}

func listOf[T any](ctx context.Context, c *Client, r request, incomplete func(T) string) (Page[T], error) {
	a := envelope[[]T]{Pagination: pagination{Total: -1}, check: func(items []T) string {
		for _, item := range items {
			if why := incomplete(item); why != "" {
				return why
			}
		}
		return ""
	}}
	if err := c.call(ctx, r, &a); err != nil {
		return Page[T]{}, err
	}
	return Page[T]{Items: *a.Data, Limit: a.Pagination.Limit, Offset: a.Pagination.Offset, Total: a.Pagination.Total}, nil
}

// counted is like list, for an endpoint that returns the total.
func counted[T any](ctx context.Context, c *Client, endpoint string, params any, incomplete func(T) string) (Page[T], error) {
	return countedOf(ctx, c, request{endpoint: endpoint, params: params, passing: true}, incomplete)
}

func countedOf[T any](ctx context.Context, c *Client, r request, incomplete func(T) string) (Page[T], error) {
	page, err := listOf(ctx, c, r, incomplete)
	if err == nil && page.Total < 0 {
		return Page[T]{}, wrongShape(r.endpoint, "the list does not say how long it is")
	}
	return page, err
}

// pages yields the items of all pages, fetching each page when its first item is
// needed. An error ends the sequence.
func pages[T any](ctx context.Context, c *Client, endpoint string, params func(ListParams) any, incomplete func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for offset := 0; ; offset += maxPage {
			page, err := list(ctx, c, endpoint, params(ListParams{Limit: maxPage, Offset: offset}), incomplete)
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
			if len(page.Items) < maxPage {
				return
			}
		}
	}
}
