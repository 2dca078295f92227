package budget_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestABatchOfAHundredTakesNoMoreRoundTripsThanItMust counts the round trips to
// Outline that follow each other, four items at a time. The clock is that of the
// test, so that what the server itself does takes no time.
//
// 100 reads, archives and drafts need 25. Updates need 50, as each document is
// read before it is changed. Siblings need 100, as they keep their order only if
// one is created after the other. Ten siblings below each of ten documents need 28: three for the ten
// documents, and 25.
func TestABatchOfAHundredTakesNoMoreRoundTripsThanItMust(t *testing.T) {
	for what, ask := range map[string]request{
		"100 reads in two calls": {tool: "batch_read_documents", arguments: map[string]any{"document_ids": hundred(func(n int) any { return numbered(n) })[:50]}},
		// From the leaves up: a document is archived with those below it.
		"100 archives":                 {tool: "batch_archive_documents", arguments: map[string]any{"document_ids": hundred(func(n int) any { return numbered(99 - n) })}},
		"100 updates":                  {tool: "batch_update_documents", arguments: map[string]any{"updates": hundred(updateOf)}},
		"100 drafts":                   {tool: "batch_create_documents", arguments: map[string]any{"documents": hundred(func(n int) any { return newDocument("collection_id", collectionID, n, false) })}},
		"100 siblings":                 {tool: "batch_create_documents", arguments: map[string]any{"documents": hundred(func(n int) any { return newDocument("collection_id", collectionID, n, true) })}},
		"10 siblings below each of 10": {tool: "batch_create_documents", arguments: map[string]any{"documents": hundred(func(n int) any { return newDocument("parent_document_id", numbered(n/10), n, true) })}},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outline := &distant{of: made(t, nil, 100)}
				s := newSession(t, outline)
				outline.requests = 0
				begin := time.Now()
				text := s.text(ask)
				trips := int(time.Since(begin) / roundTrip)
				requests := outline.requests
				if ask.tool == "batch_read_documents" { // which reads 50 at most
					ask.arguments["document_ids"] = hundred(func(n int) any { return numbered(n) })[50:]
					s.text(ask)
					trips, requests = int(time.Since(begin)/roundTrip), outline.requests
				} else if !strings.Contains(text, ": 100 of 100 succeeded") {
					t.Fatalf("%s answers %.300s", ask.tool, text)
				}
				check(t, "round trips in sequence, "+what, trips)
				check(t, "requests to Outline, "+what, requests)
			})
		})
	}
}

func hundred(of func(n int) any) (all []any) {
	for n := range 100 {
		all = append(all, of(n))
	}
	return all
}

func updateOf(n int) any {
	return map[string]any{"document_id": numbered(n), "text": "Ask the other watch."}
}

func newDocument(where, id string, n int, publish bool) any {
	return map[string]any{"title": fmt.Sprintf("Voyage %d", n), "text": "Crew and dates.", where: id, "publish": publish}
}

const roundTrip = 50 * time.Millisecond

// distant answers after a round trip.
type distant struct {
	of http.RoundTripper

	mu       sync.Mutex
	requests int
}

// RoundTrip implements http.RoundTripper.
func (d *distant) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(roundTrip)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests++
	return d.of.RoundTrip(r)
}
