package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"

	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/text"
)

// maxMessage is the maximum length of a message without the arguments of a
// tool, in bytes. The library decodes it into maps and lists, several times.
const maxMessage = 64 << 10

// A refusal is a JSON-RPC error and the HTTP status that goes with it.
type refusal struct {
	status int
	mcp.JSONRPCError
}

// refuse returns a refusal of the message with an ID, nil if it has none that can
// be repeated.
func refuse(id json.RawMessage, status, code int, message string) *refusal {
	return &refusal{status, mcp.NewJSONRPCError(mcp.NewRequestId(id), code, message, nil)}
}

func (f *refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_, _ = w.Write(f.json()) // a client that has gone needs no answer
}

func (f *refusal) json() []byte {
	encoded, err := json.Marshal(f.JSONRPCError)
	if err != nil {
		panic(err) // texts and numbers, and an ID that was valid JSON
	}
	return encoded
}

// read decodes a message and rejects invalid ones.
func read(header http.Header, body []byte, hold bool) (message, *refusal) {
	m := newMessage(body, hold)
	const wanted = "application/json"
	if media, _, err := mime.ParseMediaType(header.Get("Content-Type")); err != nil || media != wanted {
		return m, refuse(nil, http.StatusUnsupportedMediaType, mcp.INVALID_REQUEST, "Content-Type must be "+wanted)
	}
	body = bytes.TrimLeft(m.content, " \t\r\n")
	if len(body) == 0 {
		return m, refuse(nil, http.StatusBadRequest, mcp.PARSE_ERROR, "the body is empty; send one JSON-RPC message")
	}
	if len(body) > maxMessage && json.Valid(body) {
		return m, refuse(nil, http.StatusRequestEntityTooLarge, mcp.INVALID_REQUEST,
			fmt.Sprintf("the message is longer than %d bytes; only the arguments of a tool may be", maxMessage))
	}
	err := m.decode()
	var syntax *jsonv1.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return m, refuse(nil, http.StatusBadRequest, mcp.PARSE_ERROR, "the body is not valid JSON")
	case body[0] != '{':
		return m, refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "the body is not a JSON-RPC message: it must be an object")
	case err != nil:
		return m, refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "the body is not a JSON-RPC message: jsonrpc and method must be strings")
	}
	return m, cmp.Or(m.check(), m.checkVersion(header))
}

// check rejects a message that JSON-RPC 2.0 or MCP do not allow.
func (m message) check() *refusal {
	if m.ID != nil && !isID(m.ID) {
		return refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "id must be a string or a number, in UTF-8")
	}
	badName := nameProblem(m.Method, m.params.Name)
	switch {
	case m.JSONRPC != mcp.JSONRPC_VERSION:
		return refuse(m.ID, http.StatusBadRequest, mcp.INVALID_REQUEST, `jsonrpc must be "2.0"`)
	case m.Method == "" && !m.isResponse():
		return refuse(m.ID, http.StatusBadRequest, mcp.INVALID_REQUEST, "the message has no method")
	case m.Params != nil && m.Params[0] != '{' && string(m.Params) != "null":
		return refuse(m.ID, http.StatusBadRequest, mcp.INVALID_PARAMS, "params must be an object")
	case badName != "":
		return refuse(m.ID, http.StatusBadRequest, mcp.INVALID_PARAMS, badName)
	}
	return nil
}

// isResponse reports whether the message answers a request of the server, which
// sends none.
func (m message) isResponse() bool {
	return m.Method == "" && m.ID != nil && (m.Result != nil || m.Error != nil)
}

// checkVersion rejects a request with an unknown protocol version. A known
// version that is too old to be served is handled like the later ones: the
// client was told so when it initialized, or never sent its version.
func (m message) checkVersion(header http.Header) *refusal {
	version := header.Get(mcp.HeaderProtocolVersion)
	if version == "" || m.Method == string(mcp.MethodInitialize) || mcp.IsValidProtocolVersion(version) {
		return nil
	}
	return &refusal{http.StatusBadRequest, m.unsupported(version)}
}

// checkHeaders rejects a request that 2026-07-28 or later has to describe in its header, if
// the header says something else (basic/transports, Streamable HTTP).
func (m message) checkHeaders(header http.Header, library *server.MCPServer) *refusal {
	version, declared := header.Get(mcp.HeaderProtocolVersion), m.params.Meta.ProtocolVersion()
	mismatch := func(message string) *refusal {
		return refuse(m.ID, http.StatusBadRequest, mcp.HEADER_MISMATCH, message)
	}
	switch {
	case !mcp.IsModernProtocol(version) && !mcp.IsModernProtocol(declared):
		return nil
	case header.Get(mcp.HeaderLastEventID) != "":
		return mismatch("there is no Last-Event-ID in this protocol version: streams cannot be resumed; send the request again with a new ID")
	case declared == "":
		return refuse(m.ID, http.StatusBadRequest, mcp.INVALID_PARAMS, "missing or invalid _meta field "+mcp.MetaKeyProtocolVersion)
	case version != declared:
		return mismatch(fmt.Sprintf("the header %s must match the _meta field %s, which is %q", mcp.HeaderProtocolVersion, mcp.MetaKeyProtocolVersion, text.Truncate(declared, 100)))
	}
	err := mcp.ValidateStandardHeaders(header.Get, version, mcp.MCPMethod(m.Method), m.Params)
	var name string
	_ = json.Unmarshal(m.params.Name, &name) // no tool has an empty name
	if tool := library.GetTool(name); err == nil && tool != nil && m.Method == string(mcp.MethodToolsCall) {
		err = mcp.ValidateParamHeaders(header.Get, &tool.Tool, m.Params)
	}
	if err != nil {
		return mismatch(err.Error())
	}
	return nil
}

// isModern reports whether a request is of 2026-07-28 or later.
func isModern(header http.Header) bool {
	return mcp.IsModernProtocol(header.Get(mcp.HeaderProtocolVersion))
}

// rewritten returns a request as the library gets it, with only what was read of it, and an
// ID that stands for its own: the library decodes numbers as float64, which changes large
// and fractional ones, and changes unpaired surrogates in strings.
func (m message) rewritten() []byte {
	encoded, _ := json.Marshal(m.Method) // a string always encodes
	method := string(encoded)
	if len(m.Params) == 0 {
		return []byte(`{"jsonrpc":"2.0","id":0,"method":` + method + `}`)
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":0,"method":`+method+`,"params":`), m.Params, []byte("}"))
}
