package outline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outline-mcp/outline"
)

func TestARedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			var followed atomic.Bool
			target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Store(true) }))
			defer target.Close()
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, target.URL+"/login?token=secret", status)
			}, nil)
			_, err := c.AuthInfo(t.Context())
			if !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("error %v, want ErrBadAnswer", err)
			}
			contains(t, err, target.URL, fmt.Sprint(status))
			suggests(t, err, outline.PassGateway)
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "/login") {
				t.Errorf("error %q contains more than the origin of the redirect", err)
			}
			if followed.Load() {
				t.Error("the redirect was followed")
			}
		})
	}
}

func TestTheErrorOfAnInvalidRedirectDoesNotRepeatIt(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://%zz/secret")
		w.WriteHeader(302)
	}, nil)
	_, err := c.AuthInfo(t.Context())
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
}

func TestCookiesAreNotSentBack(t *testing.T) {
	var cookies atomic.Int32
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cookies.Add(int32(len(r.Cookies())))
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "of Ada", Path: "/"})
		reply(w, 200, jsonType, authJSON)
	}, nil)
	for range 3 {
		if _, err := c.AuthInfo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "cookies sent", cookies.Load(), 0)
}

func TestConnectionsAreReused(t *testing.T) {
	const callers = 64
	var connections atomic.Int32
	arrived, answer := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "documents.info"):
			reply(w, 404, jsonType, `{"ok":false,"error":"not_found","status":404,"message":"Resource not found"}`)
		case strings.HasSuffix(r.URL.Path, "collections.info"):
			reply(w, 502, "text/html", strings.Repeat("<p>bad gateway</p>", 1000))
		case strings.HasSuffix(r.URL.Path, "apiKeys.list"):
			// No connection becomes idle before all callers have one. Otherwise
			// net/http may dial for a request that then gets the idle one.
			select {
			case arrived <- struct{}{}:
				<-answer
			case <-ctx.Done():
			}
			reply(w, 200, jsonType, `{"ok":true,"data":[]}`)
		default:
			reply(w, 200, jsonType, authJSON)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c := newClient(t, server.URL, nil)

	t.Run("by one after the other, failures included", func(t *testing.T) {
		for range 5 {
			if _, err := c.AuthInfo(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Document(t.Context(), "x"); !errors.Is(err, outline.ErrNotFound) {
				t.Fatal(err)
			}
			if _, err := c.Collection(t.Context(), "x"); !errors.Is(err, outline.ErrUpstream) {
				t.Fatal(err)
			}
		}
		equal(t, "connections", connections.Load(), 1)
	})
	t.Run("by 64 side by side", func(t *testing.T) {
		for range 4 {
			var all sync.WaitGroup
			for n := range callers {
				all.Go(func() {
					if _, err := c.APIKeys(as(t.Context(), fmt.Sprintf("ol_api_test_%d", n))); err != nil {
						t.Error(err)
					}
				})
			}
			for n := range callers {
				select {
				case <-arrived:
				case <-ctx.Done():
					close(answer)
					all.Wait()
					t.Fatalf("only %d of %d requests arrived", n, callers)
				}
			}
			for range callers {
				answer <- struct{}{}
			}
			all.Wait()
			equal(t, "connections", connections.Load(), callers)
		}
	})
}

func TestConcurrentCallersGetTheirOwnAnswersWithTheirOwnKeys(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		reply(w, 200, jsonType, documentJSON(strings.Repeat(key+"\n", 500)))
	}, nil)
	var all sync.WaitGroup
	for n := range 16 {
		key := fmt.Sprintf("ol_api_test_%d", n)
		mine := as(t.Context(), key)
		all.Go(func() {
			for range 20 {
				d, err := c.Document(mine, "1FF9VyHA4X")
				if err != nil || d.Text != strings.Repeat(key+"\n", 500) {
					t.Errorf("key %s: %.40q, %v", key, d.Text, err)
				}
			}
		})
	}
	all.Wait()
}

func TestACutBodyIsRepeatedOverTheNetwork(t *testing.T) {
	var requests atomic.Int32
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		if requests.Add(1) < 3 {
			w.Header().Set("Content-Length", fmt.Sprint(len(okDocument)))
			_, _ = io.WriteString(w, okDocument[:50])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, okDocument)
	}, func(o *outline.Options) { o.MaxRetries, o.MaxRetryWait = 3, time.Millisecond })
	if _, err := c.Document(t.Context(), "1FF9VyHA4X"); err != nil {
		t.Error(err)
	}
	equal(t, "requests", requests.Load(), 3)

	requests.Store(0)
	_, err := c.Document(once(t.Context()), "1FF9VyHA4X")
	if !errors.Is(err, outline.ErrUnreachable) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want ErrUnreachable and io.ErrUnexpectedEOF", err)
	}
	contains(t, err, "before the answer was complete", "unexpected EOF")
}

func TestASilentServerEndsInATimeout(t *testing.T) {
	release := make(chan struct{})
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-release }, func(o *outline.Options) { o.RequestTimeout = 30 * time.Millisecond })
	defer close(release)
	if _, err := c.AuthInfo(t.Context()); !errors.Is(err, outline.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want ErrTimeout", err)
	}
}

func TestAnUnreachableHostIsNamed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := listener.Addr().String()
	_ = listener.Close()

	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer plain.Close()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			conn, err := other.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "SSH-2.0-secret\r\n")
			_ = conn.Close()
		}
	}()

	for name, test := range map[string]struct {
		base   string
		says   []string
		remedy outline.Remedy
	}{
		"connection refused":   {"http://" + closed, []string{"cannot connect to " + closed, "connection refused"}, outline.CheckAddressServer},
		"unknown host":         {"http://outline.invalid", []string{"cannot find the host outline.invalid"}, outline.CheckAddress},
		"HTTP behind https":    {strings.Replace(plain.URL, "http", "https", 1), []string{"speaks HTTP, not HTTPS"}, outline.CheckAddress},
		"another protocol":     {"http://" + other.Addr().String(), []string{other.Addr().String()}, outline.NoRemedy},
		"a port of no service": {"http://127.0.0.1:1", []string{"cannot connect to 127.0.0.1:1"}, outline.CheckAddressServer},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newClient(t, test.base, nil).AuthInfo(t.Context())
			if !errors.Is(err, outline.ErrUnreachable) {
				t.Errorf("error %v, want ErrUnreachable", err)
			}
			contains(t, err, append(test.says, "auth.info: ")...)
			suggests(t, err, test.remedy)
			for _, noise := range []string{"Post", "http://", "SSH", "lookup", "dial"} {
				if strings.Contains(err.Error(), noise) {
					t.Errorf("error %q holds %q", err, noise)
				}
			}
		})
	}
}

func TestAServerThatSpeaksBeforeItIsAskedIsNotHTTP(t *testing.T) {
	// net/http says so, or that the answer is malformed, by chance.
	unasked := fmt.Errorf("readLoopPeekFailLocked: %w", error(nil))
	c := newClient(t, "http://wiki.example.com", func(o *outline.Options) {
		o.Transport = roundTrip(func(*http.Request) (*http.Response, error) { return nil, unasked })
	})
	_, err := c.AuthInfo(t.Context())
	if !errors.Is(err, outline.ErrUnreachable) || strings.Contains(err.Error(), "%!w") {
		t.Errorf("error %v", err)
	}
	contains(t, err, "wiki.example.com", "not HTTP")
}
