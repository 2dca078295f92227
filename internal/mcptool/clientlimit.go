package mcptool

import (
	"cmp"

	"github.com/mark3labs/mcp-go/mcp"
)

// How many characters of an answer Claude Code shows. What is longer it writes
// to a file, of which the model sees the beginning only, unless the tool's
// definition asks for more, at most the second number
// (github.com/anthropics/claude-code, issues 45766 and 42869).
const (
	clientShows     = 50_000
	clientShowsMost = 500_000
)

// showingWhole tells clients that a tool which reads answers with up to
// maxChars characters, 0 being no limit, where that is more than they show.
func (e Effect) showingWhole(maxChars int) *mcp.Meta {
	if e != Reads || maxChars > 0 && maxChars <= clientShows {
		return nil
	}
	most := min(clientShowsMost, cmp.Or(maxChars, clientShowsMost))
	return &mcp.Meta{AdditionalFields: map[string]any{"anthropic/maxResultSizeChars": most}}
}
