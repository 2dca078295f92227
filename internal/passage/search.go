package passage

import (
	"iter"
	"strings"
)

// occurrences yields the offsets at which pattern, which is not empty, occurs
// in text, including overlapping occurrences.
func occurrences(text, pattern string) iter.Seq[int] {
	return func(yield func(int) bool) {
		// The library's search is the fastest for a few occurrences, but each
		// costs it the length of the pattern.
		at := 0
		for range 8 {
			i := strings.Index(text[at:], pattern)
			if i < 0 || !yield(at+i) {
				return
			}
			at += i + 1
		}
		searchAll(text, at, pattern, yield)
	}
}

// searchAll yields the occurrences of pattern from an offset on, in a time that
// does not depend on their number (Knuth, Morris and Pratt, Fast Pattern
// Matching in Strings, 1977).
func searchAll(text string, at int, pattern string, yield func(int) bool) {
	// border[i] is the length of the longest proper prefix of pattern[:i+1]
	// that is its suffix too.
	border := make([]int32, len(pattern))
	// extended returns how much of pattern stands at the end of a text that had n
	// bytes of it there before c.
	extended := func(n int32, c byte) int32 {
		for n > 0 && (int(n) == len(pattern) || c != pattern[n]) {
			n = border[n-1]
		}
		if c == pattern[n] {
			n++
		}
		return n
	}
	for i := 1; i < len(pattern); i++ {
		border[i] = extended(border[i-1], pattern[i])
	}
	n := int32(0)
	for i := at; i < len(text); i++ {
		n = extended(n, text[i])
		if int(n) == len(pattern) && !yield(i+1-len(pattern)) {
			return
		}
	}
}
