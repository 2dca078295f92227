package transport_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline/transport"
)

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
