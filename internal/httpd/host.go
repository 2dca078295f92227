package httpd

import (
	"net"
	"net/http"
	"strings"

	"outline-mcp/internal/netaddr"
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
	case h.loopback && netaddr.IsLoopback(name), !h.loopback && len(h.allowed) == 0, h.public != "" && sameHost(h.public, r.Host):
		return nil
	}
	for _, allowed := range h.allowed {
		if sameHost(allowed, r.Host) {
			return nil
		}
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
