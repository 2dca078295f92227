// Package wire carries the messages of MCP: [Stdio] and [HTTP] are its transports, for one
// client and for many. The MCP library handles the messages; the package does what its
// transports do not, as the README of the folder lists.
//
// It looks at messages before they are decoded, and writes those that the library cannot.
// The library decodes a message into values that take up to a hundred times its length;
// this package counts those values first. It keeps the arguments of tools, the only part
// of a message that may be long, from the library, and reads streams with one JSON value
// per line.
//
// It also sends the notifications of a call, such as its progress, in order and before the
// answer, keeps open the requests that listen for changes, and finds what the client of a
// request has declared that it can do.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/text"
)

// A message is the part of a JSON-RPC message that decides how to handle it. It is
// decoded as encoding/json does, which the library uses. The two differ only in what they
// read of parameters that cannot be decoded, which the library refuses.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	params params
	known  bool // params could be decoded

	content   []byte // the message as the library gets it
	arguments []byte // of a tool, taken out of content; nil if they are there
}

// params are the part of the parameters that decides how to handle a message.
type params struct {
	Name      json.RawMessage `json:"name"`      // of a tool or a prompt
	RequestID json.RawMessage `json:"requestId"` // of notifications/cancelled
	Meta      *mcp.Meta       `json:"_meta"`
}

// newMessage returns a message that is not decoded yet. With hold, the arguments of a tool are
// taken out.
func newMessage(content []byte, hold bool) (m message) {
	if m.content = content; hold {
		m.content, m.arguments = WithoutArguments(content)
	}
	return m
}

// decode reads the message, as far as that is possible. The library answers what cannot be
// decoded.
func (m *message) decode() error {
	err := jsonv2.Unmarshal(m.content, m, jsonv1.DefaultOptionsV1())
	m.known = len(m.Params) > 0 && jsonv2.Unmarshal(m.Params, &m.params, jsonv1.DefaultOptionsV1()) == nil
	return err
}

// isRequest reports whether the message expects an answer.
func (m message) isRequest() bool {
	return m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null"
}

// isID reports whether JSON can be the ID of a request: a string or a number. What is not
// UTF-8 is no JSON (RFC 8259, section 8.1), and could not be repeated.
func isID(id []byte) bool {
	return len(id) > 0 && utf8.Valid(id) && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9')
}

// longestName limits the names of methods and tools, in bytes.
const longestName = 100

// apiKey is how keys of Outline begin.
const apiKey = "ol_api_"

// nameProblem returns a sentence if the method, or the name of the tool or other
// item, is longer than any that exists or holds an API key, and otherwise "". The
// library repeats names that it does not know.
func nameProblem(method string, name []byte) string {
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

// WithoutArguments returns a message that calls a tool with its arguments
// replaced by {}, and the arguments, a part of message. For any other message,
// or without arguments, it returns the message itself and nil.
func WithoutArguments(message []byte) (rest, arguments []byte) {
	if !json.Valid(message) {
		return message, nil
	}
	method, _ := member(message, "method")
	params, begin := member(message, "params")
	arguments, within := member(params, "arguments")
	if string(method) != `"tools/call"` || len(arguments) <= len("{}") {
		return message, nil
	}
	begin += within
	return slices.Concat(message[:begin], []byte("{}"), message[begin+len(arguments):]), arguments
}

// member returns the value of a member of a JSON object, as a part of it, and where it
// begins. It returns nil if there is none, and the last of several with one name.
func member(object []byte, name string) (value []byte, begin int) {
	in := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if in.PeekKind() != '{' {
		return nil, 0
	}
	_, _ = in.ReadToken()
	for in.PeekKind() == '"' {
		key, err := in.ReadToken()
		if err != nil {
			return nil, 0
		}
		wanted := key.String() == name
		read, err := in.ReadValue()
		if err != nil {
			return nil, 0
		}
		if wanted {
			end := int(in.InputOffset())
			begin = end - len(read)
			value = object[begin:end]
		}
	}
	return value, begin
}

// Arguments returns the arguments that were taken out of the message of a call. It
// returns nil if the message has them.
func Arguments(ctx context.Context) json.RawMessage {
	if f, ok := ctx.Value(failureKey{}).(*failureSlot); ok {
		return f.arguments
	}
	return nil
}

// MaxValues limits the number of values in a message. A batch of 100 documents
// has some hundreds.
const MaxValues = 50_000

// maxDepth limits how deep values are nested.
const maxDepth = 64

// ErrTooMany reports that JSON contains more values than any request needs.
var ErrTooMany = errors.New("it holds more than 50,000 values, or lists and objects nested more than 64 deep")

// Values estimates the number of values in JSON. If there are too many, it
// returns ErrTooMany. It decodes and allocates nothing, and the JSON need not
// be valid.
func Values(data []byte) (int, error) {
	values, depth := 1, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = endOfString(data, i)
			continue
		case '{', '[':
			values++
			depth++
		case '}', ']':
			depth--
		case ',':
			values++
		default:
			continue
		}
		if values > MaxValues || depth > maxDepth {
			return values, ErrTooMany
		}
	}
	return values, nil
}

// endOfString returns the index of the quote that ends the string beginning at
// i, or the length of data if there is none.
func endOfString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(data)
}

// A Failure is the error with which a request ends, whatever the MCP library
// answers: its handlers cannot choose the code of an error, and its hooks cannot
// return one. Failing gives each request one, which Fail fills.
type Failure struct {
	Code    int // of JSON-RPC; 0 means that the library's answer stands
	Message string
	Data    any // may be nil
}

type failureKey struct{}

// failureSlot is what the context of a request holds.
type failureSlot struct {
	Failure
	id        json.RawMessage
	arguments json.RawMessage // that were taken out of the message
}

// Failing returns a context for one request, whose handlers may call Fail. id is that
// of the request; nil stands for the one of ctx.
func Failing(ctx context.Context, id json.RawMessage) (context.Context, *Failure) {
	if id == nil {
		id = RequestID(ctx)
	}
	f := &failureSlot{id: id}
	return context.WithValue(ctx, failureKey{}, f), &f.Failure
}

// RequestID returns the ID of the request of the context, a string or a number in JSON,
// or nil if it is not known.
func RequestID(ctx context.Context) json.RawMessage {
	if f, ok := ctx.Value(failureKey{}).(*failureSlot); ok {
		return f.id
	}
	return nil
}

// Fail ends the request of the context with an error, past the library: its hooks return
// nothing, and its handlers have one code for all errors. It must be called before the
// library has answered. Without Failing it does nothing.
func Fail(ctx context.Context, failure Failure) {
	if f, ok := ctx.Value(failureKey{}).(*failureSlot); ok {
		f.Failure = failure
	}
}

// Instead returns what to answer a request with: the failure, or else the answer of the
// library. Both have the ID that the request came with: the library decodes numbers as
// float64, which changes large and fractional ones.
func (f *Failure) Instead(answer mcp.JSONRPCMessage, id json.RawMessage) mcp.JSONRPCMessage {
	given := mcp.NewRequestId(id)
	switch answer := answer.(type) {
	case mcp.JSONRPCResponse:
		if answer.ID = given; f.Code == 0 {
			return answer
		}
	case mcp.JSONRPCError:
		if answer.ID.IsNil() {
			given = answer.ID
		}
		if answer.ID = given; f.Code == 0 {
			return answer
		}
	default:
		return answer
	}
	return mcp.NewJSONRPCError(given, f.Code, f.Message, f.Data)
}
