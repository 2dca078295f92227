package app

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/boundary"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/oauth"
	"outline-mcp/internal/observe"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/tools"
)

// A login is the authorization server with which people log in, for httpd.
type login struct {
	*oauth.Server
	scope oauth.Scope  // what clients should ask for
	demo  http.Handler // the pages of the embedded Outline, below demoPages; nil without it
}

// demoPages is where the pages of the embedded Outline are, for the browser of a person
// who logs in.
const demoPages = "/demo/outline"

// loginTokens is how all that the authorization server issues begins.
const loginTokens = "omcp_"

// CheckLogin is the [config.Check] of the settings that the login reads by its own rules.
func CheckLogin(c config.Config) (problems []config.Problem) {
	if _, err := oauth.ParseProxies(c.TrustedProxies); err != nil {
		problems = append(problems, config.Problem{Setting: "MCP_TRUSTED_PROXIES", Text: err.Error() + "; set how many proxies there are, or their addresses or networks"})
	}
	for _, uri := range c.OAuthRedirects {
		if wrong, ok := errors.AsType[*oauth.ClientError](oauth.CheckRedirect(uri, "")); ok {
			shown := text.Truncate(outline.Redact(uri), 60)
			problems = append(problems, config.Problem{Setting: "MCP_OAUTH_REDIRECTS", Text: fmt.Sprintf("%q: %s", shown, wrong.Description)})
		}
	}
	return problems
}

// newLogin returns the login of the settings, or nil if there is none.
func newLogin(o Options, to upstreamClient, offered []mcptool.Tool, counters *observe.Metrics) httpd.Login {
	c := o.Config
	if !c.LoginEnabled(o.Demo) {
		return nil
	}
	access := AccessOf(c)
	l := login{scope: oauth.Write}
	if access.ReadOnly {
		l.scope = oauth.Read
	}
	application := oauth.Outline{
		Origin:   strings.TrimSuffix(to.BaseURL, "/api"),
		ClientID: c.OAuthClientID, ClientSecret: c.OAuthClientSecret.Reveal(),
		ReadScope: readScope(tools.All()),
		Transport: to.loginTransport(),
	}
	if c.OAuthOutlineURL != "" {
		application.Authorize = c.OAuthOutlineURL + "/oauth/authorize"
	}
	secret := c.OAuthSecret.Reveal()
	if to.demo != nil {
		application.ClientID, application.ClientSecret = fakeoutline.ClientID, fakeoutline.ClientSecret
		application.Authorize = c.PublicURL + demoPages + "/oauth/authorize"
		l.demo = http.StripPrefix(demoPages, http.HandlerFunc(to.demo.login))
		secret = cmp.Or(secret, rand.Text()+rand.Text()) // 260 random bits
	}
	proxies, _ := oauth.ParseProxies(c.TrustedProxies) // checked with the settings
	l.Server = oauth.New(oauth.Options{
		Proxies:   proxies,
		PublicURL: c.PublicURL, Path: c.Path,
		Secret: secret, Previous: c.OAuthSecretPrevious.Reveal(),
		Outline:   application,
		Redirects: c.OAuthRedirects,
		Documents: oauth.NewDocuments(oauth.DocumentsOptions{Fetch: c.OAuthCIMD, OwnCallback: oauth.Callback(c.PublicURL)}),
		ReadOnly:  access.ReadOnly,
		Limits:    limitsOf(access, RulesOf(c), offered),
		Log:       o.Log,
		Observe:   func(e oauth.Event) { counters.Login(string(e.Kind), string(e.Reason)) },
	})
	return l
}

// loginEvents returns what metrics count of logins: events, and reasons of refusals.
func loginEvents() (events, refusals []string) {
	for _, kind := range []oauth.EventKind{oauth.Registered, oauth.LoggedIn, oauth.Refreshed, oauth.Revoked} {
		events = append(events, string(kind))
	}
	for _, reason := range oauth.Reasons() {
		refusals = append(refusals, string(reason))
	}
	return events, refusals
}

// Scope returns what is asked of Outline for a login on this computer.
func Scope(readOnly bool) string {
	if readOnly {
		return readScope(tools.All())
	}
	return "read write"
}

// readScope returns what is asked of Outline for a login that may only read. Outline
// counts some endpoints as writing that change nothing, such as the list of the trash.
func readScope(all []mcptool.Tool) string {
	var endpoints []string
	for _, tool := range all {
		if info := tool.Info(); info.Effect == mcptool.Reads {
			endpoints = append(endpoints, info.Endpoints...)
		}
	}
	return strings.Join(auth.ScopesToRead(endpoints), " ")
}

// limitsOf returns what the operator does not allow, for the page on which people
// decide about a client.
func limitsOf(access mcptool.Access, rules boundary.Rules, offered []mcptool.Tool) []string {
	var limits []string
	if len(rules.Only)+len(rules.Except) > 0 {
		limits = append(limits, "Only some collections can be seen.")
	}
	if len(rules.Write) > 0 && !access.ReadOnly {
		limits = append(limits, "Only some collections can be changed.")
	}
	if access.NoDelete && !access.ReadOnly {
		limits = append(limits, "Nothing can be deleted.")
	}
	left := func(group mcptool.Group) bool {
		return slices.ContainsFunc(offered, func(tool mcptool.Tool) bool { return tool.Info().Group == group })
	}
	var off []string
	for _, tool := range tools.All() {
		if info := tool.Info(); !info.Optional && !left(info.Group) && !slices.Contains(off, string(info.Group)) {
			off = append(off, string(info.Group))
		}
	}
	if len(off) > 0 && !access.ReadOnly {
		limits = append(limits, "These groups of tools are turned off: "+strings.Join(off, ", ")+".")
	}
	return limits
}

// Serves implements httpd.Login.
func (l login) Serves(path string) bool {
	return l.demo != nil && strings.HasPrefix(path, demoPages+"/") || l.Server.Serves(path)
}

// ServeHTTP implements httpd.Login.
func (l login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if l.demo != nil && strings.HasPrefix(r.URL.Path, demoPages+"/") {
		l.demo.ServeHTTP(w, r)
		return
	}
	l.Server.ServeHTTP(w, r)
}

// IsToken implements httpd.Login.
func (l login) IsToken(credential string) bool { return strings.HasPrefix(credential, loginTokens) }

// Principal implements httpd.Login.
func (l login) Principal(token string) (auth.Principal, error) {
	grant, err := l.Open(token)
	if err != nil {
		return auth.Principal{}, err
	}
	return auth.ForLogin(auth.Login{User: grant.Subject, Writes: grant.Scope.Writes(), Expires: grant.Expires, Source: grant.Token}), nil
}

// Challenge implements httpd.Login.
func (l login) Challenge(code, description string) string {
	if code == "" {
		description = ""
	}
	return l.Server.Challenge(l.scope, code, description)
}

// hostOf returns the host[:port] of an address of this server, "" if it is "".
func hostOf(public string) string {
	u, err := url.Parse(public)
	if err != nil {
		return ""
	}
	return u.Host
}
