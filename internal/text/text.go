// Package text cuts strings at code points and at lines, reads streams line by line and
// booleans as people write them in settings, headers and arguments, and says of a panic what
// a log may hold.
package text

import (
	"fmt"
	"runtime"
	"strings"
)

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

// OfPanic returns the text of an error of Go's runtime, which names types, indices and
// addresses only. Of any other value, which may hold a key or the text of a document, it
// returns the type.
func OfPanic(value any) string {
	if err, ok := value.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", value)
}

// ParseBool returns the boolean that s stands for: true, t, 1, yes, y or on, or
// false, f, 0, no, n or off, in upper or lower case and with spaces around it. ok is false
// for anything else.
func ParseBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "t", "1", "yes", "y", "on":
		return true, true
	case "false", "f", "0", "no", "n", "off":
		return false, true
	}
	return false, false
}

// Lines is a range of lines cut out of a text.
type Lines struct {
	Text  string // the lines with their line ends; shares the memory of the text
	First int    // the number of the first line, counting from 1
	Count int    // the number of these lines: 0 if First is beyond the end
	Next  int    // the number of the line that follows, 0 at the end of the text
	Total int    // the number of lines of the text
}

// Window returns at most limit lines of text starting with line first, or all
// that follow if limit is below 1. A first below 1 counts as 1.
//
// A line ends with "\n" or "\r\n". The empty text has no lines, and a line
// end at the very end of a text does not begin another line.
func Window(text string, first, limit int) Lines {
	w := Lines{First: max(first, 1), Total: countLines(text)}
	w.Text = text[skipLines(text, w.First-1):]
	if limit > 0 {
		w.Text = w.Text[:skipLines(w.Text, limit)]
	}
	w.Count = countLines(w.Text)
	if w.First <= w.Total-w.Count {
		w.Next = w.First + w.Count
	}
	return w
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// skipLines returns the offset after the first n lines of text.
func skipLines(text string, n int) int {
	offset := 0
	for ; n > 0; n-- {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return len(text)
		}
		offset += i + 1
	}
	return offset
}
