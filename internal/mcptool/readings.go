package mcptool

import (
	"context"
	"time"

	"outline-mcp/internal/auth"
	"outline-mcp/outline/expiring"
)

// Readings hold what each caller knows of documents: the states that it has read or has
// left itself. They are in the memory of this process only, and nothing is shared between
// callers. A nil *Readings holds none.
type Readings struct {
	known expiring.Map[[2]string, Reading] // by caller and document
}

// A Reading is the state of a document as a caller knows it. It has no text.
type Reading struct {
	Revision           int
	Title, Icon, Color string
	// Lines has a hash for each line that is not blank, at most MostLines. Its lowest
	// three bits are the level of a heading, 0 in other lines.
	Lines []rune
	Ends  [][2]rune // the last two lines of answers that were cut
}

// MostLines is how many lines a reading holds.
const MostLines = 1 << 12

const readingKept = 24 * time.Hour

// Of returns what the caller of ctx knows of a document.
func (r *Readings) Of(ctx context.Context, id string) (reading Reading, known bool) {
	if r == nil {
		return reading, false
	}
	p, _ := auth.FromContext(ctx)
	return r.known.Get([2]string{p.View(), id})
}

// Set remembers what the caller of ctx knows of a document.
func (r *Readings) Set(ctx context.Context, id string, reading Reading) {
	if r != nil {
		p, _ := auth.FromContext(ctx)
		r.known.Set([2]string{p.View(), id}, reading, readingKept)
	}
}
