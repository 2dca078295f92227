package wire

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

	"outline-mcp/internal/text"
)

// versions are the protocol versions that are served, newest first. They are those
// that the library serves over standard input and output. Clients of the two oldest
// send no Mcp-Protocol-Version header. The batches that 2025-03-26 allows are
// rejected; no SDK sends them.
var versions = [...]string{mcp.ProtocolVersion20260728, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// newestHandshake is the newest version that begins with initialize.
const newestHandshake = "2025-11-25"

// maxMessage is the maximum length of a message without the arguments of a
// tool, in bytes. The library decodes it into maps and lists, several times.
const maxMessage = 64 << 10

// An httpMessage is the part of a JSON-RPC message that decides how to handle it. It
// is decoded in the same way as by the library, so that the two never disagree.
type httpMessage struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	params params // what Params say of the request
	known  bool   // Params could be decoded
}

// params are the part of the parameters that decides how to handle a message.
type params struct {
	Name json.RawMessage `json:"name"`
	Meta *mcp.Meta       `json:"_meta"`
}

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
func read(header http.Header, body []byte) (httpMessage, *refusal) {
	var m httpMessage
	const wanted = "application/json"
	if media := header.Get("Content-Type"); media != wanted { // most clients send exactly this
		if media, _, err := mime.ParseMediaType(media); err != nil || media != wanted {
			return m, refuse(nil, http.StatusUnsupportedMediaType, mcp.INVALID_REQUEST, "Content-Type must be "+wanted)
		}
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	if len(body) == 0 {
		return m, refuse(nil, http.StatusBadRequest, mcp.PARSE_ERROR, "the body is empty; send one JSON-RPC message")
	}
	if len(body) > maxMessage && json.Valid(body) {
		return m, refuse(nil, http.StatusRequestEntityTooLarge, mcp.INVALID_REQUEST,
			fmt.Sprintf("the message is longer than %d bytes; only the arguments of a tool may be", maxMessage))
	}
	err := json.Unmarshal(body, &m)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return m, refuse(nil, http.StatusBadRequest, mcp.PARSE_ERROR, "the body is not valid JSON")
	case body[0] == '[':
		return m, refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "batches are not part of the protocol; send one message at a time")
	case body[0] != '{':
		return m, refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "the body is not a JSON-RPC message: it must be an object")
	case err != nil:
		return m, refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "the body is not a JSON-RPC message: jsonrpc and method must be strings")
	}
	m.known = len(m.Params) > 0 && json.Unmarshal(m.Params, &m.params) == nil // the library answers what cannot be decoded
	return m, m.check()
}

// check rejects a message that JSON-RPC 2.0 or MCP do not allow.
func (m httpMessage) check() *refusal {
	if m.ID != nil && !isID(m.ID) {
		return refuse(nil, http.StatusBadRequest, mcp.INVALID_REQUEST, "id must be a string or a number")
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
func (m httpMessage) isResponse() bool {
	return m.Method == "" && m.ID != nil && (m.Result != nil || m.Error != nil)
}

// checkVersion rejects a request with an unknown protocol version. A known
// version that is too old to be served is handled like the later ones: the
// client was told so when it initialized, or never sent its version.
func (m httpMessage) checkVersion(header http.Header) *refusal {
	version := header.Get(mcp.HeaderProtocolVersion)
	if version == "" || m.Method == string(mcp.MethodInitialize) || mcp.IsValidProtocolVersion(version) {
		return nil
	}
	unsupported := mcp.UnsupportedProtocolVersionError{Version: text.Truncate(version, 100), Supported: versions[:]}.JSONRPCError()
	unsupported.ID = mcp.NewRequestId(m.ID)
	return &refusal{http.StatusBadRequest, unsupported}
}

// negotiated returns the body of an initialize request with a version that is
// served. The library would accept any that it knows. Its hook for initialize
// does not see a request whose version is not a string.
func (m httpMessage) negotiated(body []byte) []byte {
	if m.Method != string(mcp.MethodInitialize) {
		return body
	}
	var envelope, params map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) != nil || json.Unmarshal(m.Params, &params) != nil || params == nil {
		return body // the library answers what cannot be decoded
	}
	var asked string
	_ = json.Unmarshal(params["protocolVersion"], &asked) // anything but a string is not served
	if slices.Contains(versions[1:], asked) {
		return body
	}
	params["protocolVersion"] = json.RawMessage(strconv.Quote(newestHandshake))
	envelope["params"], _ = json.Marshal(params) // the parts of valid JSON always encode
	changed, _ := json.Marshal(envelope)
	return changed
}
