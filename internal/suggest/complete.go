package suggest

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// within is how long a person who is typing waits for Outline.
	within = 300 * time.Millisecond
	// mostValues is how many values a completion may have (MCP specification,
	// server/utilities/completion).
	mostValues = 100
)

// Complete returns an MCP completion of what is typed: the values of the candidates,
// because MCP has no hints. If Outline does not answer within 300 ms, it fails.
func (s *Source) Complete(ctx context.Context, kind Kind, typed string) (*mcp.Completion, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found, err := s.Find(ctx, kind, typed)
	if err != nil {
		return nil, err
	}
	shown := found.Candidates[:min(mostValues, len(found.Candidates))]
	completion := &mcp.Completion{Values: make([]string, len(shown)), HasMore: found.More || len(shown) < len(found.Candidates)}
	for i, candidate := range shown {
		completion.Values[i] = candidate.Value
	}
	if !found.More {
		completion.Total = len(found.Candidates)
	}
	return completion, nil
}
