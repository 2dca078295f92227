package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
)

// create creates a document for each row of a CSV file with the
// columns title and text.
func create(ctx context.Context, s session, args []string) (int, error) {
	file, err := textOf(args[0])
	if err != nil {
		return 1, err
	}
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		return 1, err
	}
	if len(rows) == 0 || !slices.Contains(rows[0], "title") || !slices.Contains(rows[0], "text") {
		return 1, fmt.Errorf("%s needs the columns title and text", args[0])
	}
	title, text := slices.Index(rows[0], "title"), slices.Index(rows[0], "text")
	code := 0
	for some := range slices.Chunk(rows[1:], 25) { // Outline allows 25 a minute
		var documents []map[string]string
		for _, row := range some {
			documents = append(documents, map[string]string{"title": row[title], "text": row[text], "collection_id": args[1]})
		}
		var answer batch
		if err := s.call(ctx, "batch_create_documents", map[string]any{"documents": documents}, &answer); err != nil {
			return 1, err
		}
		for _, item := range answer.Results {
			if item.Status == "success" {
				fmt.Println("created", item.ID, item.Title)
				continue
			}
			fmt.Println("FAILED", some[item.Index][title], item.Code, item.Error)
			code = 1
		}
	}
	return code, nil
}
