// Command watch moves the documents that a file lists to a collection, and
// sends again what may be sent again.
package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"example/outline"
)

func main() { outline.Run("FILE COLLECTION", watch) }

func watch(ctx context.Context, s outline.Session, args []string) (int, error) {
	documents, err := outline.Lines(args[0])
	if err != nil {
		return 1, err
	}
	code := 0
	for some := range slices.Chunk(documents, 100) { // a batch takes 100
		failed, err := move(ctx, s, some, args[1])
		if err != nil {
			return 1, err
		}
		if failed {
			code = 1
		}
	}
	return code, nil
}

// move moves documents and tells whether there are some that it could not.
func move(ctx context.Context, s outline.Session, documents []string, collection string) (failed bool, err error) {
	for attempt := 1; len(documents) > 0; attempt++ {
		var answer outline.Batch
		if err := s.Call(ctx, "batch_move_documents", map[string]any{"document_ids": documents, "collection_id": collection}, &answer); err != nil {
			return failed, err
		}
		var again []string
		pause := 0.0
		for _, item := range answer.Results {
			switch {
			case item.Status == "success":
				fmt.Println("moved", item.ID)
			case mayGoAgain(item.Code) && attempt < 5:
				fmt.Println("once more", item.ID, item.Code)
				again = append(again, documents[item.Index])
				pause = max(pause, item.RetryAfterSeconds, 1)
			default:
				fmt.Println("FAILED", item.ID, item.Code)
				failed = true
			}
		}
		documents = again
		select {
		case <-time.After(time.Duration(pause * float64(time.Second))):
		case <-ctx.Done():
			return failed, ctx.Err()
		}
	}
	return failed, nil
}

// mayGoAgain tells whether it is certain that nothing was done. After
// outcome_unknown, look first.
func mayGoAgain(code string) bool { return code == "rate_limited" || code == "not_attempted" }
