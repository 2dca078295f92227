// Package text cuts strings at code points and at lines, and reads booleans as
// people write them in settings, headers and arguments.
package text

// Truncate returns the first n code points of s, followed by an ellipsis if s
// is longer than that.
func Truncate(s string, n int) string {
	if end := Offset(s, n); end < len(s) {
		return s[:end] + "…"
	}
	return s
}

// Offset returns the byte offset of code point n of s, counted from 0, or
// len(s) if s has no more than n code points. An invalid byte counts as one
// code point.
func Offset(s string, n int) int {
	for i := range s {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(s)
}
