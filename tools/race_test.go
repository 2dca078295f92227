//go:build race

package tools_test

// raced reports whether the race detector is on, which makes everything five to ten
// times slower.
const raced = true
