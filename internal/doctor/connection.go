package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"

	"outline-mcp/internal/config"
)

// A trace is how far a request came, as net/http/httptrace reports it.
type trace struct {
	mu                     sync.Mutex
	resolving, handshaking bool // begun but not done: DNS lookup, TLS handshake
	addresses              []net.IPAddr
	connected              string // the address that accepted the connection
	secure                 *tls.ConnectionState
	made                   bool // a connection was available, through the proxy if there is one
}

// withTrace returns a context that records in j how far its request comes.
func withTrace(ctx context.Context, j *trace) context.Context {
	locked := func(note func()) {
		j.mu.Lock()
		defer j.mu.Unlock()
		note()
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { locked(func() { j.resolving = true }) },
		DNSDone:  func(i httptrace.DNSDoneInfo) { locked(func() { j.resolving, j.addresses = false, i.Addrs }) },
		ConnectDone: func(_, address string, err error) {
			locked(func() {
				if err == nil {
					j.connected = address
				}
			})
		},
		GotConn:           func(httptrace.GotConnInfo) { locked(func() { j.made = true }) },
		TLSHandshakeStart: func() { locked(func() { j.handshaking = true }) },
		TLSHandshakeDone: func(s tls.ConnectionState, err error) {
			locked(func() {
				if err == nil {
					j.handshaking, j.secure = false, &s
				}
			})
		},
	})
}

// checkOutline makes one request without the key and reports how far it came:
// DNS, connection, TLS, and an answer from Outline.
func checkOutline(ctx context.Context, e *examination) {
	base, err := url.Parse(e.base)
	if err != nil {
		e.add(Failure, "outline", "no request can be made to the address", "check OUTLINE_API_URL")
		return
	}
	if e.settings.ClientCert != "" && !e.Demo {
		e.checkCertificate("client_certificate", "OUTLINE_CLIENT_CERT", "OUTLINE_CLIENT_KEY", e.settings.ClientCert, e.settings.ClientKey, "the gateway in front of Outline rejects it")
	}
	via, err := e.checkProxy(base)
	if err != nil {
		e.skip("until the proxy setting is valid", "outline")
		return
	}
	j := new(trace)
	got := e.request(withTrace(ctx, j), e.base, "auth.info", "{}", "")
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.Demo {
		e.judgeDemo(got)
		return
	}
	to := outlineAt(base)
	if via != nil {
		to = via.destination
	}
	if net.ParseIP(to.host) == nil && len(j.addresses) > 0 {
		e.add(OK, "dns", fmt.Sprintf("%s is %s", to.host, ips(j.addresses)), "")
	}
	if j.connected != "" {
		e.add(OK, "connect", to.address+" accepts the connection", "")
	}
	if got.status == 0 {
		check := e.whyUnanswered(base, via, j, got)
		e.fail(check.Name, check.Finding, check.Advice)
		return
	}
	e.checkEncryption(base, via, j, got)
	e.judge(ctx, base, got)
}

// A destination is the end of a connection: Outline, or a proxy in front of it.
type destination struct {
	scheme, host, address string
	name                  string // in sentences
	setting, who          string // the setting that names it, and what it is
}

// outlineAt returns the destination for the address of Outline.
func outlineAt(base *url.URL) destination {
	return destination{scheme: base.Scheme, host: base.Hostname(), address: hostPort(base), name: base.Host, setting: "OUTLINE_API_URL", who: "Outline"}
}

// hostPort returns the host and port of an address.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// ips returns the first three addresses as text.
func ips(addresses []net.IPAddr) string {
	var all []string
	for _, address := range addresses[:min(len(addresses), 3)] {
		all = append(all, address.String())
	}
	return strings.Join(all, ", ")
}

// isTimeout reports whether an error is a timeout.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// cause returns the innermost error as a short text: the errors around it repeat
// addresses. It leaves out quoted text, which comes from the server.
func cause(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	text, _, _ := strings.Cut(err.Error(), `"`)
	return short(strings.TrimRight(text, " :("))
}

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
	if name := e.proxyVariable(base.Scheme); config.Lookup(e.Environ, name) != "" {
		e.add(OK, "proxy", fmt.Sprintf("not used for %s although %s is set (NO_PROXY excludes it, or it is this machine)", base.Hostname(), name), "")
	}
	return nil, nil
}

// proxyVariable returns the name of the variable that sets the proxy for a
// scheme.
func (e *examination) proxyVariable(scheme string) string {
	upper := strings.ToUpper(scheme) + "_PROXY"
	if lower := strings.ToLower(upper); config.Lookup(e.Environ, upper) == "" && config.Lookup(e.Environ, lower) != "" {
		return lower
	}
	return upper
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
func (e *examination) whyUnconnected(base *url.URL, via *proxy, got answer) Check {
	check := Check{Name: "proxy", Advice: "check scheme, host and port in " + via.setting + ", and whether the proxy accepts this machine"}
	switch answered := int(e.proxyAnswer.Load()); {
	case answered == http.StatusProxyAuthRequired:
		check.Finding = via.name + " asks for a user name and password (407)"
		check.Advice = fmt.Sprintf("set %s to %s://user:password@%s", via.setting, via.scheme, via.address)
	case answered != 0:
		check.Finding = fmt.Sprintf("%s does not connect to %s (status %s)", via.name, base.Host, statusText(answered))
		check.Advice = "allow it in the proxy, or add the host to NO_PROXY"
	case isTimeout(got.err) && base.Scheme == "http" && !via.socks:
		check.Finding = fmt.Sprintf("%s accepts the request for %s, but does not answer within %s", via.name, base.Host, e.timeout)
	case isTimeout(got.err):
		check.Finding = fmt.Sprintf("%s accepts the connection, but does not connect to %s within %s", via.name, base.Host, e.timeout)
	default:
		if failed, is := whyNoTLS(via.destination, got.err); is && via.scheme == "https" {
			failed.Name = "proxy"
			return failed
		}
		check.Finding = fmt.Sprintf("%s does not connect to %s (%s)", via.name, base.Host, cause(got.err))
	}
	return check
}
