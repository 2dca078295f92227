//go:build !race

package tools_test

// raced says that the race detector watches.
const raced = false
