package streamable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// versions are the protocol versions that are served, the newest first. Older
// ones allow batches, or know the HTTP+SSE transport only.
var versions = [...]string{mcp.ProtocolVersion20260728, "2025-11-25", "2025-06-18"}

// newestHandshake is the newest of them that begins with initialize.
const newestHandshake = "2025-11-25"

// A message is the part of a JSON-RPC message that says what to do with it. It
// is decoded as the library decodes it, so that the two never disagree.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// A refusal is a JSON-RPC error and the HTTP status that goes with it.
type refusal struct {
	status int
	id     json.RawMessage // nil: the message had none that can be repeated
	mcp.JSONRPCErrorDetails
}

func refuse(status, code int, format string, arguments ...any) *refusal {
	return &refusal{status: status, JSONRPCErrorDetails: mcp.JSONRPCErrorDetails{Code: code, Message: fmt.Sprintf(format, arguments...)}}
}

func (f *refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_, _ = w.Write(f.json()) // a client that has gone needs no answer
}

func (f *refusal) json() []byte {
	id := f.id
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, err := json.Marshal(struct {
		JSONRPC string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id"`
		Error   mcp.JSONRPCErrorDetails `json:"error"`
	}{mcp.JSONRPC_VERSION, id, f.JSONRPCErrorDetails})
	if err != nil {
		panic(err) // texts and numbers, and an ID that was valid JSON
	}
	return encoded
}

// read decodes a message and refuses what is none.
func read(header http.Header, body []byte) (message, *refusal) {
	var m message
	const wanted = "application/json"
	if media := header.Get("Content-Type"); media != wanted { // which most clients send exactly so
		if media, _, err := mime.ParseMediaType(media); err != nil || media != wanted {
			return m, refuse(http.StatusUnsupportedMediaType, mcp.INVALID_REQUEST, "Content-Type must be "+wanted)
		}
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 {
		return m, refuse(http.StatusBadRequest, mcp.PARSE_ERROR, "the body is empty; send one JSON-RPC message")
	}
	err := json.Unmarshal(body, &m)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return m, refuse(http.StatusBadRequest, mcp.PARSE_ERROR, "the body is no valid JSON")
	case body[0] == '[':
		return m, refuse(http.StatusBadRequest, mcp.INVALID_REQUEST, "batches are not part of the protocol; send one message at a time")
	case body[0] != '{':
		return m, refuse(http.StatusBadRequest, mcp.INVALID_REQUEST, "the body is no JSON-RPC message, which is an object")
	case err != nil:
		return m, refuse(http.StatusBadRequest, mcp.INVALID_REQUEST, "the body is no JSON-RPC message: jsonrpc and method are strings")
	}
	return m, m.check()
}

// check refuses a message of a form that JSON-RPC 2.0 or MCP do not know.
func (m message) check() *refusal {
	if m.ID != nil && !validID(m.ID) {
		return refuse(http.StatusBadRequest, mcp.INVALID_REQUEST, "id must be a string or a whole number of at most 2^53")
	}
	var wrong *refusal
	switch {
	case m.JSONRPC != mcp.JSONRPC_VERSION:
		wrong = refuse(http.StatusBadRequest, mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`)
	case m.Method == "" && !m.isResponse():
		wrong = refuse(http.StatusBadRequest, mcp.INVALID_REQUEST, "the message has no method")
	case m.Params != nil && m.Params[0] != '{' && !isNull(m.Params):
		wrong = refuse(http.StatusBadRequest, mcp.INVALID_PARAMS, "params must be an object")
	default:
		return nil
	}
	wrong.id = m.ID
	return wrong
}

// validID tells whether the library repeats an ID as it came: a string, or a
// whole number that a float64 holds exactly.
func validID(id json.RawMessage) bool {
	if id[0] == '"' {
		return true
	}
	const largest = 1 << 53
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && -largest <= n && n <= largest
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// isResponse tells whether the message answers a request of the server's. This
// one makes none.
func (m message) isResponse() bool {
	return m.Method == "" && m.ID != nil && (m.Result != nil || m.Error != nil)
}

// isNotification tells whether the message expects no answer.
func (m message) isNotification() bool { return m.ID == nil }

// checkVersion refuses a request of a protocol version that is not known. What
// is known and too old to be served came from a client that was told so when it
// initialized, or that never said: it is served as the versions after it.
func (m message) checkVersion(header http.Header) *refusal {
	version := header.Get(mcp.HeaderProtocolVersion)
	if version == "" || m.Method == string(mcp.MethodInitialize) || mcp.IsValidProtocolVersion(version) {
		return nil
	}
	unsupported := mcp.UnsupportedProtocolVersionError{Version: version, Supported: versions[:]}.JSONRPCError()
	return &refusal{status: http.StatusBadRequest, id: m.ID, JSONRPCErrorDetails: unsupported.Error}
}

// negotiated returns the body of an initialize request with a version that is
// served. The library would agree to any that it knows.
func (m message) negotiated(body []byte) []byte {
	if m.Method != string(mcp.MethodInitialize) {
		return body
	}
	var envelope, params map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) != nil || json.Unmarshal(m.Params, &params) != nil || params == nil {
		return body // the library says what is wrong
	}
	var asked string
	_ = json.Unmarshal(params["protocolVersion"], &asked) // what is no string is not served either
	if slices.Contains(versions[1:], asked) {
		return body
	}
	params["protocolVersion"] = json.RawMessage(strconv.Quote(newestHandshake))
	changed, err := json.Marshal(params)
	if err != nil {
		return body
	}
	envelope["params"] = changed
	if changed, err = json.Marshal(envelope); err != nil {
		return body
	}
	return changed
}
