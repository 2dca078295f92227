//go:build !race

package tools_test

// raced reports whether the race detector is on.
const raced = false
