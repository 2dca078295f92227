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
