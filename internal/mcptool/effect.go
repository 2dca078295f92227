package mcptool

import "github.com/mark3labs/mcp-go/mcp"

// Effect says what a tool does to the workspace. The MCP hints derive from it.
type Effect int

// The effects, from the harmless to the dangerous.
const (
	Reads   Effect = iota // changes nothing
	Adds                  // creates something; calling twice creates twice
	Moves                 // changes where something is; can be undone
	Changes               // overwrites content
	Deletes               // removes
)

// String returns the effect as documentation names it.
func (e Effect) String() string {
	return [...]string{"reads", "adds", "moves", "changes", "deletes"}[e]
}

// hints returns the MCP annotations of an effect (specification 2025-11-25,
// ToolAnnotations). Tools reach nothing outside the workspace.
func (e Effect) hints() mcp.ToolAnnotation {
	return mcp.ToolAnnotation{
		ReadOnlyHint:    new(e == Reads),
		DestructiveHint: new(e == Changes || e == Deletes),
		IdempotentHint:  new(e == Reads || e == Moves || e == Deletes),
		OpenWorldHint:   new(false),
	}
}

// Group is the chapter of the documentation that a tool belongs to. Operators
// can choose tools by group.
type Group string

// AI is the group of the tools that ask Outline's own AI. Operators switch it
// off as a whole.
const AI Group = "ai"
