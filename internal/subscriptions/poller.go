package subscriptions

import (
	"context"
	"errors"
	"slices"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
)

const (
	// cycle is how long it takes to ask all feeds that a subject needs. It leaves room
	// in the promised ten seconds for further requests and for slow answers. While
	// things change it is half as long.
	cycle = 7 * time.Second
	// shortest is the shortest interval between two requests for a subject. Outline
	// allows some endpoints 100 requests a minute.
	shortest = 2 * time.Second
	// followUp is the time to a further request of the same feed. A change of documents
	// may take two of them, within the promised ten seconds.
	followUp = time.Second
	// activeFor is how long after a change others are expected.
	activeFor = time.Minute
	// longest is the longest interval, when Outline does not answer or limits the rate.
	longest = time.Minute
)

// poll asks the feeds that are needed, in turn, until ctx is done.
func (of *subject) poll(ctx context.Context) {
	timer := time.NewTimer(shortest)
	defer timer.Stop()
	last, soon, failures := kinds, false, 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		list := of.needed()
		if len(list) == 0 { // somebody is about to subscribe
			timer.Reset(shortest)
			continue
		}
		if !soon || !slices.Contains(list, last) {
			last = next(list, last)
		}
		var err error
		soon, err = of.ask(ctx, last)
		switch {
		case err == nil:
			failures = 0
			timer.Reset(of.interval(len(list), soon))
		case ctx.Err() != nil:
			return
		case errors.Is(err, outline.ErrUnauthorized), errors.Is(err, outline.ErrForbidden):
			of.service.options.Log.InfoContext(ctx, "subscriptions ended: Outline rejects the key", "key", of.who().ID())
			of.service.mu.Lock()
			of.service.end(of, ErrRejected)
			of.service.mu.Unlock()
			return
		default:
			if failures++; failures == 1 {
				of.service.options.Log.WarnContext(ctx, "looking for changes failed; trying again less often", "key", of.who().ID(), "error", outline.Redact(err.Error()))
			}
			timer.Reset(pause(err, failures))
		}
	}
}

// next returns the feed of a list to ask after last.
func next(list []Kind, last Kind) Kind {
	for _, kind := range list {
		if kind > last {
			return kind
		}
	}
	return list[0]
}

// ask makes a request to a feed, with the credential of the subject, and tells the
// listeners. It reports whether the feed should be asked again soon.
func (of *subject) ask(ctx context.Context, kind Kind) (soon bool, err error) {
	select {
	case of.asking <- struct{}{}:
		defer func() { <-of.asking }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	n, err := of.feeds[kind].ask(auth.NewContext(ctx, of.who()), of.service.options.Outline)
	if err == nil {
		of.publish(kind, n)
	}
	return n.soon, err
}

// interval returns the time to the next request if a number of feeds is needed.
func (of *subject) interval(feeds int, soon bool) time.Duration {
	of.service.mu.Lock()
	active := time.Since(of.changed) < activeFor
	of.service.mu.Unlock()
	switch {
	case soon:
		return followUp
	case active:
		return max(shortest, cycle/2/time.Duration(feeds))
	}
	return max(shortest, cycle/time.Duration(feeds))
}

// pause returns the time to the next request after a number of failures.
func pause(err error, failures int) time.Duration {
	wait := min(longest, cycle<<min(failures, 8))
	var answer *outline.Error
	if errors.As(err, &answer) {
		wait = max(wait, answer.RetryAfter)
	}
	return wait
}
