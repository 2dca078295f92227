package httpd

import "net/http"

// What web pages of allowed origins may send and read (Fetch standard, CORS
// protocol). Browsers ask before the request itself, because of Authorization
// and of the headers of MCP.
const (
	corsMethods = "POST"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, " +
		headerKey + ", " + headerToken + ", " + headerReadOnly + ", traceparent, tracestate"
	corsExposed = "Retry-After, WWW-Authenticate"
	corsMaxAge  = "600" // seconds that a browser may remember the answer
)

// allowReading lets the page at the request's origin read the answer.
func allowReading(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", corsExposed)
}

// answerOptions answers OPTIONS: what browsers ask before a request, and
// others out of curiosity.
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
