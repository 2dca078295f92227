package doctor_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// wayTroubles are those on the way to Outline.
func wayTroubles() []trouble {
	hung := func(t *testing.T) string {
		return listen(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) })
	}
	greeting := func(text string) func(t *testing.T) string {
		return func(t *testing.T) string {
			return listen(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 4096)) // else the client may see the text before it asks
				_, _ = c.Write([]byte(text))
				c.Close()
			})
		}
	}
	secured := func(host string, from, until time.Duration, trusted bool) func(*testing.T) []string {
		return func(t *testing.T) []string {
			made := issue(t, host, from, until)
			environ := at(serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), made.config()))
			if trusted {
				environ = append(environ, "OUTLINE_CA_FILE="+made.signer)
			}
			return environ
		}
	}
	return []trouble{
		{name: "a host that does not exist", symbol: "✗", check: "dns", says: []string{"wiki.invalid", "cannot be found", "spelling in OUTLINE_API_URL"}, own: true, arrange: set(at("https://wiki.invalid")...)},
		{name: "a port that nothing listens on", symbol: "✗", check: "connect", says: []string{"no connection to 127.0.0.1", "refused", "whether Outline is running", "container"}, arrange: func(t *testing.T) []string { return at("http://" + freeAddress(t)) }},
		{name: "a port that accepts connections and never answers", symbol: "✗", check: "outline", says: []string{"does not answer within 990ms", "overloaded"}, arrange: func(t *testing.T) []string {
			return at("http://"+hung(t), "OUTLINE_REQUEST_TIMEOUT=990ms")
		}},
		{name: "a TLS handshake that does not end", symbol: "✗", check: "tls", says: []string{"accepts the connection, but the TLS handshake does not end within 990ms", "speaks HTTPS"}, arrange: func(t *testing.T) []string {
			return at("https://"+hung(t), "OUTLINE_REQUEST_TIMEOUT=990ms")
		}},
		{name: "a port of something other than a web server", symbol: "✗", check: "outline", says: []string{"does not answer as a web server", "check scheme and port"}, arrange: func(t *testing.T) []string { return at("http://" + greeting("SSH-2.0-OpenSSH_9.9\r\n")(t)) }},
		{name: "a port that closes each connection", symbol: "✗", check: "outline", says: []string{"does not answer as a web server (closed", "firewall", "in front of Outline", "if the port speaks HTTPS, use https://"}, arrange: func(t *testing.T) []string {
			return at("http://" + listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)); c.Close() }))
		}},
		{name: "a port that closes each connection before the TLS handshake ends", symbol: "✗", check: "tls", says: []string{"closes it before the TLS handshake ends (closed", "port in OUTLINE_API_URL", "firewall", "in front of Outline"}, arrange: func(t *testing.T) []string {
			return at("https://" + listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)); c.Close() }))
		}},
		{name: "an answer that breaks off", symbol: "✗", check: "outline", says: []string{"breaks off (unexpected EOF)", "proxy in front of Outline"}, arrange: served(says(http.StatusOK, "{", "Content-Length", "9", "Content-Type", asJS))},
		{name: "a server that closes each connection after the TLS handshake", symbol: "✗", check: "outline", says: []string{"does not answer as a web server (closed", "in front of Outline"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			return at("https://"+listen(t, func(c net.Conn) {
				secure := tls.Server(c, made.config())
				_, _ = secure.Read(make([]byte, 4096))
				secure.Close()
			}), "OUTLINE_CA_FILE="+made.signer)
		}},
		{name: "https:// for a port that does not speak TLS", symbol: "✗", check: "tls", says: []string{"does not speak TLS", "check the port"}, arrange: func(t *testing.T) []string { return at("https://" + greeting("SSH-2.0-OpenSSH_9.9\r\n")(t)) }},
		{name: "https:// for an HTTP port", symbol: "✗", check: "tls", says: []string{"speaks HTTP, but OUTLINE_API_URL says https://"}, arrange: func(t *testing.T) []string {
			return at(strings.Replace(serveHandler(t, sample(t, fakeoutline.Options{Answers: true})), "http:", "https:", 1))
		}},
		{name: "http:// for an HTTPS port", symbol: "✗", check: "tls", says: []string{"speaks HTTPS, but OUTLINE_API_URL says http://", "use https://"}, arrange: func(t *testing.T) []string {
			return at(strings.Replace(serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), issue(t, "127.0.0.1", -year, year).config()), "https:", "http:", 1))
		}},
		{name: "http:// for a port that answers only HTTPS", symbol: "✗", check: "tls", says: []string{"speaks HTTPS, but OUTLINE_API_URL says http://"}, arrange: func(t *testing.T) []string {
			return at("http://" + listen(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 4096))
				_, _ = c.Write([]byte("\x15\x03\x01\x00\x02\x02\x46")) // an alert
				c.Close()
			}))
		}},
		{name: "a certificate from a private authority", symbol: "✗", check: "tls", says: []string{"signed by Example Authority", "does not trust", "OUTLINE_CA_FILE"}, arrange: secured("127.0.0.1", -year, year, false)},
		{name: "an expired certificate", symbol: "✗", check: "tls", says: []string{"has expired", "is after", "renew it"}, arrange: secured("127.0.0.1", -year, -time.Hour, true)},
		{name: "a certificate that is not valid yet", symbol: "✗", check: "tls", says: []string{"not yet valid", "is before", "clock of this machine"}, arrange: secured("127.0.0.1", time.Hour, year, true)},
		{name: "a certificate for another host", symbol: "✗", check: "tls", says: []string{"it is for wiki.example.com, not for 127.0.0.1", "OUTLINE_API_URL"}, arrange: secured("wiki.example.com", -year, year, true)},
		{name: "a certificate that expires soon", symbol: "!", check: "tls", says: []string{"valid until", "renew it"}, arrange: secured("127.0.0.1", -year, 48*time.Hour, true)},
		{name: "a server that requires a client certificate", symbol: "✗", check: "tls", says: []string{"asks for one (tls: certificate required)", "/api"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			settings := made.config()
			settings.ClientAuth = tls.RequireAnyClientCert
			return at(serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), settings), "OUTLINE_CA_FILE="+made.signer)
		}},
		{name: "a server that does not trust the client certificate", symbol: "✗", check: "tls", says: []string{"does not accept", "OUTLINE_CLIENT_CERT", "authority"}, arrange: func(t *testing.T) []string {
			made, other := issue(t, "127.0.0.1", -year, year), issue(t, "127.0.0.2", -year, year)
			settings := made.config()
			settings.ClientAuth, settings.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
			return at(serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), settings), "OUTLINE_CA_FILE="+made.signer, "OUTLINE_CLIENT_CERT="+other.file, "OUTLINE_CLIENT_KEY="+other.key)
		}},
		{name: "a client certificate that has expired", symbol: "✗", check: "client_certificate", says: []string{"OUTLINE_CLIENT_CERT expired on", "renew it"}, arrange: func(t *testing.T) []string {
			made, other := issue(t, "127.0.0.1", -year, year), issue(t, "127.0.0.1", -year, -time.Hour)
			return at(serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), made.config()), "OUTLINE_CA_FILE="+made.signer, "OUTLINE_CLIENT_CERT="+other.file, "OUTLINE_CLIENT_KEY="+other.key)
		}},
		{name: "a client certificate for an address without TLS", symbol: "!", check: "OUTLINE_CLIENT_CERT", says: []string{"not sent", "https://"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			return at(serveHandler(t, sample(t, fakeoutline.Options{Answers: true})), "OUTLINE_CLIENT_CERT="+made.file, "OUTLINE_CLIENT_KEY="+made.key)
		}},
		{name: "a header that cannot be set", symbol: "✗", check: "OUTLINE_HEADERS", says: []string{"Authorization cannot be set", "leave it out"}, arrange: set(at("http://127.0.0.1:1", "OUTLINE_HEADERS=Authorization: Basic aHVudGVyMg==")...)},
		{name: "a server that speaks only old TLS", symbol: "✗", check: "tls", says: []string{"protocol version", "TLS 1.2 or newer"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			settings := made.config()
			settings.MinVersion, settings.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
			return at(serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), settings), "OUTLINE_CA_FILE="+made.signer)
		}},
	}
}

func TestDoctorGetsPastWhatIsInFrontOfOutline(t *testing.T) {
	made := issue(t, "127.0.0.1", -year, year)
	settings := made.config()
	settings.ClientAuth = tls.RequireAnyClientCert
	outline := sample(t, fakeoutline.Options{Answers: true})
	const secret = "correct-horse-battery"
	address := serveTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("X-Gate"))
		if r.Header.Get("X-Gate") != secret {
			says(http.StatusForbidden, "<title>Forbidden ・ Cloudflare Access</title>", "Content-Type", html).ServeHTTP(w, r)
			return
		}
		outline.ServeHTTP(w, r)
	}), settings)
	way := at(address, "OUTLINE_CA_FILE="+made.signer, "OUTLINE_CLIENT_CERT="+made.file, "OUTLINE_CLIENT_KEY="+made.key)
	if code, report := doctorSays(t, false, append(way, "OUTLINE_HEADERS=X-Gate: "+secret)); code != 0 || strings.Contains(report, secret) || !strings.Contains(report, "✓ client_certificate: OUTLINE_CLIENT_CERT is valid until") {
		t.Errorf("exit code %d:\n%s", code, report)
	}
	if code, report := doctorSays(t, false, append(way, "OUTLINE_HEADERS=X-Gate: wrong")); code == 0 || !strings.Contains(report, "OUTLINE_HEADERS") {
		t.Errorf("with a wrong header: exit code %d:\n%s", code, report)
	}
}

func TestDoctorTakesAnUnspecifiedAddressForThisMachine(t *testing.T) {
	address := strings.Replace(serveHandler(t, sample(t, fakeoutline.Options{Answers: true})), "127.0.0.1", "0.0.0.0", 1)
	if code, report := doctorSays(t, false, at(address)); code != 0 || strings.Contains(report, "unencrypted") {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}

// placeTroubles are those where something other than Outline's API answers.
func placeTroubles() []trouble {
	outlineAt := func(path string, outline func(http.Handler) http.Handler) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return at(serveHandler(t, outline(sample(t, fakeoutline.Options{Answers: true}))) + path)
		}
	}
	return []trouble{
		{name: "an address that redirects to https://", symbol: "✗", check: "outline", says: []string{"redirects to https://127.0.0.1", "use https://"}, arrange: served(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
		}))},
		{name: "an address with a path that redirects to https://", symbol: "✗", check: "outline", says: []string{"use https:// in OUTLINE_API_URL: https://127.0.0.1", "/team/wiki"}, arrange: outlineAt("/team/wiki", func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusTemporaryRedirect)
			})
		})},
		{name: "an address with a path that redirects to another with https://", symbol: "✗", check: "outline", says: []string{"use https:// in OUTLINE_API_URL: https://127.0.0.1/team/wiki"}, arrange: outlineAt("/team/wiki", func(http.Handler) http.Handler {
			return says(http.StatusTemporaryRedirect, "", "Location", "https://127.0.0.1/welcome")
		})},
		{name: "an address with https:// that redirects to http://", symbol: "✗", check: "outline", says: []string{"redirects from https:// to http://", "change that"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			back := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
			})
			return at(serveTLS(t, back, made.config()), "OUTLINE_CA_FILE="+made.signer)
		}},
		{name: "an address that redirects to a login", symbol: "✗", check: "outline", says: []string{"a login at https://login.example.com", "pass /api without a login"}, arrange: served(says(http.StatusFound, "", "Location", "https://login.example.com/?token=hunter2"))},
		{name: "an address that redirects to another host", symbol: "✗", check: "outline", says: []string{"redirects to https://docs.example.com", "OUTLINE_API_URL=https://docs.example.com"}, arrange: served(says(http.StatusPermanentRedirect, "", "Location", "https://docs.example.com/api/auth.info"))},
		{name: "an address that redirects to a path of another host", symbol: "✗", check: "outline", says: []string{"redirects to https://docs.example.com/designing/authors", "OUTLINE_API_URL=https://docs.example.com/designing/authors;"}, arrange: served(says(http.StatusTemporaryRedirect, "", "Location", "https://docs.example.com/designing/authors/api/auth.info"))},
		{name: "Cloudflare Access, which redirects", symbol: "✗", check: "outline", says: []string{"Cloudflare Access", "pass /api without a login"}, arrange: served(says(http.StatusFound, "", "Location", "https://acme.cloudflareaccess.com/cdn-cgi/access/login/wiki?kid=hunter2"))},
		{name: "Cloudflare Access, which refuses", symbol: "✗", check: "outline", says: []string{"Cloudflare Access", "403"}, arrange: served(says(http.StatusForbidden, "<title>Forbidden ・ Cloudflare Access</title>", "Content-Type", html))},
		{name: "Cloudflare, which challenges browsers", symbol: "✗", check: "outline", says: []string{"blocks programs", "exception for /api"}, arrange: served(says(http.StatusForbidden, "<title>Just a moment...</title>", "Content-Type", html, "Cf-Mitigated", "challenge"))},
		{name: "a proxy in front of Outline that asks for its own password", symbol: "✗", check: "outline", says: []string{"user name and password", "Basic", "pass /api without a login"}, arrange: served(says(http.StatusUnauthorized, "<h1>401</h1>", "Content-Type", html, "WWW-Authenticate", `Basic realm="wiki"`))},
		{name: "Cloudflare, which blocks programs", symbol: "✗", check: "outline", says: []string{"Cloudflare in front of Outline blocks this server with error 1010", "OUTLINE_HEADERS"}, arrange: served(says(http.StatusForbidden, "error code: 1010", "Content-Type", "text/plain"))},
		{name: "oauth2-proxy", symbol: "✗", check: "outline", says: []string{"a gateway in front of Outline refuses requests", "401", "OUTLINE_HEADERS"}, arrange: served(says(http.StatusUnauthorized, "{}", "Content-Type", asJS))},
		{name: "a login page with status 200", symbol: "✗", check: "outline", says: []string{"a login page", "200", "Sign in - Acme", "pass /api without a login"}, arrange: served(says(http.StatusOK, `<!doctype html><title>Sign in - Acme</title><form><input type="password"></form>`, "Content-Type", html))},
		{name: "a login page with status 401", symbol: "✗", check: "outline", says: []string{"a login page", "401"}, arrange: served(says(http.StatusUnauthorized, "<!doctype html><title>Login</title>", "Content-Type", html))},
		{name: "a login page with status 403", symbol: "✗", check: "outline", says: []string{"a login page", "403"}, arrange: served(says(http.StatusForbidden, "<!doctype html><title>Log in</title>", "Content-Type", html))},
		{name: "a web page", symbol: "✗", check: "outline", says: []string{"a web page", "Welcome to nginx!", "without the path of a page"}, arrange: served(says(http.StatusOK, "<!doctype html><title>Welcome to nginx!</title>", "Content-Type", html))},
		{name: "a web page whose title resembles that of a login", symbol: "✗", check: "outline", says: []string{"a web page", "Blog in English"}, arrange: served(says(http.StatusOK, "<!doctype html><title>Blog in English</title>", "Content-Type", html))},
		{name: "the API of another program", symbol: "✗", check: "outline", says: []string{"but is not Outline", "host and port"}, arrange: served(says(http.StatusOK, `{"ok":false,"error":"invalid_auth"}`, "Content-Type", asJS))},
		{name: "nothing at any path", symbol: "✗", check: "outline", says: []string{"there is nothing at", "404"}, arrange: served(http.HandlerFunc(http.NotFound))},
		{name: "an answer that is cut off", symbol: "✗", check: "outline", says: []string{"not Outline", "200"}, arrange: served(says(http.StatusOK, `<`, "Content-Type", "text/plain"))},
		{name: "a path that Outline is not below", symbol: "✗", check: "outline", says: []string{"Outline's API is at", "not at", "/kb/api", "set OUTLINE_API_URL="}, arrange: outlineAt("/kb", onlyAt)},
		{name: "/api twice", symbol: "✗", check: "outline", says: []string{"not at", "/api/api", "set OUTLINE_API_URL="}, arrange: outlineAt("/api/api", onlyAt)},
		{name: "an address below that of Outline", symbol: "✗", check: "outline", says: []string{"Outline's API is at", "set OUTLINE_API_URL="}, arrange: outlineAt("/pages/handbook-1FF9VyHA4X", onlyAt)},
		{name: "Outline is down behind its proxy", symbol: "✗", check: "outline", says: []string{"not available", "502 Bad Gateway", "logs of Outline"}, arrange: served(says(http.StatusBadGateway, "<h1>502</h1>", "Content-Type", html))},
		{name: "a server that switches protocols", symbol: "✗", check: "outline", says: []string{"not Outline", "101"}, arrange: served(says(http.StatusSwitchingProtocols, "", "Connection", "Upgrade", "Upgrade", "x"))},
		{name: "maintenance", symbol: "✗", check: "outline", says: []string{"503 Service Unavailable", "in 120 s", "maintenance"}, arrange: served(says(http.StatusServiceUnavailable, "down for maintenance", "Retry-After", "120"))},
		{name: "an internal error in Outline", symbol: "✗", check: "outline", says: []string{"internal error (500", "Outline's log"}, arrange: served(says(http.StatusInternalServerError, `{"ok":false,"error":"internal_error","status":500,"message":"Internal error"}`, "Content-Type", asJS))},
		{name: "a rate limit in front of Outline", symbol: "✗", check: "outline", says: []string{"limits the rate of requests", "wait"}, arrange: served(says(http.StatusTooManyRequests, "slow down"))},
	}
}

// proxyTroubles are those of a proxy on the way to Outline.
func proxyTroubles() []trouble {
	hung := func(setting, target string) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return at(target, setting+listen(t, func(c net.Conn) { t.Cleanup(func() { c.Close() }) }), "OUTLINE_REQUEST_TIMEOUT=990ms")
		}
	}
	// through arranges an Outline with a certificate behind a proxy.
	through := func(host string, trusted bool) func(*testing.T) []string {
		return func(t *testing.T) []string {
			made := issue(t, host, -year, year)
			behind := strings.TrimPrefix(serveTLS(t, sample(t, fakeoutline.Options{Answers: true}), made.config()), "https://")
			environ := at("https://wiki.invalid", "HTTPS_PROXY="+serveHandler(t, connects(behind)))
			if trusted {
				environ = append(environ, "OUTLINE_CA_FILE="+made.signer)
			}
			return environ
		}
	}
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
	return []trouble{
		{name: "a proxy that is not running", symbol: "✗", check: "connect", says: []string{"no connection to 127.0.0.1", "port in HTTPS_PROXY", "whether the proxy is running"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY=http://"+freeAddress(t))
		}},
		{name: "a proxy that does not exist", symbol: "✗", check: "dns", says: []string{"the host proxy.invalid cannot be found", "spelling in HTTPS_PROXY"}, own: true, arrange: set(at("https://wiki.invalid", "HTTPS_PROXY=http://proxy.invalid:3128")...)},
		{name: "a proxy that asks for a password", symbol: "✗", check: "proxy", says: []string{"user name and password (407)", "HTTPS_PROXY to http://user:password@"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY="+serveHandler(t, says(http.StatusProxyAuthRequired, "")))
		}},
		{name: "a proxy that refuses the connection", symbol: "✗", check: "proxy", says: []string{"does not connect to wiki.invalid", "403", "NO_PROXY"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY="+serveHandler(t, says(http.StatusForbidden, "")))
		}},
		{name: "a proxy that accepts connections and never answers", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not connect to wiki.invalid, or does not answer, within 990ms", "HTTPS_PROXY"}, own: true, arrange: hung("HTTPS_PROXY=http://", "https://wiki.invalid")},
		{name: "a proxy with an untrusted certificate", symbol: "✗", check: "proxy", says: []string{"the certificate of the proxy 127.0.0.1", "signed by Example Authority"}, own: true, arrange: secured("HTTPS_PROXY", "https://wiki.invalid", "127.0.0.1", false)},
		{name: "a proxy with a certificate for another host", symbol: "✗", check: "proxy", says: []string{"the certificate of the proxy 127.0.0.1", "use the host of the certificate in HTTPS_PROXY"}, own: true, arrange: secured("HTTPS_PROXY", "https://wiki.invalid", "proxy.example.com", true)},
		{name: "a proxy with an untrusted certificate in front of http://", symbol: "✗", check: "proxy", says: []string{"the certificate of the proxy 127.0.0.1", "Example Authority"}, own: true, arrange: secured("HTTP_PROXY", "http://wiki.invalid", "127.0.0.1", false)},
		{name: "a proxy that accepts requests and never answers", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not answer, within 990ms", "HTTP_PROXY"}, own: true, arrange: hung("HTTP_PROXY=http://", "http://wiki.invalid")},
		{name: "a SOCKS proxy that never answers", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not connect to wiki.invalid, or does not answer, within 990ms", "https_proxy"}, own: true, arrange: hung("https_proxy=socks5://", "https://wiki.invalid")},
		{name: "a SOCKS proxy in front of http:// that never answers", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not connect to wiki.invalid, or does not answer, within 990ms", "HTTP_PROXY"}, own: true, arrange: hung("HTTP_PROXY=socks5://", "http://wiki.invalid")},
		{name: "a proxy that closes each connection", symbol: "✗", check: "proxy", says: []string{"the proxy 127.0.0.1", "does not connect to wiki.invalid (", "HTTPS_PROXY"}, own: true, arrange: func(t *testing.T) []string {
			return at("https://wiki.invalid", "HTTPS_PROXY=http://"+listen(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)); c.Close() }))
		}},
		{name: "a proxy variable without a valid address", symbol: "✗", check: "proxy", says: []string{"HTTPS_PROXY is not the address of a proxy", "http://proxy.example.com:3128"}, own: true, arrange: set(at("https://wiki.invalid", "HTTPS_PROXY=://ada:hunter2 bad")...)},
		{name: "a key that a proxy sees", symbol: "!", check: "tls", says: []string{"wiki.invalid, and to the proxy 127.0.0.1", "unencrypted"}, own: true, arrange: func(t *testing.T) []string {
			return at("http://wiki.invalid", "HTTP_PROXY="+serveHandler(t, sample(t, fakeoutline.Options{Answers: true})))
		}},
		{name: "an untrusted certificate behind a proxy", symbol: "✗", check: "tls", says: []string{"the certificate of wiki.invalid is signed by Example Authority", "OUTLINE_CA_FILE"}, own: true, arrange: through("wiki.invalid", false)},
		{name: "a certificate for another host behind a proxy", symbol: "✗", check: "tls", says: []string{"it is for wiki.example.com, not for wiki.invalid", "OUTLINE_API_URL"}, own: true, arrange: through("wiki.example.com", true)},
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
	outline := sample(t, fakeoutline.Options{Answers: true})
	asked := &recorder{Handler: outline}
	proxy := serveHandler(t, asked) // requests over http:// are the proxy's to answer
	code, report := doctorSays(t, true, []string{"OUTLINE_API_URL=http://wiki.invalid", fakeKey, "HTTP_PROXY=" + proxy})
	if code != 0 || !strings.Contains(report, "✓ proxy: requests to Outline go through "+proxy) || strings.Contains(report, "dns") || len(asked.exchanges) < 7 {
		t.Errorf("exit code %d:\n%s", code, report)
	}
	code, report = doctorSays(t, true, at(serveHandler(t, outline), "HTTP_PROXY="+proxy))
	if code != 0 || !strings.Contains(report, "✓ proxy: not used for 127.0.0.1 although HTTP_PROXY is set") {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}
