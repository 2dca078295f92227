package main

import (
	"context"
	"fmt"
	"time"
)

// stale lists the documents about a topic that have not changed since
// a given day.
func stale(ctx context.Context, s session, args []string) (int, error) {
	day, err := time.Parse(time.DateOnly, args[1])
	if err != nil {
		return 1, err
	}
	for offset := new(0); offset != nil; {
		var page struct {
			Results []struct {
				DocumentID string    `json:"document_id"`
				Title      string    `json:"title"`
				UpdatedAt  time.Time `json:"updated_at"`
			} `json:"results"`
			NextOffset *int `json:"next_offset"`
		}
		arguments := map[string]any{"query": args[0], "detail_level": "full", "limit": 100, "offset": *offset}
		if err := s.call(ctx, "search_documents", arguments, &page); err != nil {
			return 1, err
		}
		for _, document := range page.Results {
			if document.UpdatedAt.Before(day) {
				fmt.Println(document.UpdatedAt.Format(time.DateOnly), document.DocumentID, document.Title)
			}
		}
		offset = page.NextOffset
	}
	return 0, nil
}
