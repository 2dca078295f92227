package suggest

import (
	"context"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// mostDocuments keeps the server's own share below 5 ms.
	mostDocuments = 25
	// mostChars is how many characters the values have at most, in code points. The
	// lowest OUTLINE_MAX_RESPONSE_CHARS is more.
	mostChars = 9000
)

// Complete returns an MCP completion of what is typed: the values of the candidates,
// because MCP has no hints. There are at most 100 (MCP specification,
// server/utilities/completion), as in a page of Outline. If Outline does not answer in
// time, it fails.
func (s *Source) Complete(ctx context.Context, kind Kind, typed string) (*mcp.Completion, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Within)
	defer cancel()
	found, err := s.find(ctx, kind, typed, extent{mostDocuments, noPlaces})
	if err != nil {
		return nil, err
	}
	completion, chars := &mcp.Completion{Values: []string{}, HasMore: found.More}, 0
	for _, candidate := range found.Candidates {
		chars += utf8.RuneCountInString(candidate.Value)
		if chars > mostChars {
			completion.HasMore = true
			break
		}
		completion.Values = append(completion.Values, candidate.Value)
	}
	if !found.More {
		completion.Total = len(found.Candidates)
	}
	return completion, nil
}
