package main

import (
	"net/http"
	"testing"

	"outline-mcp/internal/workspace"
)

// placeTroubles are those where something other than Outline's API answers.
func placeTroubles() []trouble {
	outlineAt := func(path string, outline func(http.Handler) http.Handler) func(*testing.T) []string {
		return func(t *testing.T) []string {
			return at(serveHandler(t, outline(sample(t, workspace.Options{}))) + path)
		}
	}
	inWiki := func(h http.Handler) http.Handler { return below("/wiki", h) }
	return []trouble{
		{name: "an address that redirects to https://", symbol: "✗", check: "outline", says: []string{"redirects to https://127.0.0.1", "write https://"}, arrange: served(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
		}))},
		{name: "an address with a path that redirects to https://", symbol: "✗", check: "outline", says: []string{"write https:// in OUTLINE_API_URL: https://127.0.0.1", "/team/wiki"}, arrange: outlineAt("/team/wiki", func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://"+r.Host+r.URL.Path, http.StatusTemporaryRedirect)
			})
		})},
		{name: "an address with a path that redirects to another with https://", symbol: "✗", check: "outline", says: []string{"write https:// in OUTLINE_API_URL: https://127.0.0.1/team/wiki"}, arrange: outlineAt("/team/wiki", func(http.Handler) http.Handler {
			return says(http.StatusTemporaryRedirect, "", "Location", "https://127.0.0.1/welcome")
		})},
		{name: "an address with https:// that redirects to http://", symbol: "✗", check: "outline", says: []string{"redirects from https:// to http://", "stop that"}, arrange: func(t *testing.T) []string {
			made := issue(t, "127.0.0.1", -year, year)
			back := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://"+r.Host+r.URL.Path, http.StatusMovedPermanently)
			})
			return at(serveTLS(t, back, made.config()), "OUTLINE_CA_FILE="+made.signer)
		}},
		{name: "an address that redirects to a login", symbol: "✗", check: "outline", says: []string{"a login at https://login.example.com", "let /api pass"}, arrange: served(says(http.StatusFound, "", "Location", "https://login.example.com/?token=hunter2"))},
		{name: "an address that redirects to another host", symbol: "✗", check: "outline", says: []string{"redirects to https://docs.example.com", "OUTLINE_API_URL=https://docs.example.com"}, arrange: served(says(http.StatusPermanentRedirect, "", "Location", "https://docs.example.com/api/auth.info"))},
		{name: "an address that redirects to a path of another host", symbol: "✗", check: "outline", says: []string{"redirects to https://docs.example.com/designing/authors", "OUTLINE_API_URL=https://docs.example.com/designing/authors;"}, arrange: served(says(http.StatusTemporaryRedirect, "", "Location", "https://docs.example.com/designing/authors/api/auth.info"))},
		{name: "Cloudflare Access, which redirects", symbol: "✗", check: "outline", says: []string{"Cloudflare Access", "let /api pass"}, arrange: served(says(http.StatusFound, "", "Location", "https://acme.cloudflareaccess.com/cdn-cgi/access/login/wiki?kid=hunter2"))},
		{name: "Cloudflare Access, which refuses", symbol: "✗", check: "outline", says: []string{"Cloudflare Access", "403"}, arrange: served(says(http.StatusForbidden, "<title>Forbidden ・ Cloudflare Access</title>", "Content-Type", html))},
		{name: "Cloudflare, which challenges browsers", symbol: "✗", check: "outline", says: []string{"Cloudflare holds programs back", "exception for /api"}, arrange: served(says(http.StatusForbidden, "<title>Just a moment...</title>", "Content-Type", html, "Cf-Mitigated", "challenge"))},
		{name: "a proxy that asks for a password of its own", symbol: "✗", check: "outline", says: []string{"user name and password", "Basic", "let /api pass"}, arrange: served(says(http.StatusUnauthorized, "<h1>401</h1>", "Content-Type", html, "WWW-Authenticate", `Basic realm="wiki"`))},
		{name: "a login page with status 200", symbol: "✗", check: "outline", says: []string{"a login page", "200", "Sign in - Acme", "let /api pass"}, arrange: served(says(http.StatusOK, `<!doctype html><title>Sign in - Acme</title><form><input type="password"></form>`, "Content-Type", html))},
		{name: "a login page with status 401", symbol: "✗", check: "outline", says: []string{"a login page", "401"}, arrange: served(says(http.StatusUnauthorized, "<!doctype html><title>Login</title>", "Content-Type", html))},
		{name: "a login page with status 403", symbol: "✗", check: "outline", says: []string{"a login page", "403"}, arrange: served(says(http.StatusForbidden, "<!doctype html><title>Log in</title>", "Content-Type", html))},
		{name: "a web page", symbol: "✗", check: "outline", says: []string{"a web page", "Welcome to nginx!", "without the path of a page"}, arrange: served(says(http.StatusOK, "<!doctype html><title>Welcome to nginx!</title>", "Content-Type", html))},
		{name: "a web page with a title as of a login", symbol: "✗", check: "outline", says: []string{"a web page", "Blog in English"}, arrange: served(says(http.StatusOK, "<!doctype html><title>Blog in English</title>", "Content-Type", html))},
		{name: "the API of another program", symbol: "✗", check: "outline", says: []string{"another program than Outline", "host and port"}, arrange: served(says(http.StatusOK, `{"ok":false,"error":"invalid_auth"}`, "Content-Type", asJS))},
		{name: "nothing at any path", symbol: "✗", check: "outline", says: []string{"there is nothing at", "404"}, arrange: served(http.HandlerFunc(http.NotFound))},
		{name: "an answer that is cut off", symbol: "✗", check: "outline", says: []string{"not Outline", "200"}, arrange: served(says(http.StatusOK, `<`, "Content-Type", "text/plain"))},
		{name: "an Outline below a path that was left out", symbol: "✗", check: "outline", says: []string{"Outline's API is at", "/wiki/api", "set OUTLINE_API_URL="}, arrange: outlineAt("", inWiki)},
		{name: "a path that Outline is not below", symbol: "✗", check: "outline", says: []string{"Outline's API is at", "and not at", "/kb/api", "set OUTLINE_API_URL="}, arrange: outlineAt("/kb", onlyAt)},
		{name: "/api twice", symbol: "✗", check: "outline", says: []string{"and not at", "/api/api", "set OUTLINE_API_URL="}, arrange: outlineAt("/api/api", onlyAt)},
		{name: "the address of a document", symbol: "✗", check: "outline", says: []string{"Outline's API is at", "set OUTLINE_API_URL="}, arrange: outlineAt("/doc/handbook-1FF9VyHA4X", onlyAt)},
		{name: "Outline that is down behind its proxy", symbol: "✗", check: "outline", says: []string{"not available", "502 Bad Gateway", "log of Outline"}, arrange: served(says(http.StatusBadGateway, "<h1>502</h1>", "Content-Type", html))},
		{name: "maintenance", symbol: "✗", check: "outline", says: []string{"503 Service Unavailable", "in 120 s", "maintenance"}, arrange: served(says(http.StatusServiceUnavailable, "down for maintenance", "Retry-After", "120"))},
		{name: "an error of Outline's own", symbol: "✗", check: "outline", says: []string{"error of its own (500", "Outline's log"}, arrange: served(says(http.StatusInternalServerError, `{"ok":false,"error":"internal_error","status":500,"message":"Internal error"}`, "Content-Type", asJS))},
		{name: "a rate limit before Outline", symbol: "✗", check: "outline", says: []string{"before Outline refuses requests for their rate", "wait"}, arrange: served(says(http.StatusTooManyRequests, "slow down"))},
	}
}
