//go:build race

package tools_test

// raced says that the race detector watches, which makes everything five to
// ten times as slow.
const raced = true
