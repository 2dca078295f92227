package httpd

import "net/http"

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
