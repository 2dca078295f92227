package oauth

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// maxBody limits the body of every request, in bytes.
const maxBody = 16 << 10

// body reads the body of a request that has to be of a content type.
func body(w http.ResponseWriter, r *http.Request, contentType string) ([]byte, *problem) {
	if got, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || got != contentType {
		return nil, invalidRequest(BadRequest, "the body must be "+contentType)
	}
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, code: "invalid_request", description: "the body is too long", reason: BadRequest}
	}
	if err != nil {
		return nil, invalidRequest(BadRequest, "the body could not be read")
	}
	return content, nil
}

// parameters are those of a request.
type parameters url.Values

// form returns the parameters in the body of a request.
func form(w http.ResponseWriter, r *http.Request) (parameters, *problem) {
	content, problem := body(w, r, "application/x-www-form-urlencoded")
	if problem != nil {
		return nil, problem
	}
	return parse(string(content))
}

// parse refuses parameters that are repeated (RFC 6749, section 3.1), apart from resource,
// of which there can be several (RFC 8707, section 2).
func parse(encoded string) (parameters, *problem) {
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return nil, invalidRequest(BadRequest, "the parameters are malformed")
	}
	for name, given := range values {
		if len(given) > 1 && name != "resource" {
			return nil, invalidRequest(BadRequest, "a parameter is repeated")
		}
	}
	return parameters(values), nil
}

// get returns a parameter, or "" if it is missing, which is the same (RFC 6749, section
// 3.1).
func (p parameters) get(name string) string { return url.Values(p).Get(name) }

// isFor reports whether a request is for this server's MCP endpoint only. A request that
// names no resource is: there is no other.
func (s *Server) isFor(p parameters) bool {
	for _, resource := range p["resource"] {
		if resource != "" && resource != s.resource && resource != s.resource+"/" {
			return false
		}
	}
	return true
}
