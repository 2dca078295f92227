package outline_test

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
)

// limiting is a server that lets one key call one endpoint only so often.
type limiting struct {
	mu     sync.Mutex
	key    string
	path   string
	header []string // of its refusals
	until  time.Time
	calls  map[string]int // by key and endpoint
	ran    int            // calls that ran into the limit
}

func (l *limiting) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key, endpoint := r.Header.Get("Authorization"), path.Base(r.URL.Path)
	if l.calls == nil {
		l.calls = map[string]int{}
	}
	l.calls[key+" "+endpoint]++
	if key == "Bearer "+l.key && endpoint == l.path && time.Now().Before(l.until) {
		l.ran++
		return limited(l.header...), nil
	}
	return answered(200, jsonType, okDocument), nil
}

func TestAfterARateLimitOtherCallsWaitInsteadOfRunningIntoIt(t *testing.T) {
	for name, header := range map[string][]string{
		"seconds":         {"Retry-After", "7"},
		"a date":          {"Retry-After", ""}, // set below
		"RateLimit-Reset": {"RateLimit-Reset", "7"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				if name == "a date" {
					header[1] = start.Add(7 * time.Second).UTC().Format(http.TimeFormat)
				}
				server := &limiting{key: testKey, path: "documents.info", header: header, until: start.Add(7 * time.Second)}
				c := newClient(t, "https://wiki.example.com", func(o *outline.Options) { o.Transport, o.MaxRetries = server, 3 })
				var calls sync.WaitGroup
				took := func(want time.Duration, call func() error) {
					calls.Go(func() {
						if err := call(); err != nil {
							t.Error(err)
						}
						equal(t, "time taken", time.Since(start), want)
					})
				}
				read := func(ctx context.Context) func() error {
					return func() error { _, err := c.Document(ctx, uuid); return err }
				}
				took(7*time.Second, read(t.Context()))
				synctest.Wait()
				for range 50 {
					took(7*time.Second, read(t.Context()))
				}
				took(7*time.Second, read(as(t.Context(), testKey)))
				took(0, read(as(t.Context(), "ol_api_other")))
				took(0, func() error { _, err := c.ArchiveDocument(t.Context(), uuid); return err })
				calls.Wait()
				equal(t, "calls that ran into the limit", server.ran, 1)
				took(7*time.Second, read(t.Context())) // the limit is over
				calls.Wait()
			})
		})
	}
}

func TestALimitIsReportedAtOnceWhereWaitingIsNoUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &limiting{key: testKey, path: "documents.info", header: []string{"Retry-After", "15"}, until: time.Now().Add(15 * time.Second)}
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) { o.Transport, o.MaxRetries, o.MaxRetryWait = server, 3, 10*time.Second })
		short, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		if _, err := c.Document(t.Context(), uuid); !errors.Is(err, outline.ErrRateLimited) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		start := time.Now()
		for name, ctx := range map[string]context.Context{
			"longer than the longest wait":   t.Context(),
			"longer than the call may wait":  outline.WithCallOptions(t.Context(), outline.MaxRetryWait(9*time.Second)),
			"past the deadline":              as(short, testKey),
			"no retries":                     once(t.Context()),
			"no time to wait":                outline.WithCallOptions(t.Context(), outline.MaxRetryWait(0)),
			"an option cannot extend a wait": outline.WithCallOptions(t.Context(), outline.MaxRetryWait(time.Minute)),
		} {
			_, err := c.Document(ctx, uuid)
			var e *outline.Error
			if !errors.As(err, &e) || !errors.Is(err, outline.ErrRateLimited) {
				t.Fatalf("%s: %v", name, err)
			}
			equal(t, name, e.RetryAfter, 14*time.Second)
			contains(t, err, "not sent", "try again in 14s")
		}
		equal(t, "time taken", time.Since(start), 0)
		equal(t, "requests", server.calls["Bearer "+testKey+" documents.info"], 1)

		cancelled, stop := context.WithCancel(t.Context())
		time.Sleep(10 * time.Second) // 4 s are left, which is short enough
		time.AfterFunc(time.Second, stop)
		if _, err := c.Document(cancelled, uuid); !errors.Is(err, outline.ErrCancelled) {
			t.Errorf("cancelled while it waited: %v", err)
		}
		equal(t, "requests", server.calls["Bearer "+testKey+" documents.info"], 1)
	})
}

func TestACommandHeldBackByTheRateLimiterWasNotCarriedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := ordered(t, "documents.create", nil, rateLimits("Retry-After", "600"))
		for range 2 {
			if err := create(t.Context(), c); !errors.Is(err, outline.ErrRateLimited) || outline.OutcomeUnknown(err) {
				t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
			}
		}
		equal(t, "requests", s.calls, 1)
	})
}

func TestOneKeysRateLimitHoldsUpNobodyElsesMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		server := &limiting{key: testKey, path: "documents.move", header: []string{"Retry-After", "10"}, until: start.Add(10 * time.Second)}
		moved := roundTrip(func(r *http.Request) (*http.Response, error) {
			answer, err := server.RoundTrip(r)
			if err == nil && answer.StatusCode == http.StatusOK {
				time.Sleep(time.Second)
				return success(`{"documents":[{` + complete + `}]}`)(r)
			}
			return answer, err
		})
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) { o.Transport, o.MaxRetries = moved, 3 })
		move := func(ctx context.Context, within time.Duration) func() {
			return func() {
				if _, err := c.MoveDocument(ctx, outline.MoveDocumentParams{ID: uuid, CollectionID: uuid}); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took > within {
					t.Errorf("a move took %v", took)
				}
			}
		}
		var moves sync.WaitGroup
		moves.Go(move(t.Context(), 11*time.Second))
		synctest.Wait()
		for range 3 {
			moves.Go(move(as(t.Context(), "ol_api_other"), 3*time.Second)) // one after the other, a second each
		}
		moves.Wait()
		equal(t, "moves that were done", server.calls["Bearer ol_api_other documents.move"], 3)
	})
}

func TestARenewedTokenKeepsTheRateLimitOfItsSubject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		server := &limiting{key: testKey, path: "documents.info", header: []string{"Retry-After", "7"}, until: start.Add(7 * time.Second)}
		credential := outline.Credential{Token: testKey, Subject: "Ada"}
		c := newClient(t, "https://wiki.example.com", func(o *outline.Options) {
			o.Transport, o.Credentials = server, func(context.Context) (outline.Credential, error) { return credential, nil }
		})
		for _, next := range []struct {
			outline.Credential
			limited bool
		}{
			{outline.Credential{Token: testKey, Subject: "Ada"}, true},
			{outline.Credential{Token: "renewed", Subject: "Ada"}, true},
			{outline.Credential{Token: "renewed", Subject: "Bob"}, false},
			{outline.Credential{Token: "renewed"}, false},
			{outline.Credential{Token: "another", Subject: "renewed"}, false},
		} {
			credential = next.Credential
			if _, err := c.Document(t.Context(), uuid); errors.Is(err, outline.ErrRateLimited) != next.limited {
				t.Errorf("%+v: %v", next.Credential, err)
			}
		}
		equal(t, "calls that ran into the limit", server.ran, 1)
	})
}

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
