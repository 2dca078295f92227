package tools

import "github.com/mark3labs/mcp-go/mcp"

// Effect says what a tool does to the workspace. The MCP hints derive from it.
type Effect int

// The effects, from the harmless to the dangerous.
const (
	Reads   Effect = iota // changes nothing
	Adds                  // creates something; calling twice creates twice
	Moves                 // changes where something is, and can be taken back
	Changes               // overwrites what was there
	Deletes               // removes
)

// String returns the effect as documentation names it.
func (e Effect) String() string {
	return [...]string{"reads", "adds", "moves", "changes", "deletes"}[e]
}

// hints returns the MCP annotations of an effect (specification 2025-11-25,
// ToolAnnotations). The workspace is closed: a tool reaches nothing else.
func (e Effect) hints() mcp.ToolAnnotation {
	return mcp.ToolAnnotation{
		ReadOnlyHint:    new(e == Reads),
		DestructiveHint: new(e == Changes || e == Deletes),
		IdempotentHint:  new(e == Reads || e == Moves || e == Deletes),
		OpenWorldHint:   new(false),
	}
}

// Group is the chapter of the documentation that a tool stands in.
type Group string

// The groups, in documentation order.
const (
	Search      Group = "search"
	Reading     Group = "reading"
	Documents   Group = "documents"
	Lifecycle   Group = "lifecycle"
	Comments    Group = "comments"
	Collections Group = "collections"
	Batch       Group = "batch"
	AI          Group = "ai"
)
