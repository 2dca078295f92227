package httpd

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// A refusal is why a request is not served, and what to do about it.
type refusal struct {
	status  int
	reason  string // one of Reasons
	message string // for people; never holds a key or a token
	// wrong is the error code of RFC 6750, section 3.1, for clients that have logged in
	// or may; "" if the request brings no credential, or it has nothing to do with that.
	wrong     string
	challenge string // the value of WWW-Authenticate; "" means that of a server without a login
	allow     string // with a 405: the methods that are allowed
	retry     int    // with a 429 or 503: seconds until another try may succeed; 0 if unknown
	close     bool   // the rest of the request will not be read
}

// The reasons of refusals, for metrics.
const (
	reasonHost     = "host"     // the host is not served
	reasonOrigin   = "origin"   // the web page is not allowed
	reasonPath     = "path"     // no such path
	reasonMethod   = "method"   // not POST
	reasonToken    = "token"    // missing or unknown token
	reasonKey      = "key"      // missing or malformed key
	reasonLogin    = "login"    // the token of a login is unknown or expired, or Outline rejects it
	reasonScope    = "scope"    // the person has not given this client that much
	reasonForeign  = "foreign"  // a token of Outline's, not of this server
	reasonHeader   = "header"   // another malformed header
	reasonKeyBusy  = "key_busy" // too many calls of one subject
	reasonBusy     = "busy"     // too many calls
	reasonStopping = "stopping" // the server is stopping
	reasonSize     = "size"     // too large
	reasonBody     = "body"     // the body did not arrive
	reasonPanic    = "panic"    // the server failed
)

// Reasons returns all values that [Options].Refused is called with.
func Reasons() []string {
	return []string{reasonHost, reasonOrigin, reasonPath, reasonMethod, reasonToken, reasonKey, reasonLogin, reasonScope, reasonForeign, reasonHeader,
		reasonKeyBusy, reasonBusy, reasonStopping, reasonSize, reasonBody, reasonPanic}
}

// codeRefused is the JSON-RPC code of all refusals, from the range that is left
// to implementations (JSON-RPC 2.0, section 5.1). The HTTP status tells them apart.
const codeRefused = -32000

// write sends the refusal as a JSON-RPC error without an ID, because MCP
// clients show the message of such a body to their users.
func (f *refusal) write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	switch {
	case f.challenge != "":
		header.Set("WWW-Authenticate", f.challenge)
	case f.status == http.StatusUnauthorized:
		header.Set("WWW-Authenticate", `Bearer realm="outline-mcp"`) // RFC 9110, section 15.5.2
	}
	if f.allow != "" {
		header.Set("Allow", f.allow)
	}
	if f.retry > 0 {
		header.Set("Retry-After", strconv.Itoa(f.retry))
	}
	if f.close {
		header.Set("Connection", "close")
	}
	writeJSON(w, f.status, mcp.NewJSONRPCError(mcp.NewRequestId(nil), codeRefused, f.message, nil))
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that has gone needs no answer.
	_ = json.NewEncoder(w).Encode(body)
}
