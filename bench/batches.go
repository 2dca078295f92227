package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"outline-mcp/internal/fakeoutline"
)

// distance is how long Outline takes to answer a batch.
const distance = 50 * time.Millisecond

// runBatches works on 100 documents in one call, or in two where a tool takes 50.
// The floor is the round trips that must follow each other: of n requests, a
// quarter, as OUTLINE_BATCH_CONCURRENCY is 4. An update needs two requests for
// each document, as it reads before it writes.
func runBatches(ctx context.Context, l *lab) error {
	kinds := []struct {
		what  string
		trips int // that must follow each other
		calls func(ids []string) []batchCall
	}{
		{"100 documents read, beside the round trips", 26, func(ids []string) []batchCall {
			return []batchCall{
				{"batch_read_documents", arguments{"document_ids": ids[:50]}, "# 50 documents"},
				{"batch_read_documents", arguments{"document_ids": ids[50:]}, "# 50 documents"},
			}
		}},
		{"100 drafts created", 25, func(ids []string) []batchCall {
			return []batchCall{{"batch_create_documents", arguments{"documents": each(ids, func(id string) arguments {
				return arguments{"title": "After " + id, "text": "Ask the watch.", "collection_id": sampleCollection, "publish": false}
			})}, "100 of 100"}}
		}},
		{"100 documents updated", 50, func(ids []string) []batchCall {
			return []batchCall{{"batch_update_documents", arguments{"updates": each(ids, func(id string) arguments {
				return arguments{"document_id": id, "text": "Ask the watch."}
			})}, "100 of 100"}}
		}},
		{"100 documents archived", 25, func(ids []string) []batchCall {
			return []batchCall{{"batch_archive_documents", arguments{"document_ids": ids}, "100 of 100"}}
		}},
	}
	took := make([][]time.Duration, len(kinds))
	for range l.turns(5) {
		err := l.withHundred(ctx, func(p *process, ids []string) error {
			for n, kind := range kinds {
				begin := time.Now()
				for _, call := range kind.calls(ids) {
					answer, err := p.ask(toolsCall(2, call.tool, call.given))
					if err != nil {
						return err
					}
					if !strings.Contains(string(answer), call.want) {
						return fmt.Errorf("%s answers %.300s", call.tool, answer)
					}
				}
				took[n] = append(took[n], time.Since(begin))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for n, kind := range kinds {
		compare(l, kind.what, took[n], []time.Duration{time.Duration(kind.trips) * distance}, duration)
	}
	return nil
}

type batchCall struct {
	tool  string
	given arguments
	want  string // in the answer
}

func each(ids []string, item func(id string) arguments) []arguments {
	var items []arguments
	for _, id := range ids {
		items = append(items, item(id))
	}
	return items
}

// withHundred runs something with a server on standard input and output, and a
// hundred new documents in a workspace of its own.
func (l *lab) withHundred(ctx context.Context, run func(p *process, ids []string) error) error {
	outline, base, err := l.workspace(ctx, distance)
	if err != nil {
		return err
	}
	defer func() { _ = outline.end() }()
	client := newClient(25)
	defer client.CloseIdleConnections()
	ids := make([]string, 100)
	var all errgroup.Group
	for n := range ids {
		all.Go(func() error {
			var created struct{ Data struct{ ID string } }
			body := fmt.Sprintf(`{"title":"Document %d","text":"","publish":true,"collectionId":%q}`, n, sampleCollection)
			answer, err := askOutline(ctx, client, base, "documents.create", fakeoutline.AdminKey, body)
			if err == nil {
				err = json.Unmarshal(answer, &created)
			}
			ids[n] = created.Data.ID
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	p, err := l.start(ctx, product, []string{"OUTLINE_API_URL=" + base, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_BATCH_CONCURRENCY=4"})
	if err != nil {
		return err
	}
	defer func() { _ = p.end() }()
	if _, err := p.ask(initialize); err != nil {
		return err
	}
	return run(p, ids)
}
