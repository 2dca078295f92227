package httpd

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"outline-mcp/outline/transport"
)

// hosts decides which Host headers are served. With DNS rebinding, an attacker's
// host name resolves to an address of this machine, and browsers send that name.
type hosts struct {
	loopback bool // the server listens on loopback only
	allowed  []string
	public   string // under which clients reach the server; "" if that is not known
}

func (h hosts) check(r *http.Request) *refusal {
	name, _ := splitHost(r.Host)
	switch {
	case h.loopback && transport.IsLoopback(name), !h.loopback && len(h.allowed) == 0, h.public != "" && sameHost(h.public, r.Host),
		slices.ContainsFunc(h.allowed, func(allowed string) bool { return sameHost(allowed, r.Host) }):
		return nil
	}
	return &refusal{status: http.StatusForbidden, reason: reasonHost, message: "this server does not accept the host name in the request; its operator can add it to MCP_ALLOWED_HOSTS"}
}

// sameHost compares an allowed host, with a port or without one that stands for
// any, with that of a request.
func sameHost(allowed, host string) bool {
	allowedName, allowedPort := splitHost(allowed)
	name, port := splitHost(host)
	return name != "" && name == allowedName && (allowedPort == "" || allowedPort == port)
}

// splitHost returns a host's name, in lower case and without brackets, and its
// port, "" if it has none.
func splitHost(host string) (name, port string) {
	name = host
	if n, p, err := net.SplitHostPort(host); err == nil {
		name, port = n, p
		if strings.Trim(port, "0123456789") != "" {
			return "", "" // no host at all
		}
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	return strings.TrimSuffix(strings.ToLower(name), "."), port
}

// checkOrigin refuses a web page that neither was served under the host that it
// calls nor is of an allowed origin. Browsers send the page's origin in Origin;
// other clients send none. It reports whether the answer needs the headers of
// CORS.
func checkOrigin(r *http.Request, allowedOrigins []string) (cross bool, problem *refusal) {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return false, nil
	}
	if len(values) == 1 {
		if origin, ok := transport.ParseOrigin(strings.TrimRight(strings.TrimSpace(values[0]), "/")); ok {
			for _, allowed := range allowedOrigins {
				if allowed, _ := transport.ParseOrigin(allowed); allowed == origin {
					return true, nil
				}
			}
		}
		// Only the host: behind a proxy the scheme is not known here.
		if scheme, host, ok := strings.Cut(strings.ToLower(values[0]), "://"); ok && (scheme == "http" || scheme == "https") && host != "" && host == strings.ToLower(r.Host) {
			return false, nil
		}
	}
	return false, &refusal{status: http.StatusForbidden, reason: reasonOrigin, message: "web pages of this origin may not call this server; its operator can add the origin to MCP_ALLOWED_ORIGINS"}
}

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

// mostRequests is how many requests may be under way. HTTP/2 brings many on one
// connection, and each takes memory even if its body does not arrive or its answer
// is not read.
const mostRequests = 1024

// admit serves a request unless too many are under way. Then it resets its stream:
// an answer would take memory, too, until it is read.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, hosts hosts) {
	select {
	case s.requests <- struct{}{}:
	default:
		panic(http.ErrAbortHandler)
	}
	defer func() { <-s.requests }()
	s.serve(w, r, hosts)
	if r.ProtoMajor >= 2 {
		// The library would send the rest of the answer when the request is not
		// counted any more. HTTP/1 has as few requests as connections.
		_ = http.NewResponseController(w).Flush() // a client that has gone needs none
	}
}
