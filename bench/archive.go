package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/workspace"
)

func runArchive(ctx context.Context, l *lab) (result, error) {
	workspace, base, err := l.workspace(ctx, 50*time.Millisecond)
	if err != nil {
		return result{}, err
	}
	defer workspace.end()
	var rows []row
	for _, concurrency := range []int{4, 16} {
		var took pair
		for range 5 {
			one, err := l.archive(ctx, base, concurrency)
			if err != nil {
				return result{}, err
			}
			took.add(one, 100/float64(concurrency)*0.050)
		}
		rows = append(rows, compared(fmt.Sprintf("100 archives at 50 ms, %d at a time", concurrency), took, inSeconds, ratioAtMost(1.25)))
	}
	return result{rows: rows}, nil
}

// archive makes 100 documents and archives them.
func (l *lab) archive(ctx context.Context, base string, concurrency int) (float64, error) {
	ids, err := createHundred(ctx, base)
	if err != nil {
		return 0, err
	}
	p, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + base, "OUTLINE_API_KEY=" + workspace.AdminKey, fmt.Sprintf("OUTLINE_BATCH_CONCURRENCY=%d", concurrency)})
	if err != nil {
		return 0, err
	}
	defer p.end()
	if _, err := p.ask(initialize); err != nil {
		return 0, err
	}
	call := toolsCall(2, "batch_archive_documents", map[string]any{"document_ids": ids})
	begin := time.Now()
	answer, err := p.ask(call)
	took := time.Since(begin).Seconds()
	if err != nil {
		return 0, err
	}
	if !strings.Contains(string(answer), "100 of 100") {
		return 0, fmt.Errorf("batch_archive_documents answers %.300s", answer)
	}
	return took, nil
}

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
	body := fmt.Sprintf(`{"title":%q,"text":"","publish":true,"collectionId":"8441e5d2-7545-4078-bd93-c21942e16c7f"}`, title)
	answer, err := askOutline(ctx, client, base, "documents.create", workspace.AdminKey, body)
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(string(answer), `"data":{"id":"`)
	if !found || len(rest) < 36 {
		return "", fmt.Errorf("documents.create answers %.200s", answer)
	}
	return rest[:36], nil
}
