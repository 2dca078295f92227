package doctor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"
)

// A trace is how far a request came, as net/http/httptrace reports it.
type trace struct {
	mu                              sync.Mutex
	resolving, dialing, handshaking bool // begun but not done: DNS lookup, connecting, TLS handshake
	host                            string
	addresses                       []net.IPAddr
	lookup                          error
	connected                       string // the address that accepted the connection
	dialed                          time.Time
	dialTook                        time.Duration
	secure                          *tls.ConnectionState
	made                            bool // a connection was available, through the proxy if there is one
}

// withTrace returns a context that records in j how far its request comes.
func withTrace(ctx context.Context, j *trace) context.Context {
	locked := func(note func()) {
		j.mu.Lock()
		defer j.mu.Unlock()
		note()
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(i httptrace.DNSStartInfo) { locked(func() { j.resolving, j.host = true, i.Host }) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			locked(func() { j.resolving, j.addresses, j.lookup = false, i.Addrs, i.Err })
		},
		ConnectStart: func(string, string) { locked(func() { j.dialing, j.dialed = true, time.Now() }) },
		ConnectDone: func(_, address string, err error) {
			locked(func() {
				if err == nil {
					j.dialing, j.connected, j.dialTook = false, address, time.Since(j.dialed)
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
		e.checkCertificate("client_certificate", "OUTLINE_CLIENT_CERT", "OUTLINE_CLIENT_KEY", e.settings.ClientCert, e.settings.ClientKey, "what is in front of Outline rejects it")
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
	if net.ParseIP(to.host) == nil && len(j.addresses) > 0 && j.lookup == nil {
		e.add(OK, "dns", fmt.Sprintf("%s is %s", to.host, ips(j.addresses)), "")
	}
	if j.connected != "" {
		e.add(OK, "connect", fmt.Sprintf("%s answers after %s", to.address, rounded(j.dialTook)), "")
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

// rounded returns a duration with a readable precision.
func rounded(d time.Duration) string {
	if d >= 10*time.Millisecond {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
