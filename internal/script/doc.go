// Package script is what scripts need around tool calls: arguments from files,
// expressions on answers, many calls in one stream, and progress.
package script
