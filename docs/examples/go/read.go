package main

import (
	"context"
	"fmt"
)

// read prints a document: its title and its text, however long it is.
func read(ctx context.Context, s session, args []string) (int, error) {
	for line := 1; line > 0; {
		var part struct {
			Title         string `json:"title"`
			Text          string `json:"text"`
			NextStartLine int    `json:"next_start_line"`
		}
		err := s.call(ctx, "read_document", map[string]any{"document_id": args[0], "start_line": line}, &part)
		if codeOf(err) == "not_found" {
			return 1, fmt.Errorf("there is no document %s", args[0])
		}
		if err != nil {
			return 1, err
		}
		if line == 1 {
			fmt.Printf("# %s\n\n", part.Title)
		}
		fmt.Println(part.Text)
		line = part.NextStartLine
	}
	return 0, nil
}
