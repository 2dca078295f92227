package outline

import (
	"context"
	"errors"
	"sync"

	"outline-mcp/outline/transport"
)

// The lengths of answers, in bytes, from which they are read a few at a time, and one
// at a time: a document takes about five times its answer's length, as text, as a tree,
// in which each word may be a node of its own, and while a change of it is planned. What
// answers to the same work take together counts, too.
const (
	largeAnswer, largeTogether = 256 << 10, 1 << 20
	hugeAnswer, hugeTogether   = 2 << 20, 4 << 20
	maxLarge                   = 6
)

// largeAnswers bounds the memory that answers to all callers take together. Those that
// are not large never wait. Subjects take turns.
//
// What has a place must not wait for what waits for one, or both wait until they time
// out. Therefore the requests of some work share its place. Look-ups in passing, which
// other work may wait for, have a place of their own, only until they are decoded.
type largeAnswers struct{ large, huge, passing *transport.FairQueue }

func newLargeAnswers() largeAnswers {
	return largeAnswers{transport.NewFairQueue(maxLarge, false), transport.NewFairQueue(1, false), transport.NewFairQueue(1, false)}
}

// KeepAnswers returns a context for work that keeps what Outline answers, as an edit
// keeps the document that it reads. Large answers take their place among those that are
// allowed at once until done is called. Without it, they do until they are decoded. If ctx
// is part of such work, done does nothing: they are kept as long as the whole of it.
func KeepAnswers(ctx context.Context) (_ context.Context, done func()) {
	if k, ok := ctx.Value(keptKey{}).(*kept); ok && !k.ended() {
		return ctx, func() {}
	}
	k := newKept()
	return context.WithValue(ctx, keptKey{}, k), k.release
}

// ErrBusy is the cause of an ErrTimeout if the time ran out because the answers to other
// calls took the memory that is allowed for large ones.
var ErrBusy = errors.New("other large answers are being read")

type keptKey struct{}

// kept is what some work keeps of its answers.
type kept struct {
	turn    chan struct{} // held while one of the answers waits for a place
	passing bool          // it is a look-up in passing

	mu       sync.Mutex
	lists    int                  // that are being read or decoded
	large    bool                 // the place is needed without them, too
	bytes    int64                // of the answers that have arrived
	place    *transport.FairQueue // where they take a place; nil if they are small
	leave    func()               // gives the place back
	released bool
}

func newKept() *kept { return &kept{turn: make(chan struct{}, 1)} }

// keeper returns what keeps the answer to a request until done is called, and longer if
// it is part of work that does.
func (c *Client) keeper(ctx context.Context, r request) (k *kept, done func()) {
	passing := optionsOf(ctx).inPassing
	if k, ok := ctx.Value(keptKey{}).(*kept); ok && !passing {
		if r.kind != listing {
			return k, func() {}
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.lists++
		return k, sync.OnceFunc(k.listed)
	}
	k = newKept()
	k.passing = passing
	return k, k.release
}

// listed ends a list, and gives the place back if only lists needed it.
func (k *kept) listed() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lists--; k.lists == 0 && !k.large {
		k.change(nil, nil)
	}
}

// add counts an answer that has arrived.
func (k *kept) add(bytes int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bytes += bytes
}

func (k *kept) ended() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.released
}

func (k *kept) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.released = true
	k.change(nil, nil)
}

func (k *kept) change(place *transport.FairQueue, leave func()) {
	if k.place != nil {
		k.leave()
	}
	k.place, k.leave = place, leave
}

// needs returns the place that an answer of so many bytes needs, or nil if it needs no
// other than k has.
func (k *kept) needs(all largeAnswers, bytes int64, of kind) *transport.FairQueue {
	k.mu.Lock()
	defer k.mu.Unlock()
	together := k.bytes + bytes
	large := bytes >= largeAnswer || together >= largeTogether
	k.large = k.large || large && of != listing
	switch {
	case k.place == all.huge:
		return nil
	case bytes >= hugeAnswer, together >= hugeTogether:
		return all.huge
	case k.place != nil || !large:
		return nil
	case k.passing:
		return all.passing
	}
	return all.large
}

// reserve waits until there is a place for an answer of so many bytes. It fails with
// ErrBusy if ctx ends first.
//
// The answer to a command does not wait: what the place is taken by may wait for the
// command. A huge one in passing fails at once.
func (c *Client) reserve(ctx context.Context, k *kept, bytes int64, of kind) error {
	if k.needs(c.large, bytes, of) == nil {
		return nil
	}
	atOnce, cancel := context.WithCancel(ctx)
	cancel()
	command, waits := of >= changing, ctx
	if command {
		waits = atOnce
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-waits.Done():
		if command {
			return nil
		}
		return ErrBusy
	}
	place := k.needs(c.large, bytes, of)
	if place == nil {
		return nil
	}
	if k.passing && place == c.large.huge {
		waits = atOnce
	}
	subject := ""
	if credential, failure := c.credential(ctx, ""); failure == nil {
		subject = credential.subject()
	}
	leave, _, err := place.Acquire(waits, subject)
	switch {
	case err != nil && command:
		return nil
	case err != nil:
		return ErrBusy
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.released {
		leave()
		return nil
	}
	k.change(place, leave)
	return nil
}
