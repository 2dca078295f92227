package auth

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"outline-mcp/outline/expiring"
)

const (
	validFor = time.Minute             // how long a value is kept, unless the cache says otherwise
	within   = 1500 * time.Millisecond // how long a question may take
)

// PerCaller keeps what Outline says to a caller for a short time: one value for each
// of the last 1024 subjects. Nothing is shared between subjects, nor between requests
// of one that limit themselves to different collections. The zero value is ready to
// use, and it is safe for concurrent use.
type PerCaller[V any] struct {
	// For is how long a value is kept; 0 means a minute.
	For time.Duration

	entries expiring.Map[string, *entry[V]]
	mu      sync.Mutex // of what the entries hold
}

// entry holds what was found out about a subject, once done is closed.
type entry[V any] struct {
	done  chan struct{}
	value V
}

// Begin starts to find out the value of the caller of ctx, unless it is known, and
// returns a function that waits for it. That function returns the zero value if
// Outline does not answer in time.
//
// All requests of one subject wait for the same answer, which does not end with any of
// them. If ask reports that the value is not final, it is asked for again next time.
func (c *PerCaller[V]) Begin(ctx context.Context, ask func(context.Context) (value V, final bool)) (wait func() V) {
	return c.BeginAbout(ctx, "", ask)
}

// BeginAbout is Begin for one of several values of the caller, which is about something.
func (c *PerCaller[V]) BeginAbout(ctx context.Context, about string, ask func(context.Context) (value V, final bool)) (wait func() V) {
	if ctx.Err() != nil { // nobody waits
		return func() (none V) { return none }
	}
	e := c.entry(ctx, about, ask)
	begun := time.Now()
	return func() V {
		if e.answered() {
			return e.value
		}
		late := time.NewTimer(time.Until(begun.Add(within)))
		defer late.Stop()
		select {
		case <-e.done:
			return e.value
		case <-late.C:
		case <-ctx.Done():
		}
		var none V
		return none
	}
}

func (c *PerCaller[V]) entry(ctx context.Context, about string, ask func(context.Context) (V, bool)) *entry[V] {
	principal, _ := FromContext(ctx)
	subject := principal.View()
	if about != "" {
		subject += "\n" + about
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries.Get(subject); ok {
		return e
	}
	e := &entry[V]{done: make(chan struct{})}
	c.entries.Set(subject, e, cmp.Or(c.For, validFor))
	asking, stop := context.WithTimeout(context.WithoutCancel(ctx), within)
	go func() {
		defer stop()
		value, final := ask(asking)
		c.mu.Lock()
		defer c.mu.Unlock()
		e.value = value
		close(e.done)
		if now, _ := c.entries.Get(subject); !final && now == e { // which may have been replaced
			c.entries.Delete(subject)
		}
	}()
	return e
}

func (e *entry[V]) answered() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// Known returns the value of the caller of ctx if it is known already.
func (c *PerCaller[V]) Known(ctx context.Context) (value V, known bool) {
	principal, _ := FromContext(ctx)
	if e, ok := c.entries.Get(principal.View()); ok && e.answered() {
		return e.value, true
	}
	return value, false
}

// Forget drops the values of the caller of ctx, which have changed.
func (c *PerCaller[V]) Forget(ctx context.Context) {
	principal, _ := FromContext(ctx)
	subject := principal.View()
	c.entries.DeleteFunc(func(key string, _ *entry[V]) bool { return key == subject || strings.HasPrefix(key, subject+"\n") })
}
