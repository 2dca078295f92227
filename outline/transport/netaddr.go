package transport

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsLoopback reports whether a host without a port stands for this machine:
// localhost in any case, or an IP address of the loopback interface, with or
// without brackets. Other names do not, as they may resolve to anything.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.Unmap().IsLoopback()
}

// ParseOrigin returns the origin of web pages (RFC 6454, section 6.2) that s
// stands for, in lower case and without the default port of its scheme, so
// that equal origins are equal strings. ok is false if s is anything else: the
// scheme must be http or https, and nothing may follow the host and port.
func ParseOrigin(s string) (origin string, ok bool) {
	u, err := url.Parse(strings.ToLower(s))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(u.Host, "*") ||
		u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false
	}
	port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(u.Host, port), true
}
