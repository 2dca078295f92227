package jsonrpc

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"outline-mcp/internal/text"
)

// IsID reports whether JSON can be the ID of a request: a string or a number.
func IsID(id []byte) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// Placeholder stands for an ID that the library would not repeat as it came.
const Placeholder = "0"

// WithSafeID returns a message with an ID that the library repeats as it is, and
// whether that is Placeholder. The library decodes numbers as float64, which
// changes large and fractional ones, and half of a surrogate pair in a string.
func WithSafeID(message, id []byte) (safe []byte, replaced bool) {
	const largest = 1 << 53
	n, err := strconv.ParseInt(string(id), 10, 64)
	isPlain := len(id) > 0 && id[0] == '"' && !bytes.ContainsRune(id, '\\')
	if len(id) == 0 || isPlain || err == nil && -largest <= n && n <= largest {
		return message, false
	}
	given := member(message, "id")
	if given == nil {
		return message, false
	}
	begin := cap(message) - cap(given)
	return slices.Concat(message[:begin], []byte(Placeholder), message[begin+len(given):]), true
}

// longestName is how many bytes the name of a method or a tool has at most. The
// library repeats names that it does not know.
const longestName = 100

// LongName returns a sentence about a method, or the name of what it is about, if
// that is longer than any that is served, or "".
func LongName(method string, name []byte) string {
	switch {
	case len(method) > longestName:
		return fmt.Sprintf("there is no method %q", text.Truncate(method, longestName))
	case len(name) > longestName+2: // with its quotes
		return "nothing here has the name " + text.Truncate(string(name), longestName)
	}
	return ""
}
