package outline_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"outline-mcp/outline"
)

// working is an Outline that works on a request until the test ends its work.
type working struct {
	mu    sync.Mutex
	on    []string // the keys of the requests that it works on
	ended chan struct{}
}

func (w *working) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.on = append(w.on, r.Header.Get("Authorization"))
	w.mu.Unlock()
	<-w.ended
	if strings.HasSuffix(r.URL.Path, "delete") {
		return answered(200, jsonType, `{"success":true,"status":200,"ok":true}`), nil
	}
	return answered(200, jsonType, okDocument), nil
}

// of returns how many requests with a key have arrived.
func (w *working) of(key string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.on {
		if one == "Bearer "+key {
			n++
		}
	}
	return n
}

func TestABatchDoesNotDelayTheReadOfAnotherCaller(t *testing.T) {
	for _, test := range []struct {
		name          string
		shared        bool
		batch, others int // requests that Outline works on
	}{
		{"callers share", true, 16, 8},
		{"one caller has all", false, 32, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &working{ended: make(chan struct{})}
				c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
					o.Transport, o.MaxRequests, o.Shared = server, 32, test.shared
				})
				var calls sync.WaitGroup
				read := func(key string, n int) {
					for range n {
						calls.Go(func() {
							if _, err := c.Document(as(t.Context(), key), uuid); err != nil {
								t.Error(err)
							}
						})
					}
					synctest.Wait()
				}
				read("ol_api_batch", 256)
				equal(t, "requests of the batch", server.of("ol_api_batch"), test.batch)
				read("ol_api_other", 8)
				equal(t, "requests of the other caller, while the batch has not moved on", server.of("ol_api_other"), test.others)
				close(server.ended)
				calls.Wait()
				equal(t, "requests in all", server.of("ol_api_batch")+server.of("ol_api_other"), 264)
			})
		})
	}
}

func TestCallersTakeTurnsWithPermanentDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &working{ended: make(chan struct{})}
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) { o.Transport = server })
		var calls sync.WaitGroup
		remove := func(key string, n int) {
			for range n {
				calls.Go(func() {
					if err := c.DeleteDocument(as(t.Context(), key), uuid, true); err != nil {
						t.Error(err)
					}
				})
				synctest.Wait()
			}
		}
		remove("ol_api_batch", 10)
		remove("ol_api_other", 1)
		server.ended <- struct{}{}
		synctest.Wait()
		server.ended <- struct{}{}
		synctest.Wait()
		equal(t, "deletions of the batch before that of another caller", server.of("ol_api_batch"), 2)
		equal(t, "deletions of the other caller", server.of("ol_api_other"), 1)
		close(server.ended)
		calls.Wait()
	})
}

func TestACallThatEndsWhileOthersAreServedSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &working{ended: make(chan struct{})}
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) { o.Transport, o.MaxRequests = server, 1 })
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = c.Document(t.Context(), uuid) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(as(t.Context(), "ol_api_other"), 1e9)
		defer cancel()
		_, err := c.ArchiveDocument(ctx, uuid)
		contains(t, err, "documents.archive")
		if outline.OutcomeUnknown(err) {
			t.Error("the outcome of a request that was not sent counts as unknown")
		}
		equal(t, "requests of the call", server.of("ol_api_other"), 0)
		close(server.ended)
		calls.Wait()
	})
}
