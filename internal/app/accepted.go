package app

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
)

const (
	// acceptedFor is how long a key counts as accepted after Outline's last answer.
	acceptedFor = time.Hour
	// acceptedSubjects is how many subjects are remembered.
	acceptedSubjects = 4096
)

// accepted remembers whose requests Outline has answered recently. It remembers
// only those, so that made-up keys take no memory.
type accepted struct {
	mu    sync.Mutex
	until map[string]time.Time // by subject, which is a hash
}

// note records an attempt of a request.
func (a *accepted) note(ctx context.Context, attempt outline.Attempt) {
	who, ok := auth.FromContext(ctx)
	if !ok || attempt.Status != http.StatusOK {
		return
	}
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until == nil {
		a.until = map[string]time.Time{}
	}
	if _, known := a.until[who.Subject]; !known && len(a.until) >= acceptedSubjects {
		maps.DeleteFunc(a.until, func(_ string, until time.Time) bool { return now.After(until) })
		for subject := range a.until {
			if len(a.until) < acceptedSubjects {
				break
			}
			delete(a.until, subject)
		}
	}
	a.until[who.Subject] = now.Add(acceptedFor)
}

// has reports whether Outline has accepted a principal's credential lately.
func (a *accepted) has(who auth.Principal) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Now().Before(a.until[who.Subject])
}

// count returns the number of principals that has reports true for.
func (a *accepted) count() int {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	count := 0
	for _, until := range a.until {
		if now.Before(until) {
			count++
		}
	}
	return count
}
