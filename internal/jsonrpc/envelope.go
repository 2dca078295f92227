package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/text"
)

// IsID reports whether JSON can be the ID of a request: a string or a number.
func IsID(id []byte) bool {
	return len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// Placeholder replaces an ID that the library would not repeat unchanged.
const Placeholder = "0"

// WithSafeID returns a message with an ID that the library repeats unchanged,
// and whether that is Placeholder. The library decodes numbers as float64,
// which changes large and fractional ones, and changes unpaired surrogates in
// strings.
func WithSafeID(message, id []byte) (safe []byte, replaced bool) {
	const largest = 1 << 53
	n, err := strconv.ParseInt(string(id), 10, 64)
	isPlain := len(id) > 0 && id[0] == '"' && !bytes.ContainsRune(id, '\\')
	if len(id) == 0 || isPlain || err == nil && -largest <= n && n <= largest {
		return message, false
	}
	given, begin := member(message, "id")
	if given == nil {
		return message, false
	}
	return slices.Concat(message[:begin], []byte(Placeholder), message[begin+len(given):]), true
}

// WithID returns a response with the ID that the request came with. The library
// decodes numbers as float64, which changes large and fractional ones.
func WithID(message mcp.JSONRPCMessage, id json.RawMessage) mcp.JSONRPCMessage {
	switch response := message.(type) {
	case mcp.JSONRPCResponse:
		response.ID = mcp.NewRequestId(id)
		return response
	case mcp.JSONRPCError:
		if !response.ID.IsNil() {
			response.ID = mcp.NewRequestId(id)
		}
		return response
	}
	return message
}

// longestName limits the names of methods and tools, in bytes.
const longestName = 100

// apiKey is how keys of Outline begin.
const apiKey = "ol_api_"

// NameProblem returns a sentence if the method, or the name of the tool or other
// item, is longer than any that exists or holds an API key, and otherwise "". The
// library repeats names that it does not know.
func NameProblem(method string, name []byte) string {
	switch {
	case strings.Contains(strings.ToLower(method+string(name)), apiKey):
		return "nothing here has this name, which looks like an API key; give the key to the program that sends the message instead"
	case len(method) > longestName:
		return fmt.Sprintf("unknown method %q", text.Truncate(method, longestName))
	case len(name) > longestName+2: // with the quotes
		return "unknown name " + text.Truncate(string(name), longestName)
	}
	return ""
}
