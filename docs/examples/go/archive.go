package main

import (
	"context"
	"fmt"
	"slices"
)

// archive archives the documents that a file lists, one ID, slug or
// URL per line.
func archive(ctx context.Context, s session, args []string) (int, error) {
	documents, err := linesOf(args[0])
	if err != nil {
		return 1, err
	}
	code := 0
	for some := range slices.Chunk(documents, 100) {
		var answer batch
		if err := s.call(ctx, "batch_archive_documents", map[string]any{"document_ids": some}, &answer); err != nil {
			return 1, err
		}
		for _, item := range answer.Results {
			switch {
			case item.Status == "success":
				fmt.Println("archived", item.ID, item.Title)
			case item.Code == "not_found":
				fmt.Println("gone already", item.ID)
			default:
				fmt.Println("FAILED", item.ID, item.Code, item.Error)
				code = 1
			}
		}
	}
	return code, nil
}
