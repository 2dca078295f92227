package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// watch moves the documents that a file lists to a collection, and
// retries the failures that are safe to retry.
func watch(ctx context.Context, s session, args []string) (int, error) {
	documents, err := linesOf(args[0])
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

// move moves documents and reports whether some could not be moved.
func move(ctx context.Context, s session, documents []string, collection string) (failed bool, err error) {
	for attempt := 1; len(documents) > 0; attempt++ {
		var answer batch
		if err := s.call(ctx, "batch_move_documents", map[string]any{"document_ids": documents, "collection_id": collection}, &answer); err != nil {
			return failed, err
		}
		var again []string
		pause := 0.0
		for _, item := range answer.Results {
			switch {
			case item.Status == "success":
				fmt.Println("moved", item.ID)
			case mayRetry(item.Code) && attempt < 5:
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

// mayRetry reports whether nothing was done, so that a retry is safe. After
// outcome_unknown, check first.
func mayRetry(code string) bool { return code == "rate_limited" || code == "not_attempted" }
