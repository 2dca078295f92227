package mcptool

import (
	"cmp"

	"github.com/mark3labs/mcp-go/mcp"
)

// The number of characters of an answer that Claude Code shows. It writes a
// longer answer to a file, of which the model sees only the beginning, unless
// the definition of the tool asks for more, up to the second number
// (github.com/anthropics/claude-code, issues 45766 and 42869).
const (
	clientShows     = 50_000
	clientShowsMost = 500_000
)

// showingWhole asks clients to show answers of a tool that reads in full, up to
// maxChars characters, if that is more than they show by default. 0 means no
// limit.
func (e Effect) showingWhole(maxChars int) *mcp.Meta {
	if e != Reads || maxChars > 0 && maxChars <= clientShows {
		return nil
	}
	most := min(clientShowsMost, cmp.Or(maxChars, clientShowsMost))
	return &mcp.Meta{AdditionalFields: map[string]any{"anthropic/maxResultSizeChars": most}}
}
