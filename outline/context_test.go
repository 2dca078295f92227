package outline_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
)

func TestCancellingEndsACallAtOnce(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"while waiting for a rate limit": rateLimits("Retry-After", "15"),
		"while waiting for an answer":    hangs,
		"while reading an answer":        stalls,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				c, s := scripted(t, nil, step)
				start := time.Now()
				_, err := c.Document(ctx, "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrCancelled) || !errors.Is(err, context.Canceled) || errors.Is(err, outline.ErrTimeout) {
					t.Errorf("error %v, want ErrCancelled and context.Canceled", err)
				}
				contains(t, err, "documents.info: the call was cancelled")
				equal(t, "attempts", s.calls, 1)
				equal(t, "time taken", time.Since(start), 2*time.Second)
			})
		})
	}
}

func TestTheEndOfTheContextIsToldWithoutRetriesToo(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){"no header": hangs, "half a body": stalls} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := scripted(t, nil, step)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(2*time.Second, cancel)
				if _, err := c.Document(once(ctx), "1FF9VyHA4X"); !errors.Is(err, outline.ErrCancelled) || errors.Is(err, outline.ErrTimeout) {
					t.Errorf("error %v, want ErrCancelled", err)
				}
				late, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				_, err := c.Document(once(late), "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrTimeout) {
					t.Errorf("error %v, want ErrTimeout", err)
				}
				contains(t, err, "the time for the call ran out")
			})
		})
	}
}

func TestTheContextsDeadlineEndsACall(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"while waiting for an answer": hangs,
		"while reading an answer":     stalls,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				c, s := scripted(t, nil, step)
				start := time.Now()
				_, err := c.Document(ctx, "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, outline.ErrCancelled) {
					t.Errorf("error %v, want ErrTimeout and context.DeadlineExceeded", err)
				}
				equal(t, "attempts", s.calls, 1)
				equal(t, "time taken", time.Since(start), 2*time.Second)
			})
		})
	}
}

func TestOneAttemptTakesAtMostTheRequestTimeout(t *testing.T) {
	for name, step := range map[string]func(*http.Request) (*http.Response, error){"no header": hangs, "half a body": stalls} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := scripted(t, func(o *outline.Options) { o.RequestTimeout = 3 * time.Second }, step)
				start := time.Now()
				_, err := c.Document(once(t.Context()), "1FF9VyHA4X")
				if !errors.Is(err, outline.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error %v, want ErrTimeout and context.DeadlineExceeded", err)
				}
				contains(t, err, "no complete answer from wiki.example.com within 3s")
				equal(t, "time taken", time.Since(start), 3*time.Second)
			})
		})
	}
}

func TestDefaultsBoundAnAttemptAndAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zero := func(o *outline.Options) { o.RequestTimeout, o.MaxRetryWait = 0, 0 }
		silent, _ := scripted(t, zero, hangs)
		start := time.Now()
		if _, err := silent.Document(once(t.Context()), "1FF9VyHA4X"); !errors.Is(err, outline.ErrTimeout) {
			t.Error(err)
		}
		equal(t, "attempt", time.Since(start), 20*time.Second)

		c, s := scripted(t, zero, rateLimits("Retry-After", "20"), rateLimits("Retry-After", "21"))
		if _, err := c.Document(t.Context(), "1FF9VyHA4X"); !errors.Is(err, outline.ErrRateLimited) {
			t.Error(err)
		}
		equal(t, "attempts", s.calls, 2)
		equal(t, "wait", s.gap(1), 20*time.Second)
	})
}

func TestADoneContextSendsNothing(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, test := range []struct {
		ctx  context.Context
		kind error
	}{{cancelled, outline.ErrCancelled}, {late, outline.ErrTimeout}} {
		c, s := scripted(t, nil, gives(200, jsonType, okDocument))
		if _, err := c.Document(test.ctx, "1FF9VyHA4X"); !errors.Is(err, test.kind) {
			t.Errorf("error %v, want %v", err, test.kind)
		}
		equal(t, "attempts", s.calls, 0)
	}
}
