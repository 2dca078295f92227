package httpd

import (
	"net/http"
	"strings"

	"outline-mcp/internal/netaddr"
)

// origins decides which web pages may send requests. Browsers send the page's
// origin in Origin; other clients send none.
type origins struct{ allowed []string }

// check refuses a page that neither was served under the host that it calls nor
// is allowed. It reports whether the answer needs the headers of CORS.
func (o origins) check(r *http.Request) (cross bool, problem *refusal) {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return false, nil
	}
	if len(values) == 1 {
		if origin, ok := netaddr.ParseOrigin(values[0]); ok {
			for _, allowed := range o.allowed {
				if allowed, _ := netaddr.ParseOrigin(allowed); allowed == origin {
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
