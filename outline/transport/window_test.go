package transport_test

import (
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline/transport"
)

// A server that counts requests as Outline does: those of all subjects together, in
// windows that begin with a request.
type counting struct {
	limit  int
	window time.Duration
	ends   time.Time
	used   int

	accepted, refused map[string]int // by subject
}

// send sends requests of a subject through a limiter until one has to wait, at most n.
func (c *counting) send(t *testing.T, limiter transport.Limiter, subject string, n int) {
	t.Helper()
	what := transport.Limit{Subject: subject, Endpoint: "documents.list"}
	for range n {
		if limiter.Admit(t.Context(), what) > 0 {
			return
		}
		if now := time.Now(); !now.Before(c.ends) {
			c.ends, c.used = now.Add(c.window), 0
		}
		if c.used++; c.used > c.limit {
			c.refused[subject]++
			limiter.Refused(t.Context(), what, transport.Refusal{Wait: time.Until(c.ends), Requests: c.limit})
		} else {
			c.accepted[subject]++
		}
	}
}

func (c *counting) reset() { c.accepted, c.refused = map[string]int{}, map[string]int{} }

func TestALimitThatSubjectsHaveInCommon(t *testing.T) {
	for name, test := range map[string]struct {
		limit  int
		window time.Duration
		shared bool
		batch  int // requests of the batch that are accepted in a window
	}{
		"a minute":                 {100, time.Minute, true, 80},
		"an hour":                  {5, time.Hour, true, 4},
		"a second":                 {1000, time.Second, true, 800},
		"one subject may have all": {100, time.Minute, false, 100},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := transport.NewRateLimiter(test.shared)
				server := &counting{limit: test.limit, window: test.window}
				server.reset()
				server.send(t, limiter, "batch", 10*test.limit)
				if server.accepted["batch"] != test.limit || server.refused["batch"] != 1 {
					t.Fatalf("before the limit is known: %v accepted, %v refused", server.accepted, server.refused)
				}
				server.send(t, limiter, "Ada", 1)
				server.send(t, limiter, "Ben", 1)
				if server.refused["Ada"] != 1 || server.refused["Ben"] != 0 {
					t.Errorf("a limit that two subjects have met is met again: %v", server.refused)
				}
				for range 3 {
					time.Sleep(test.window + test.window/40)
					server.reset()
					server.send(t, limiter, "batch", 10*test.limit)
					server.send(t, limiter, "Ada", 1)
					if server.accepted["batch"] != test.batch || len(server.refused) > 0 {
						t.Errorf("%v accepted, %v refused", server.accepted, server.refused)
					}
					if want := min(1, test.limit-test.batch); server.accepted["Ada"] != want {
						t.Errorf("%d requests of another subject, want %d", server.accepted["Ada"], want)
					}
				}
			})
		})
	}
}

func TestACommonLimitIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := transport.NewRateLimiter(true)
		server := &counting{limit: 10, window: time.Minute}
		server.reset()
		server.send(t, limiter, "batch", 100)
		time.Sleep(transport.ForgetLimit(time.Minute))
		server.limit = 50 // the operator of Outline has raised it
		server.reset()
		server.send(t, limiter, "batch", 100)
		if server.accepted["batch"] != 50 {
			t.Errorf("%v accepted, %v refused", server.accepted, server.refused)
		}
	})
}

func TestALimitWithoutANumberConcernsOnlyItsSubject(t *testing.T) {
	for name, requests := range map[string]int{"none": 0, "negative": -1, "absurd": 1 << 60} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var limiter transport.RateLimiter
				for _, subject := range []string{"a", "b"} {
					limiter.Refused(t.Context(), transport.Limit{Subject: subject, Endpoint: "x"}, transport.Refusal{Wait: time.Minute, Requests: requests})
				}
				if wait := limiter.Admit(t.Context(), transport.Limit{Subject: "c", Endpoint: "x"}); wait != 0 {
					t.Errorf("waits %s", wait)
				}
				if wait := limiter.Admit(t.Context(), transport.Limit{Subject: "a", Endpoint: "x"}); wait != time.Minute {
					t.Errorf("waits %s", wait)
				}
			})
		})
	}
}
