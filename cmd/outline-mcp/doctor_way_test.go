package main

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/workspace"
)

// wayTroubles are those on the way to Outline.
func wayTroubles() []trouble {
	hung := func(t *testing.T) string {
		return listen(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) })
	}
	greeting := func(text string) func(t *testing.T) string {
		return func(t *testing.T) string {
			return listen(t, func(c net.Conn) {
				_, _ = c.Write([]byte(text))
				_, _ = c.Read(make([]byte, 1))
				c.Close()
			})
		}
	}
	secured := func(host string, from, until time.Duration, trusted bool) func(*testing.T) []string {
		return func(t *testing.T) []string {
			made := issue(t, host, from, until)
			environ := at(serveTLS(t, sample(t, workspace.Options{}), made.config()))
			if trusted {
				environ = append(environ, "OUTLINE_CA_FILE="+made.signer)
			}
			return environ
		}
	}
	return []trouble{
		{name: "a host that there is not", symbol: "✗", check: "dns", says: []string{"wiki.invalid", "cannot be found", "spelling in OUTLINE_API_URL"}, own: true, arrange: set(at("https://wiki.invalid")...)},
		{name: "a port that nothing listens on", symbol: "✗", check: "connect", says: []string{"nothing listens on 127.0.0.1", "whether Outline is running", "container"}, arrange: func(t *testing.T) []string { return at("http://" + freeAddress(t)) }},
		{name: "a port that takes connections and says nothing", symbol: "✗", check: "outline", says: []string{"does not answer within 200ms", "overloaded"}, arrange: func(t *testing.T) []string {
			return at("http://"+hung(t), "OUTLINE_REQUEST_TIMEOUT=200ms")
		}},
		{name: "a TLS handshake that does not end", symbol: "✗", check: "tls", says: []string{"no TLS handshake", "within 200ms", "speaks HTTPS"}, arrange: func(t *testing.T) []string {
			return at("https://"+hung(t), "OUTLINE_REQUEST_TIMEOUT=200ms")
		}},
		{name: "a port of something other than a web server", symbol: "✗", check: "outline", says: []string{"no web server", "does not speak HTTP", "check the port"}, arrange: func(t *testing.T) []string { return at("http://" + greeting("SSH-2.0-OpenSSH_9.9\r\n")(t)) }},
		{name: "a port that ends each connection", symbol: "✗", check: "outline", says: []string{"ends the connection without an answer", "stands before Outline"}, arrange: func(t *testing.T) []string {
			return at("http://" + listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)); c.Close() }))
		}},
		{name: "https:// at a port that does not speak TLS", symbol: "✗", check: "tls", says: []string{"does not speak TLS", "check the port"}, arrange: func(t *testing.T) []string { return at("https://" + greeting("SSH-2.0-OpenSSH_9.9\r\n")(t)) }},
		{name: "https:// at a port of HTTP", symbol: "✗", check: "tls", says: []string{"speaks HTTP, and OUTLINE_API_URL says https://"}, arrange: func(t *testing.T) []string {
			return at(strings.Replace(serveHandler(t, sample(t, workspace.Options{})), "http:", "https:", 1))
		}},
		{name: "http:// at a port of HTTPS", symbol: "✗", check: "tls", says: []string{"speaks HTTPS, and OUTLINE_API_URL says http://", "write https://"}, arrange: func(t *testing.T) []string {
			return at(strings.Replace(serveTLS(t, sample(t, workspace.Options{}), issue(t, "127.0.0.1", -year, year).config()), "https:", "http:", 1))
		}},
		{name: "http:// at a port of HTTPS that answers nothing else", symbol: "✗", check: "tls", says: []string{"speaks HTTPS, and OUTLINE_API_URL says http://"}, arrange: func(t *testing.T) []string {
			settings := issue(t, "127.0.0.1", -year, year).config()
			return at("http://" + listen(t, func(c net.Conn) { _ = tls.Server(c, settings).Handshake(); c.Close() }))
		}},
		{name: "a certificate of a private authority", symbol: "✗", check: "tls", says: []string{"signed by Example Authority", "does not trust", "OUTLINE_CA_FILE"}, arrange: secured("127.0.0.1", -year, year, false)},
		{name: "a certificate that has expired", symbol: "✗", check: "tls", says: []string{"expired on", "renewed"}, arrange: secured("127.0.0.1", -year, -time.Hour, true)},
		{name: "a certificate that is not good yet", symbol: "✗", check: "tls", says: []string{"not good before", "clock of this machine"}, arrange: secured("127.0.0.1", time.Hour, year, true)},
		{name: "a certificate for another host", symbol: "✗", check: "tls", says: []string{"the certificate of Outline is not for 127.0.0.1 but for wiki.example.com", "OUTLINE_API_URL"}, arrange: secured("wiki.example.com", -year, year, true)},
		{name: "a certificate that expires soon", symbol: "!", check: "tls", says: []string{"good until", "renewed"}, arrange: secured("127.0.0.1", -year, 48*time.Hour, true)},
		{name: "a server that asks for a client's certificate", symbol: "✗", check: "tls", says: []string{"asks clients for a certificate", "/api"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			settings := made.config()
			settings.ClientAuth = tls.RequireAnyClientCert
			return at(serveTLS(t, sample(t, workspace.Options{}), settings), "OUTLINE_CA_FILE="+made.signer)
		}},
		{name: "a server that speaks only old TLS", symbol: "✗", check: "tls", says: []string{"protocol version", "TLS 1.2 or newer"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			settings := made.config()
			settings.MinVersion, settings.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			return at(serveTLS(t, sample(t, workspace.Options{}), settings), "OUTLINE_CA_FILE="+made.signer)
		}},
	}
}

func TestDoctorTakesAnUnspecifiedAddressForThisMachine(t *testing.T) {
	address := strings.Replace(serveHandler(t, sample(t, workspace.Options{})), "127.0.0.1", "0.0.0.0", 1)
	if code, report := doctorSays(t, false, at(address), "doctor"); code != 0 || strings.Contains(report, "unencrypted") {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}
