package doctor

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A proxy is the proxy that the environment sets for requests to Outline.
type proxy struct {
	destination
	socks bool
}

// errNoProxy reports a variable that holds no valid address of a proxy.
var errNoProxy = errors.New("no address of a proxy")

// checkProxy reports and returns the proxy for requests to Outline, nil if there
// is none.
func (e *examination) checkProxy(base *url.URL) (*proxy, error) {
	own := e.connections
	if own == nil || own.Proxy == nil {
		return nil, nil
	}
	variable := e.proxyVariable(base.Scheme)
	u, err := own.Proxy(&http.Request{URL: base})
	if err != nil || u != nil && (u.Hostname() == "" || strings.HasSuffix(u.Host, ":")) {
		e.add(Failure, "proxy", variable+" is not the address of a proxy", "use one such as http://proxy.example.com:3128, or unset it")
		return nil, errNoProxy
	}
	if u != nil {
		e.add(OK, "proxy", fmt.Sprintf("requests to Outline go through %s://%s (%s)", u.Scheme, u.Host, variable), "")
		return &proxy{
			destination: destination{scheme: u.Scheme, host: u.Hostname(), address: hostPort(u), name: "the proxy " + u.Host, setting: variable, who: "the proxy"},
			socks:       strings.HasPrefix(u.Scheme, "socks"),
		}, nil
	}
	var set []string
	for _, entry := range e.Environ {
		name, value, _ := strings.Cut(entry, "=")
		if upper := strings.ToUpper(name); value != "" && (upper == "HTTPS_PROXY" || upper == "HTTP_PROXY") {
			set = append(set, name)
		}
	}
	if len(set) > 0 {
		e.add(OK, "proxy", fmt.Sprintf("not used for %s although %s is set (NO_PROXY excludes it, or it is this machine)", base.Hostname(), strings.Join(set, ", ")), "")
	}
	return nil, nil
}

// proxyVariable returns the name of the variable that sets the proxy for a
// scheme.
func (e *examination) proxyVariable(scheme string) string {
	upper := strings.ToUpper(scheme) + "_PROXY"
	lower := strings.ToLower(upper)
	found := upper
	for _, entry := range e.Environ {
		switch name, value, _ := strings.Cut(entry, "="); {
		case name == upper && value != "":
			return upper
		case name == lower && value != "":
			found = lower
		}
	}
	return found
}

// connected reports whether the proxy connected to Outline. That is unknown for
// http://, where an HTTP proxy answers requests itself.
func (p *proxy) connected(base *url.URL, j *trace, answered int32) bool {
	switch {
	case p.socks:
		return j.made || j.handshaking || j.secure != nil
	case base.Scheme == "https":
		return answered == http.StatusOK
	}
	return false
}

// whyUnconnected returns why a proxy that accepted a connection does not connect
// to Outline.
func (e *examination) whyUnconnected(base *url.URL, via *proxy, j *trace, got answer) Check {
	check := Check{Name: "proxy", Advice: "check host and port in " + via.setting + ", and whether the proxy accepts this machine"}
	answered := int(e.proxyAnswer.Load())
	switch {
	case answered == http.StatusProxyAuthRequired:
		check.Finding, check.Advice = via.name+" asks for a user name and password (407)", via.withPassword()
	case answered != 0:
		check.Finding = fmt.Sprintf("%s does not connect to %s (status %s)", via.name, base.Host, statusText(answered))
		check.Advice = "allow it in the proxy, or add the host to NO_PROXY"
	case isTimeout(got.err) && via.scheme == "https" && j.handshaking:
		check.Finding = fmt.Sprintf("%s accepts the connection, but the TLS handshake does not finish within %s", via.name, e.timeout)
		check.Advice = "check whether this port speaks HTTPS, as " + via.setting + " says"
	case isTimeout(got.err):
		check.Finding = fmt.Sprintf("%s accepts the connection, but does not connect to %s within %s", via.name, base.Host, e.timeout)
		if base.Scheme == "http" && !via.socks {
			check.Finding = fmt.Sprintf("%s accepts the request for %s, but does not answer within %s", via.name, base.Host, e.timeout)
		}
	default:
		if via.scheme == "https" {
			if failed, is := whyNoTLS(via.destination, got.err); is {
				failed.Name = "proxy"
				return failed
			}
		}
		if via.socks {
			check.Finding = fmt.Sprintf("%s does not connect to %s (%s)", via.name, base.Host, cause(got.err))
			return check
		}
		failed := e.whyNoHTTP(via.destination, true, got.err)
		failed.Name = "proxy"
		return failed
	}
	return check
}

// withPassword returns the advice for a proxy that requires authentication.
func (p *proxy) withPassword() string {
	return fmt.Sprintf("set %s to %s://user:password@%s", p.setting, p.scheme, p.address)
}
