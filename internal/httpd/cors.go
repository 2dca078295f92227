package httpd

import "net/http"

// What web pages of allowed origins may send and read (Fetch standard, CORS
// protocol). Browsers send a preflight request first, because of Authorization
// and the headers of MCP.
const (
	corsMethods = "POST"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, " +
		headerKey + ", " + headerToken + ", " + headerReadOnly + ", " + headerCollections + ", traceparent, tracestate"
	corsExposed = "Mcp-Session-Id, Retry-After, WWW-Authenticate"
	corsMaxAge  = "600" // seconds that a browser may cache the answer
)

// allowReading lets a page of the given origin read the answer.
func allowReading(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", corsExposed)
}

// answerOptions answers OPTIONS, which browsers send as a preflight request.
func answerOptions(w http.ResponseWriter, cross bool) {
	h := w.Header()
	h.Set("Allow", allowedMethods)
	if cross {
		h.Set("Access-Control-Allow-Methods", corsMethods)
		h.Set("Access-Control-Allow-Headers", corsHeaders)
		h.Set("Access-Control-Max-Age", corsMaxAge)
	}
	w.WriteHeader(http.StatusNoContent)
}
