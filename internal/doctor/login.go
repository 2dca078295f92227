package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"outline-mcp/internal/login"
	"outline-mcp/internal/oauth"
	"outline-mcp/outline/transport"
)

// The settings of logging in with Outline.
var loginSettings = []string{
	"MCP_PUBLIC_URL", "MCP_OAUTH_CLIENT_ID", "MCP_OAUTH_CLIENT_SECRET", "MCP_OAUTH_CLIENT_SECRET_FILE", "MCP_OAUTH_SECRET", "MCP_OAUTH_SECRET_FILE",
	"MCP_OAUTH_SECRET_PREVIOUS", "MCP_OAUTH_SECRET_PREVIOUS_FILE", "MCP_OAUTH_REDIRECTS", "MCP_OAUTH_CIMD",
}

// loginChecks are the names of the checks of the login.
var loginChecks = []string{"login", "login_secret", "login_application", "login_url"}

// notAboutLogin reports whether a check has nothing to do with logging in.
func notAboutLogin(c Check) bool {
	return c.Status != Failure && !slices.Contains(loginChecks, c.Name) && !slices.Contains(loginSettings, c.Name)
}

// checkLogin reports whether people can log in with Outline: the settings, the
// application in Outline, and the public URL.
func checkLogin(ctx context.Context, e *examination) {
	switch {
	case e.Settings.Unusable(append([]string{"MCP_PATH"}, loginSettings...)...):
		e.skip("until the settings of the login are valid", loginChecks...)
		return
	case !e.settings.LoginEnabled(e.Demo):
		if e.Login {
			e.add(Failure, "login", "it is not set up", "run outline-mcp oauth setup, and set what it prints")
		}
		return
	}
	e.checkPublicAddress()
	if !e.Demo {
		e.checkLoginSecret()
		e.checkApplication(ctx)
	}
	e.checkPublicURL(ctx)
}

// checkPublicAddress reports who can use the public URL, as it is written.
func (e *examination) checkPublicAddress() {
	finding := "users add " + e.settings.PublicURL + e.settings.Path + " to their AI client and log in"
	u, err := url.Parse(e.settings.PublicURL)
	if err != nil {
		return // config.Load accepts no such URL
	}
	outlines, _ := url.Parse(e.base)
	switch {
	case outlines != nil && outlines.Host == u.Host:
		e.add(Failure, "login", "MCP_PUBLIC_URL is the address of Outline", "set the address of this server")
	case transport.IsLoopback(u.Hostname()):
		e.add(Warning, "login", finding+", but only clients on this machine can", "set MCP_PUBLIC_URL to an https:// address for all others")
	case u.Port() != "":
		e.add(Warning, "login", finding+", but not to Claude, which connects to port 443 only", "serve it on port 443 if your users have claude.ai or Claude Desktop")
	default:
		e.add(OK, "login", finding, "")
	}
	if other := e.settings.OAuthOutlineURL; other != "" {
		outlines, _ = url.Parse(other)
	}
	if outlines != nil && !e.Demo && !transport.IsLoopback(u.Hostname()) {
		if finding, advice := whyBrowsersMayFail(outlines); finding != "" {
			e.add(Warning, "login", finding, advice)
		}
	}
}

// whyBrowsersMayFail returns why the browsers of people who log in probably cannot use
// the address of Outline, though this server can, or "".
func whyBrowsersMayFail(outline *url.URL) (finding, advice string) {
	host := outline.Hostname()
	ip := net.ParseIP(host)
	switch {
	case host == "app.getoutline.com":
		// In its source, Outline finds the workspace of a login by the host.
		return "OUTLINE_API_URL does not say which workspace users log in to", "set it, or MCP_OAUTH_OUTLINE_URL, to the address of your workspace, such as https://example.getoutline.com"
	case transport.IsLoopback(host), ip != nil && ip.IsPrivate(), ip == nil && !strings.Contains(host, "."):
		return "to log in, users' browsers open " + outline.Scheme + "://" + outline.Host + ", which they may not be able to reach", "set MCP_OAUTH_OUTLINE_URL to the address that users' browsers can reach"
	}
	return "", ""
}

// leastBits is the randomness of a secret that nobody guesses.
const leastBits = 100

// checkLoginSecret reports whether the secret can be guessed, and whether the one
// before is needed still.
func (e *examination) checkLoginSecret() {
	secret := e.settings.OAuthSecret.Reveal()
	if randomness(secret) < leastBits {
		e.add(Warning, "login_secret", "MCP_OAUTH_SECRET is not random, and anyone who guesses it can read the tokens of all users", "write a random one to its file, such as the output of openssl rand -hex 32, and restart the servers")
	} else {
		e.add(OK, "login_secret", "MCP_OAUTH_SECRET is set, and must be the same for all servers behind the public URL", "")
	}
	if e.settings.OAuthSecretPrevious != "" {
		e.add(OK, "login_secret", "MCP_OAUTH_SECRET_PREVIOUS is set", "remove it after 30 days, when no token needs it")
	}
}

// randomness estimates the bits of randomness in a secret by how often its characters
// occur. It overestimates words.
func randomness(secret string) float64 {
	counts := map[rune]float64{}
	for _, r := range secret {
		counts[r]++
	}
	bits := 0.0
	for _, n := range counts {
		bits -= n * math.Log2(n/float64(len(secret)))
	}
	return bits
}

// checkApplication reports whether Outline has the application with its redirect URI,
// and whether the client secret is the right one.
func (e *examination) checkApplication(ctx context.Context) {
	if why := e.lacks(outlineAPI); why != "" {
		e.skip(why, "login_application")
		return
	}
	id, redirect := e.settings.OAuthClientID, oauth.Callback(e.settings.PublicURL)
	if e.valid && !e.checkRedirect(ctx, id, redirect) {
		return
	}
	// Outline checks the client before the code, as recorded.
	tokens := login.Address(e.base) + "/oauth/token"
	form := url.Values{"grant_type": {"authorization_code"}, "code": {"outline-mcp-doctor"}, "redirect_uri": {redirect}, "client_id": {id}, "client_secret": {e.settings.OAuthClientSecret.Reveal()}}
	got := send(ctx, e.transport, http.MethodPost, tokens, form.Encode(), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}})
	var refused struct {
		Error       string      `json:"error"`
		Description foreignText `json:"error_description"`
	}
	said := json.Unmarshal(got.body, &refused) == nil && refused.Error != ""
	says := strings.ToLower(string(refused.Description))
	switch {
	case got.err != nil:
		e.add(Failure, "login_application", "Outline's token endpoint does not answer ("+cause(got.err)+")", "check whether a gateway in front of Outline blocks /oauth/token")
	case got.status == http.StatusTooManyRequests:
		e.add(Warning, "login_application", "Outline's limit of 100 logins and renewals an hour from this address is used up (429)", "wait; if the server has many users, raise OAUTH_PROVIDER_ACCESS_TOKEN_LIFETIME or RATE_LIMITER_MULTIPLIER in the settings of Outline, or give the replicas different addresses")
	case said && strings.Contains(says, "client"):
		e.add(Failure, "login_application", "Outline has no application "+id+" with this client secret", "check MCP_OAUTH_CLIENT_ID and MCP_OAUTH_CLIENT_SECRET, or give the application a new client secret in Outline under Settings → Applications")
	case said && got.status == http.StatusBadRequest && e.valid:
		e.add(OK, "login_application", id+" in Outline has the redirect URI "+redirect+" and this client secret", "")
	case said && got.status == http.StatusBadRequest:
		e.add(OK, "login_application", id+" in Outline has this client secret (with OUTLINE_API_KEY, doctor also checks the redirect URI)", "")
	default:
		e.add(Failure, "login_application", "the server at "+tokens+" is not Outline (status "+statusText(got.status)+")", "check OUTLINE_API_URL and the proxy in front of Outline; versions before 0.84 have no OAuth")
	}
}

// checkRedirect reports an application that people cannot be sent back from, and
// whether there is none. Any user of the workspace may ask Outline.
func (e *examination) checkRedirect(ctx context.Context, id, redirect string) bool {
	body, _ := json.Marshal(map[string]string{"clientId": id, "redirectUri": redirect}) // texts, which cause no error
	got := e.ask(ctx, "oauthClients.info", string(body))
	var app struct {
		Type string `json:"clientType"` // "" unless an admin asks
	}
	const recreate = "delete it in Outline under Settings → Applications, and run outline-mcp oauth setup"
	switch {
	case got.read(&app) && app.Type == "public":
		e.add(Failure, "login_application", id+" is a public application, without a secret", recreate)
	case got.succeeded():
		return true
	case got.fromOutline() && got.status == http.StatusNotFound:
		e.add(Failure, "login_application", "Outline has no application "+id, "check MCP_OAUTH_CLIENT_ID and OUTLINE_API_URL, or run outline-mcp oauth setup")
	case got.fromOutline() && got.status == http.StatusBadRequest:
		e.add(Failure, "login_application", id+" in Outline does not have the redirect URI "+redirect, "add it in Outline under Settings → Applications, exactly like this")
	default:
		return true // such as a key limited to scopes: the exchange tells more
	}
	return false
}

// checkPublicURL reports whether the public URL leads to this server: the metadata that
// clients read, the pages of the login, and the challenge that sends clients there. The
// requests carry no key and no token.
func (e *examination) checkPublicURL(ctx context.Context) {
	const check = "login_url"
	way, err := transport.New(transport.Options{CAFile: e.settings.CAFile})
	if err != nil {
		e.skip("until the settings for Outline are valid", check)
		return
	}
	defer way.CloseIdleConnections()
	public, path := e.settings.PublicURL, e.settings.Path
	const wellKnown = "/.well-known/oauth-"
	metadata := public + wellKnown + "protected-resource" + path
	for _, step := range []struct {
		method, url, body string
		is                func(answer) bool // the answer of this server
		advice            string
	}{
		{http.MethodGet, metadata, "", func(a answer) bool { return a.says("resource", public+path) },
			"start it with the same MCP_PUBLIC_URL and MCP_PATH, and forward " + wellKnown + "* and /oauth/ to it in the reverse proxy, with the Host header"},
		{http.MethodGet, public + wellKnown + "authorization-server", "", func(a answer) bool { return a.says("issuer", public) },
			"forward " + wellKnown + "authorization-server to it in the reverse proxy"},
		{http.MethodGet, public + "/oauth/authorize", "", func(a answer) bool { return a.status < 500 && a.status != http.StatusNotFound },
			"forward /oauth/ to it in the reverse proxy"},
		{http.MethodPost, public + path, ping, func(a answer) bool {
			return a.status == http.StatusOK || a.status == http.StatusUnauthorized && strings.Contains(a.header.Get("WWW-Authenticate"), metadata)
		}, "forward it in the reverse proxy, with all headers of the answers: WWW-Authenticate tells clients where to log in"},
	} {
		got := send(ctx, way, step.method, step.url, step.body, ofClients())
		switch {
		case got.err != nil:
			e.add(Failure, check, step.url+" cannot be reached from here ("+cause(got.err)+")", "start the server, and check DNS, the certificate and the reverse proxy; if only this machine cannot reach it, check from another one")
			return
		case !step.is(got):
			why, advice := got.whyElsewhere()
			e.add(Failure, check, fmt.Sprintf("%s %s (status %s)", step.url, why, statusText(got.status)), cmp.Or(advice, step.advice))
			return
		case step.method == http.MethodPost && got.status == http.StatusOK:
			e.add(Warning, check, step.url+" answers without a login, so clients never ask users to log in", "unset MCP_ALLOW_ANONYMOUS")
			return
		}
	}
	e.add(OK, check, public+" leads to this server, which sends clients to log in", "")
}

// whyElsewhere returns what is wrong with an answer at the public URL that is not of this
// server, as the second half of a sentence, and what to do if the status tells.
func (a answer) whyElsewhere() (why, advice string) {
	switch {
	case a.status/100 == 3:
		return "is redirected", "set MCP_PUBLIC_URL to the address that it redirects to"
	case a.status == http.StatusForbidden && strings.Contains(string(a.body), "MCP_ALLOWED_HOSTS"):
		return "is refused because the server rejects the host name", "pass on the Host header unchanged in the reverse proxy, and start the server with the same MCP_PUBLIC_URL, or with the host in MCP_ALLOWED_HOSTS"
	case a.status == http.StatusBadGateway, a.status == http.StatusServiceUnavailable, a.status == http.StatusGatewayTimeout:
		return "is answered by a proxy whose server does not answer", "start the server, and check its address in the reverse proxy"
	}
	return "is not answered by this server with these settings", ""
}

// says reports whether an answer is a JSON object in which a field has a value.
func (a answer) says(field, value string) bool {
	var object map[string]any
	return a.status == http.StatusOK && json.Unmarshal(a.body, &object) == nil && object[field] == value
}
