package transport

import (
	"context"
	"hash/maphash"
	"maps"
	"sync"
	"time"
)

// A Limit identifies a rate limit: who is limited, and for which endpoint.
type Limit struct{ Subject, Endpoint string }

// A Refusal is what a server says when it refuses a request because of a rate limit.
type Refusal struct {
	Wait     time.Duration // until it may be sent again
	Requests int           // that the limit allows in its window; 0 if the server does not say
}

// A Limiter decides when requests may be sent, by what the server has said about its
// rate limits.
type Limiter interface {
	// Admit returns 0 and counts the request, or how long it has to wait.
	Admit(context.Context, Limit) time.Duration
	// Refused records that the server has refused a request.
	Refused(context.Context, Limit, Refusal)
}

// A RateLimiter is a [Limiter] in memory. It records which rate limits of subjects are
// reached, and until when: a bounded number of them, by their hashes, and forgets those
// that have ended first. Forgetting another one costs a request that the server refuses
// again. It also counts requests against the limits that all subjects have in common
// (see [Window]). The zero value is ready to use.
type RateLimiter struct {
	Shared bool // no subject gets all that a common limit allows

	once    sync.Once
	seed    maphash.Seed
	shards  [shards]shard
	windows windows
}

// Admit implements [Limiter].
func (l *RateLimiter) Admit(_ context.Context, what Limit) time.Duration {
	if wait := l.Remaining(what); wait > 0 {
		return wait
	}
	return l.windows.admit(what, l.Shared)
}

// Refused implements [Limiter]. Of a common limit that the server has not told of before,
// the first refusal in a window concerns its subject, because its credential may be used
// elsewhere. A refusal of a second subject concerns all.
func (l *RateLimiter) Refused(_ context.Context, what Limit, r Refusal) {
	l.Block(what, r.Wait)
	l.windows.refused(what, r)
}

const (
	shards = 16
	// perShard is the number of limits in a shard. Finding those that have ended
	// takes some microseconds, in which the other shards are not blocked.
	perShard = 2048
)

type shard struct {
	mu    sync.Mutex
	until map[uint64]time.Time // by the hash of the limit
}

// longestLimit bounds the time that a limit is in force, whatever the server
// asks for.
const longestLimit = time.Hour

// of returns the shard of a limit and its hash.
func (l *RateLimiter) of(what Limit) (*shard, uint64) {
	l.once.Do(func() { l.seed = maphash.MakeSeed() })
	sum := maphash.Comparable(l.seed, what)
	return &l.shards[sum%shards], sum
}

// Block puts a limit into force for a time of at most an hour, unless it is
// already in force for longer.
func (l *RateLimiter) Block(what Limit, wait time.Duration) {
	now := time.Now()
	s, sum := l.of(what)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.until) >= perShard {
		s.makeRoom(now)
	}
	if s.until == nil {
		s.until = map[uint64]time.Time{}
	}
	if until := now.Add(min(wait, longestLimit)); until.After(s.until[sum]) {
		s.until[sum] = until
	}
}

// makeRoom forgets limits that have ended or, if there are few of them, any.
func (s *shard) makeRoom(now time.Time) {
	maps.DeleteFunc(s.until, func(_ uint64, until time.Time) bool { return !until.After(now) })
	for sum := range s.until {
		if len(s.until) <= perShard*3/4 { // not one by one, as each look takes time
			return
		}
		delete(s.until, sum)
	}
}

// Remaining returns how long a limit is still in force, 0 if it is not.
func (l *RateLimiter) Remaining(what Limit) time.Duration {
	s, sum := l.of(what)
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, time.Until(s.until[sum]))
}
