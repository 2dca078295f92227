package outline_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/transport"
)

var quiet = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)

// create makes a document, as a command whose outcome is asked for.
func create(ctx context.Context, c *outline.Client) error {
	_, err := c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x"})
	return err
}

func TestACommandThatFoundNoConnectionWasNotCarriedOut(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()

	for name, test := range map[string]struct {
		base     string
		attempts int32 // a request that was never sent may be repeated
	}{
		"connection refused": {"http://" + closed, 3},
		"unknown host":       {"http://outline.invalid", 3},
		"unknown issuer":     {secure.URL, 1},
		"HTTP behind https":  {strings.Replace(plain.URL, "http", "https", 1), 1},
	} {
		t.Run(name, func(t *testing.T) {
			var attempts atomic.Int32
			transport, err := transport.New(transport.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer transport.CloseIdleConnections()
			c := newClient(t, test.base, func(o *outline.Options) {
				o.MaxRetries = 2
				o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) { attempts.Add(1); return transport.RoundTrip(r) })
			})
			if err := create(t.Context(), c); !errors.Is(err, outline.ErrUnreachable) || outline.OutcomeUnknown(err) {
				t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
			}
			equal(t, "attempts", attempts.Load(), test.attempts)
		})
	}
}

// stuck returns a client that never gets a connection, and tells when it waits
// for one.
func stuck(t *testing.T, change func(*outline.Options)) (*outline.Client, <-chan struct{}) {
	dialing := make(chan struct{}, 1)
	return newClient(t, "http://wiki.example.com", func(o *outline.Options) {
		o.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			dialing <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		if change != nil {
			change(o)
		}
	}), dialing
}

func TestACommandThatWaitedForAConnectionWasNotCarriedOut(t *testing.T) {
	t.Run("until its attempt timed out", func(t *testing.T) {
		c, _ := stuck(t, func(o *outline.Options) { o.RequestTimeout = 20 * time.Millisecond })
		if err := create(t.Context(), c); !errors.Is(err, outline.ErrTimeout) || outline.OutcomeUnknown(err) {
			t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
		}
	})
	t.Run("until the deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		c, _ := stuck(t, nil)
		if err := create(ctx, c); !errors.Is(err, outline.ErrTimeout) || outline.OutcomeUnknown(err) {
			t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
		}
	})
	t.Run("until it was cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c, dialing := stuck(t, nil)
		go func() { <-dialing; cancel() }()
		if err := create(ctx, c); !errors.Is(err, outline.ErrCancelled) || outline.OutcomeUnknown(err) {
			t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
		}
	})
}

func TestACommandThatReachedTheServerMayHaveBeenCarriedOut(t *testing.T) {
	for name, test := range map[string]struct {
		handle  func(w http.ResponseWriter, r *http.Request, cancel func(), release chan struct{})
		timeout time.Duration
		kind    error
	}{
		"closed without answer": {func(_ http.ResponseWriter, r *http.Request, _ func(), _ chan struct{}) {
			_, _ = io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}, 10 * time.Second, outline.ErrUnreachable},
		"answer cut": {func(w http.ResponseWriter, _ *http.Request, _ func(), _ chan struct{}) {
			w.Header().Set("Content-Type", jsonType)
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"ok":true`)
		}, 10 * time.Second, outline.ErrUnreachable},
		"no answer in time": {func(_ http.ResponseWriter, _ *http.Request, _ func(), release chan struct{}) {
			<-release
		}, 200 * time.Millisecond, outline.ErrTimeout},
		"cancelled": {func(_ http.ResponseWriter, _ *http.Request, cancel func(), release chan struct{}) {
			cancel()
			<-release
		}, 10 * time.Second, outline.ErrCancelled},
	} {
		for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				release := make(chan struct{})
				var requests atomic.Int32
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					equal(t, "protocol", r.Proto, version)
					test.handle(w, r, cancel, release)
				}))
				server.EnableHTTP2 = version == "HTTP/2.0"
				server.Config.ErrorLog = quiet
				server.StartTLS()
				defer server.Close()
				defer close(release)
				transport, err := transport.New(transport.Options{SkipVerify: true})
				if err != nil {
					t.Fatal(err)
				}
				transport.ForceAttemptHTTP2 = server.EnableHTTP2
				c := newClient(t, server.URL, func(o *outline.Options) {
					o.Transport, o.MaxRetries, o.RequestTimeout = transport, 3, test.timeout
				})
				err = create(ctx, c)
				if !errors.Is(err, test.kind) || !outline.OutcomeUnknown(err) {
					t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
				}
				// One, and four that read back the outcome if there was time.
				want := int32(5)
				if test.kind == outline.ErrCancelled {
					want = 1
				}
				equal(t, "requests", requests.Load(), want)
			})
		}
	}
}

func TestOneRequestTellsWhatAReleaseCanDo(t *testing.T) {
	for name, test := range map[string]struct {
		release fakeoutline.Release
		guards  bool
	}{
		"1.8":               {"1.8", false},
		"1.9.2":             {"1.9.2", false},
		"the newest source": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				watched := &slowed{}
				c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { watched.RoundTripper = w; return watched }, fakeoutline.Options{Release: test.release})
				ctx := as(t.Context(), fakeoutline.AdminKey)
				appendText := func(probes int) {
					t.Helper()
					watched.probes = 0
					update, err := edit.Update(ctx, c, edit.Params{ID: id, Text: new("\n\nmore"), EditMode: "append"})
					if err != nil || update.Guarded != test.guards {
						t.Errorf("%+v, %v", update, err)
					}
					equal(t, "probes", watched.probes, probes)
				}
				scoped := as(t.Context(), fakeoutline.ScopedKey)
				if guards, err := c.KnowsRevisions(scoped); guards || err != nil {
					t.Error(guards, err)
				}
				if _, err := edit.Update(scoped, c, edit.Params{ID: id, Text: new("less")}); !errors.Is(err, outline.ErrForbidden) {
					t.Error(err)
				}
				appendText(1) // a key that may not write tells nothing
				appendText(0)
				time.Sleep(time.Hour) // the server may have been updated
				appendText(map[bool]int{true: 0, false: 1}[test.guards])
				guards, err := c.KnowsRevisions(ctx)
				if guards != test.guards || err != nil {
					t.Error(guards, err)
				}
			})
		})
	}
}
