package httpd

import (
	"net/http"
	"strings"

	"outline-mcp/internal/netaddr"
)

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
		if origin, ok := netaddr.ParseOrigin(strings.TrimRight(strings.TrimSpace(values[0]), "/")); ok {
			for _, allowed := range allowedOrigins {
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
