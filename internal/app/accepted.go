package app

import (
	"context"
	"net/http"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/outline/expiring"
)

// acceptedFor is how long a key counts as accepted after Outline's last answer.
const acceptedFor = time.Hour

// accepted remembers whose requests Outline has answered recently, by subject, which is a
// hash. It remembers only those, so that made-up keys take no memory.
type accepted struct{ expiring.Map[string, struct{}] }

func newAccepted() *accepted {
	return &accepted{expiring.Map[string, struct{}]{Most: 4096}}
}

// note records an attempt of a request.
func (a *accepted) note(ctx context.Context, attempt outline.Attempt) {
	if who, ok := auth.FromContext(ctx); ok && attempt.Status == http.StatusOK {
		a.Set(who.Subject, struct{}{}, acceptedFor)
	}
}

// has reports whether Outline has accepted a principal's credential lately.
func (a *accepted) has(who auth.Principal) bool {
	_, ok := a.Get(who.Subject)
	return ok
}
