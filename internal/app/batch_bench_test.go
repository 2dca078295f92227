package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"outline-mcp/internal/app"
)

// delayed holds each answer back.
type delayed struct {
	http.RoundTripper
	by time.Duration
}

func (d *delayed) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := d.RoundTripper.RoundTrip(r)
	time.Sleep(d.by)
	return response, err
}

// BenchmarkArchive100Documents archives 100 documents of the embedded
// workspace, whose answers take 50 ms, one and then four at a time.
func BenchmarkArchive100Documents(b *testing.B) {
	measure := func(concurrency int) time.Duration {
		transport := &delayed{RoundTripper: sampleTransport(b)}
		c := benchmarkClient(b, true, transport, fmt.Sprintf("OUTLINE_BATCH_CONCURRENCY=%d", concurrency))
		var documents []map[string]any
		for i := range 100 {
			documents = append(documents, map[string]any{"title": fmt.Sprintf("Document %d", i), "collection_id": "8441e5d2-7545-4078-bd93-c21942e16c7f"})
		}
		answer, err := app.Call(b.Context(), c, "batch_create_documents", map[string]any{"documents": documents})
		if err != nil {
			b.Fatal(err)
		}
		var created struct {
			IDs []string `json:"created_ids"`
		}
		if err := json.Unmarshal(answer.Structured, &created); err != nil || len(created.IDs) != 100 {
			b.Fatal(err, answer.Text)
		}
		transport.by = 50 * time.Millisecond
		begin := time.Now()
		answer, err = app.Call(b.Context(), c, "batch_archive_documents", map[string]any{"document_ids": created.IDs})
		if err != nil || answer.Code != "" {
			b.Fatal(err, answer.Text)
		}
		return time.Since(begin)
	}
	var one, four time.Duration
	for b.Loop() {
		one += measure(1)
		four += measure(4)
	}
	b.ReportMetric(one.Seconds()/float64(b.N), "s/one-at-a-time")
	b.ReportMetric(four.Seconds()/float64(b.N), "s/four-at-a-time")
	b.ReportMetric(one.Seconds()/four.Seconds(), "ratio")
}
