package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/oauth/client"
)

func TestADocumentIsKeptAsLongAsItsHeadersSay(t *testing.T) {
	for _, test := range []struct {
		header http.Header
		want   time.Duration
	}{
		{nil, 5 * time.Minute},
		{http.Header{"Cache-Control": {"public, max-age=60"}}, time.Minute},
		{http.Header{"Cache-Control": {`Max-Age="60"`}}, time.Minute},
		{http.Header{"Cache-Control": {"max-age=99999999999999999999"}}, 0},
		{http.Header{"Cache-Control": {"max-age=31536000"}}, time.Hour},
		{http.Header{"Cache-Control": {"max-age=-1"}}, 0},
		{http.Header{"Cache-Control": {"max-age=600"}, "Age": {"540"}}, time.Minute},
		{http.Header{"Cache-Control": {"max-age=60"}, "Age": {"600"}}, 0},
		{http.Header{"Cache-Control": {"max-age=60", "no-store"}}, 0},
		{http.Header{"Cache-Control": {"no-cache"}}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
				for name, values := range test.header {
					w.Header()[name] = values
				}
				document(w, r)
			})
			documents := newDocuments(in)
			ask := func(wantFetches int64) {
				t.Helper()
				if _, err := documents.Client(t.Context(), documentID); err != nil || in.fetches.Load() != wantFetches {
					t.Errorf("%v: %v, %d fetches, want %d", test.header, err, in.fetches.Load(), wantFetches)
				}
			}
			ask(1)
			if test.want > 0 {
				time.Sleep(test.want - time.Millisecond)
				ask(1)
				time.Sleep(time.Millisecond)
			}
			ask(2)
		})
	}
}

func TestAFailureIsKeptForHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var up atomic.Bool
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			if !up.Load() {
				http.Error(w, "down", http.StatusBadGateway)
				return
			}
			document(w, r)
		})
		documents := newDocuments(in)
		for range 3 {
			if _, err := documents.Client(t.Context(), documentID); !errors.Is(err, client.ErrUnavailable) || in.fetches.Load() != 1 {
				t.Errorf("%v, %d fetches", err, in.fetches.Load())
			}
		}
		up.Store(true)
		time.Sleep(30 * time.Second)
		if _, err := documents.Client(t.Context(), documentID); err != nil {
			t.Error(err)
		}
	})
}

func TestConcurrentRequestsForOneDocumentShareAFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			document(w, r)
		})
		documents := newDocuments(in)
		leaving, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := documents.Client(leaving, documentID); !errors.Is(err, context.Canceled) {
				t.Errorf("the one who leaves: %v", err)
			}
		})
		synctest.Wait()
		for range 20 {
			all.Go(func() {
				if _, err := documents.Client(t.Context(), documentID); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		leave()
		all.Wait()
		if n := in.fetches.Load(); n != 1 {
			t.Errorf("%d fetches", n)
		}
	})
}

func TestAtMostFourDocumentsAreFetchedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		var counting sync.Mutex
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			counting.Lock()
			most.Store(max(most.Load(), now.Add(1)))
			counting.Unlock()
			time.Sleep(2 * time.Second)
			now.Add(-1)
			document(w, r)
		})
		documents := newDocuments(in)
		began := time.Now()
		var all sync.WaitGroup
		var failed atomic.Int64
		for i := range 8 {
			if i == 4 {
				time.Sleep(time.Second / 2)
			}
			all.Go(func() { // the last four wait for 1.5 s, and have 1.5 s left
				if _, err := documents.Client(t.Context(), fmt.Sprintf("%s?%d", documentID, i)); errors.Is(err, client.ErrUnavailable) {
					failed.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); most.Load() != 4 || failed.Load() != 4 || took != 3500*time.Millisecond {
			t.Errorf("%d at once, %d of 8 failed, after %s", most.Load(), failed.Load(), took)
		}
	})
}

func TestAtMostAHundredDocumentsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := newInternet(t, newPipeListener(), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			document(w, r)
		})
		documents := newDocuments(in)
		ask := func(i int) {
			if _, err := documents.Client(t.Context(), fmt.Sprintf("%s?%d", documentID, i)); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		for i := range 101 {
			ask(i)
		}
		ask(100) // the last is kept,
		ask(1)   // and the second,
		ask(0)   // but not the first
		if n := in.fetches.Load(); n != 102 {
			t.Errorf("%d fetches", n)
		}
	})
}
