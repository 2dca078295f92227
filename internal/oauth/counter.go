package oauth

import (
	"sync"
	"time"
)

// newRegistrations counts registrations. They cost little and leave nothing behind, and all
// clients can have the address of one proxy, so the limits are there to stop floods only.
func newRegistrations() *counter {
	return &counter{window: time.Minute, perAddress: 60, inAll: 600}
}

// newRefusedCodes counts codes that Outline refuses. Anyone can make up a code of Outline,
// and have it sealed and exchanged without an account. Without a limit, that would use up
// the 100 requests an hour that Outline allows this server, and nobody could renew a login.
func newRefusedCodes() *counter { return &counter{window: time.Hour, perAddress: 30, inAll: 30} }

// A counter limits how often something happens in a window of time, for each address and in
// all. The limit in all also limits its memory.
type counter struct {
	window            time.Duration
	perAddress, inAll int

	mu        sync.Mutex
	ends      time.Time // of the current window
	total     int
	byAddress map[string]int
}

// acquire counts one more, or returns how long to wait if that would be too many.
func (c *counter) acquire(address string, now time.Time) (wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !now.Before(c.ends) || c.ends.Sub(now) > c.window {
		c.ends, c.total, c.byAddress = now.Add(c.window), 0, map[string]int{}
	}
	if c.total >= c.inAll || c.byAddress[address] >= c.perAddress {
		return c.ends.Sub(now)
	}
	c.total++
	c.byAddress[address]++
	return 0
}

// release takes back one that was acquired, unless its window has ended.
func (c *counter) release(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byAddress[address] > 0 {
		c.byAddress[address]--
		c.total--
	}
}
