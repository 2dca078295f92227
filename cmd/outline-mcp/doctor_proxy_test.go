package main

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"outline-mcp/internal/workspace"
)

// proxyTroubles are those of a proxy on the way to Outline.
func proxyTroubles() []trouble {
	secured := func(variable, target, host string, trusted bool) func(*testing.T) []string {
		return func(t *testing.T) []string {
			made := issue(t, host, -year, year)
			environ := at(target, variable+"="+serveTLS(t, says(http.StatusOK, ""), made.config()))
			if trusted {
				environ = append(environ, "OUTLINE_CA_FILE="+made.signer)
			}
			return environ
		}
	}
	hung := func(setting, target string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return at(target, setting+listen(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) }), "OUTLINE_REQUEST_TIMEOUT=200ms")
		}
	}
	// through arranges an Outline with a certificate behind a proxy.
	through := func(host string, trusted bool) func(*testing.T) []string {
		return func(t *testing.T) []string {
			made := issue(t, host, -year, year)
			behind := strings.TrimPrefix(serveTLS(t, sample(t, workspace.Options{}), made.config()), "https://")
			environ := at("https://wiki.invalid", "HTTPS_PROXY="+serveHandler(t, connects(behind)))
			if trusted {
				environ = append(environ, "OUTLINE_CA_FILE="+made.signer)
			}
			return environ
		}
	}
	return []trouble{
		{name: "a proxy that does not run", symbol: "✗", check: "connect", says: []string{"nothing listens on 127.0.0.1", "port in HTTPS_PROXY", "whether the proxy is running"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY=http://"+freeAddress(t))
		}},
		{name: "a proxy that asks for a password", symbol: "✗", check: "proxy", says: []string{"user name and password (407)", "HTTPS_PROXY as http://user:password@"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY="+serveHandler(t, says(http.StatusProxyAuthRequired, "")))
		}},
		{name: "a proxy that does not let through", symbol: "✗", check: "proxy", says: []string{"does not connect to wiki.invalid", "403", "NO_PROXY"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY="+serveHandler(t, says(http.StatusForbidden, "")))
		}},
		{name: "a proxy with an untrusted certificate", symbol: "✗", check: "proxy", says: []string{"the certificate of the proxy 127.0.0.1", "signed by Example Authority"}, own: true, arrange: secured("HTTPS_PROXY", "https://wiki.invalid", "127.0.0.1", false)},
		{name: "a proxy with a certificate for another host", symbol: "✗", check: "proxy", says: []string{"the certificate of the proxy is not for 127.0.0.1 but for proxy.example.com", "write the host in HTTPS_PROXY"}, own: true, arrange: secured("HTTPS_PROXY", "https://wiki.invalid", "proxy.example.com", true)},
		{name: "a proxy with an untrusted certificate before http://", symbol: "✗", check: "proxy", says: []string{"the certificate of the proxy 127.0.0.1", "Example Authority"}, own: true, arrange: secured("HTTP_PROXY", "http://wiki.invalid", "127.0.0.1", false)},
		{name: "a proxy that takes connections and says nothing", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not connect to wiki.invalid within 200ms", "HTTPS_PROXY"}, own: true, arrange: hung("HTTPS_PROXY=http://", "https://wiki.invalid")},
		{name: "a proxy that takes requests and says nothing", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not answer within 200ms", "HTTP_PROXY"}, own: true, arrange: hung("HTTP_PROXY=http://", "http://wiki.invalid")},
		{name: "a SOCKS proxy that says nothing", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not connect to wiki.invalid within 200ms", "https_proxy"}, own: true, arrange: hung("https_proxy=socks5://", "https://wiki.invalid")},
		{name: "a SOCKS proxy that says nothing before http://", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not connect to wiki.invalid within 200ms", "HTTP_PROXY"}, own: true, arrange: hung("HTTP_PROXY=socks5://", "http://wiki.invalid")},
		{name: "a TLS handshake with a proxy that does not end", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "no TLS handshake", "HTTPS_PROXY"}, own: true, arrange: hung("HTTPS_PROXY=https://", "https://wiki.invalid")},
		{name: "a proxy that ends each connection", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "ends the connection", "HTTPS_PROXY"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY=http://"+listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)); c.Close() }))
		}},
		{name: "a proxy with http:// that speaks HTTPS", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "speaks HTTPS, and HTTP_PROXY says http://"}, own: true, arrange: func(t *testing.T) []string {
			settings := issue(t, "127.0.0.1", -year, year).config()
			return at("http://wiki.invalid", "HTTP_PROXY=http://"+listen(t, func(c net.Conn) { _ = tls.Server(c, settings).Handshake(); c.Close() }))
		}},
		{name: "a variable that names no proxy", symbol: "✗", check: "proxy", says: []string{"HTTPS_PROXY is no address of a proxy", "http://proxy.example.com:3128"}, own: true, arrange: set(at("https://wiki.invalid", "HTTPS_PROXY=://ada:hunter2 bad")...)},
		{name: "a key that a proxy sees", symbol: "!", check: "tls", says: []string{"wiki.invalid, and to the proxy 127.0.0.1", "unencrypted"}, own: true, arrange: func(t *testing.T) []string {
			return at("http://wiki.invalid", "HTTP_PROXY="+serveHandler(t, sample(t, workspace.Options{})))
		}},
		{name: "an untrusted certificate behind a proxy", symbol: "✗", check: "tls", says: []string{"the certificate of wiki.invalid is signed by Example Authority", "OUTLINE_CA_FILE"}, own: true, arrange: through("wiki.invalid", false)},
		{name: "a certificate for another host behind a proxy", symbol: "✗", check: "tls", says: []string{"the certificate of Outline is not for wiki.invalid but for wiki.example.com", "OUTLINE_API_URL"}, own: true, arrange: through("wiki.example.com", true)},
	}
}

// connects is a proxy that connects to one address, whatever it is asked for.
func connects(address string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer to.Close()
		from, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		_, _ = io.WriteString(from, "HTTP/1.1 200 OK\r\n\r\n")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.Copy(from, to)
			from.Close()
		}()
		_, _ = io.Copy(to, from)
		to.Close()
		<-ended
	})
}

func TestDoctorGoesThroughTheProxyOfTheEnvironment(t *testing.T) {
	outline := sample(t, workspace.Options{})
	asked := &recorder{Handler: outline}
	proxy := serveHandler(t, asked) // requests over http:// are the proxy's to answer
	code, report := doctorSays(t, true, []string{"OUTLINE_API_URL=http://wiki.invalid", fakeKey, "HTTP_PROXY=" + proxy}, "doctor")
	if code != 0 || !strings.Contains(report, "✓ proxy: requests to Outline go through "+proxy) || strings.Contains(report, "dns") || len(asked.exchanges) < 10 {
		t.Errorf("exit code %d:\n%s", code, report)
	}
	code, report = doctorSays(t, true, at(serveHandler(t, outline), "HTTPS_PROXY="+proxy), "doctor")
	if code != 0 || !strings.Contains(report, "✓ proxy: not used for 127.0.0.1, though HTTPS_PROXY is set") {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}
