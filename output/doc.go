// Package output turns the result of a tool into an MCP result.
//
// A tool returns one Go value. Its exported fields are the structured content
// and its WriteText method writes the text; both carry the same facts. The
// package derives the JSON Schema of the value, checks each answer against it,
// and keeps answers within the size limit.
//
// The package knows MCP and JSON Schema, but not Outline.
package output
