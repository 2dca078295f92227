// Package output turns what a tool returns into an MCP result.
//
// A tool returns one Go value. Its exported fields are the structured content,
// its WriteText method the text; both carry the same facts. The package makes
// the JSON Schema that describes the value, holds each answer against that
// schema before it leaves the server, and keeps answers under a size limit.
//
// The package knows MCP and JSON Schema, not Outline.
package output
