package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/fakeoutline"
)

// distance is how long Outline takes to answer a batch.
const distance = 50 * time.Millisecond

// batches are measured in this order, with the hundred documents that were created
// for the turn. The archives are last.
var batches = []struct {
	what  string
	trips func(atATime int) int // that must follow each other
	calls func(ids []string) []batchCall
	slow  bool // whatever the number at a time, so that one is enough
}{
	{"reads, in two calls", func(n int) int { return 2 * rounds(50, n) }, func(ids []string) []batchCall {
		return []batchCall{
			{"batch_read_documents", arguments{"document_ids": ids[:50]}, "# 50 documents"},
			{"batch_read_documents", arguments{"document_ids": ids[50:]}, "# 50 documents"},
		}
	}, false},
	{"drafts", func(n int) int { return rounds(100, n) }, func(ids []string) []batchCall { return created(ids, false) }, false},
	{"siblings", func(int) int { return 100 }, func(ids []string) []batchCall { return created(ids, true) }, true},
	{"updates", func(n int) int { return 2 * rounds(100, n) }, func(ids []string) []batchCall {
		var updates []arguments
		for _, id := range ids {
			updates = append(updates, arguments{"document_id": id, "text": "Ask the watch."})
		}
		return []batchCall{{"batch_update_documents", arguments{"updates": updates}, "100 of 100"}}
	}, false},
	{"archives", func(n int) int { return rounds(100, n) }, func(ids []string) []batchCall {
		return []batchCall{{"batch_archive_documents", arguments{"document_ids": ids}, "100 of 100"}}
	}, false},
}

type batchCall struct {
	tool  string
	given arguments
	want  string
}

// rounds returns how many rounds a number of requests takes.
func rounds(requests, atATime int) int { return (requests + atATime - 1) / atATime }

func created(ids []string, publish bool) []batchCall {
	var documents []arguments
	for n := range ids {
		documents = append(documents, arguments{"title": fmt.Sprintf("Page %d", n), "text": "Ask the watch.", "collection_id": sampleCollection, "publish": publish})
	}
	return []batchCall{{"batch_create_documents", arguments{"documents": documents}, "100 of 100"}}
}

func runBatches(ctx context.Context, l *lab) (result, error) {
	var found result
	for _, atATime := range []int{4, 16} {
		took := make([]pair, len(batches))
		for range pick(l, 5, 1) {
			if err := l.batches(ctx, atATime, took); err != nil {
				return found, err
			}
		}
		for n, b := range batches {
			if b.slow && atATime > 4 {
				continue
			}
			found.rows = append(found.rows, compared(fmt.Sprintf("100 %s, %d at a time", b.what, atATime), took[n], inSeconds, ratioAtMost(1.15)).
				because("The floor counts waiting only. The server and the workspace share the processors, and the more items run at a time, the less of their work falls into the waiting."))
		}
	}
	return found, nil
}

// batches measures each batch once, on a workspace of its own.
func (l *lab) batches(ctx context.Context, atATime int, took []pair) error {
	outline, base, err := l.workspace(ctx, distance)
	if err != nil {
		return err
	}
	defer func() { _ = outline.end() }()
	ids, err := createHundred(ctx, base)
	if err != nil {
		return err
	}
	p, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + base, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, fmt.Sprintf("OUTLINE_BATCH_CONCURRENCY=%d", atATime)})
	if err != nil {
		return err
	}
	defer func() { _ = p.end() }()
	if _, err := p.ask(initialize); err != nil {
		return err
	}
	for n, b := range batches {
		if b.slow && atATime > 4 {
			continue
		}
		calls := b.calls(slices.Clone(ids))
		begin := time.Now()
		for _, call := range calls {
			answer, err := p.ask(toolsCall(2, call.tool, call.given))
			if err != nil {
				return err
			}
			if !strings.Contains(string(answer), call.want) {
				return fmt.Errorf("%s answers %.300s", call.tool, answer)
			}
		}
		took[n].add(time.Since(begin).Seconds(), float64(b.trips(atATime))*distance.Seconds())
	}
	return nil
}

// sampleCollection is a collection of the sample workspace.
const sampleCollection = "8441e5d2-7545-4078-bd93-c21942e16c7f"

// createHundred creates documents, 25 at a time, and returns their UUIDs.
func createHundred(ctx context.Context, base string) ([]string, error) {
	client := newClient(25)
	defer client.CloseIdleConnections()
	ids := make([]string, 100)
	var all errgroup.Group
	all.SetLimit(25)
	for n := range ids {
		all.Go(func() (err error) {
			ids[n], err = create(ctx, client, base, fmt.Sprintf("Document %d", n))
			return err
		})
	}
	return ids, all.Wait()
}

func create(ctx context.Context, client *http.Client, base, title string) (id string, err error) {
	body := fmt.Sprintf(`{"title":%q,"text":"","publish":true,"collectionId":%q}`, title, sampleCollection)
	answer, err := askOutline(ctx, client, base, "documents.create", fakeoutline.AdminKey, body)
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(string(answer), `"data":{"id":"`)
	if !found || len(rest) < 36 {
		return "", fmt.Errorf("documents.create answers %.200s", answer)
	}
	return rest[:36], nil
}
