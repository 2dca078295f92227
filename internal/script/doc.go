// Package script makes tool calls for scripts: arguments from files, jq
// expressions on answers, many calls in one stream, and progress.
package script
