package transport_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline/transport"
)

func TestMadeUpSubjectsDoNotFillTheLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := transport.NewRateLimiter(false)
		subject := func(n int) transport.Limit {
			return transport.Limit{Subject: "made up " + strconv.Itoa(n), Endpoint: "x"}
		}
		const many = 200_000
		for n := range many {
			limits.Block(subject(n), time.Hour)
		}
		held := 0
		for n := range many {
			if limits.Remaining(subject(n)) > 0 {
				held++
			}
		}
		if held > 40_000 || held < 10_000 {
			t.Errorf("%d limits are held", held)
		}
		if limits.Remaining(subject(many-1)) == 0 {
			t.Error("the latest limit is not held")
		}
		time.Sleep(2 * time.Hour)
		lasting := transport.Limit{Subject: "Ada", Endpoint: "x"}
		limits.Block(lasting, time.Hour)
		for n := range 20_000 { // fits where those that have ended were
			limits.Block(subject(n), time.Minute)
		}
		if limits.Remaining(lasting) == 0 {
			t.Error("a limit makes room though others have ended")
		}
	})
}

// BenchmarkRateLimiter asks for and sets limits from all processors, with 40,000
// subjects in it.
func BenchmarkRateLimiter(b *testing.B) {
	limits := transport.NewRateLimiter(false)
	for n := range 40_000 {
		limits.Block(transport.Limit{Subject: strconv.Itoa(n), Endpoint: "x"}, time.Hour)
	}
	b.Run("Remaining", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				limits.Remaining(transport.Limit{Subject: "Ada", Endpoint: "x"})
			}
		})
	})
	var next atomic.Int64
	b.Run("Block", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				n := next.Add(1)
				limits.Block(transport.Limit{Subject: "made up " + strconv.FormatInt(n, 10), Endpoint: "x"}, time.Hour)
			}
		})
	})
}

func TestManySubjectsOfAGroupGetWhatOneGetsOfACommonLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := transport.NewRateLimiter(true)
		made := func(n int) transport.Limit {
			return transport.Limit{Subject: strconv.Itoa(n), Endpoint: "x", Group: "not accepted"}
		}
		limits.Refused(t.Context(), made(0), transport.Refusal{Wait: time.Millisecond, Requests: 100})
		time.Sleep(2 * time.Millisecond) // of the bubble: the window ends
		admitted, honest := 0, 0
		for n := range 1000 {
			if limits.Admit(t.Context(), made(n+1)) == 0 {
				admitted++
			}
			if n%20 == 0 && limits.Admit(t.Context(), transport.Limit{Subject: "honest", Endpoint: "x"}) == 0 {
				honest++
			}
		}
		if admitted > 80 || honest < 10 {
			t.Errorf("%d of the group and %d of the honest subject were admitted", admitted, honest)
		}
	})
}

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
