// Command archive archives the documents that a file lists, one ID, slug or
// URL per line.
package main

import (
	"context"
	"fmt"
	"slices"

	"example/outline"
)

func main() { outline.Run("FILE", archive) }

func archive(ctx context.Context, s outline.Session, args []string) (int, error) {
	documents, err := outline.Lines(args[0])
	if err != nil {
		return 1, err
	}
	code := 0
	for some := range slices.Chunk(documents, 100) {
		var answer outline.Batch
		if err := s.Call(ctx, "batch_archive_documents", map[string]any{"document_ids": some}, &answer); err != nil {
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
