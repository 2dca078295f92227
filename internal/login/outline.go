package login

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	requestTimeout = 10 * time.Second // of one request to Outline
	maxAnswer      = 1 << 20          // bytes
)

// Outline is how to reach an Outline.
type Outline struct {
	BaseURL   string // of the API, as outline.ParseBaseURL returns it
	Transport http.RoundTripper
	UserAgent string
}

func (o Outline) http() *http.Client {
	return &http.Client{Transport: agent{o.Transport, o.UserAgent}, Timeout: requestTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // secrets go to Outline only
	}}
}

// An agent names this program in each request.
type agent struct {
	next http.RoundTripper
	name string
}

// RoundTrip implements [http.RoundTripper].
func (a agent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", a.name)
	return a.next.RoundTrip(r)
}

// A refusal is an answer of Outline with another status than 200.
type refusal struct{ status int }

func (r *refusal) Error() string { return fmt.Sprintf("status %d", r.status) }

// statusOf returns the status with which Outline refused, or 0 if it gave no answer.
func statusOf(err error) int {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.status
	}
	return 0
}

// send makes a request and decodes the JSON of its answer into result, unless that is nil.
func (o Outline) send(ctx context.Context, method, target, bearer, contentType string, body []byte, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := o.http().Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case err != nil:
		return err
	case response.StatusCode/100 != 2:
		return &refusal{response.StatusCode}
	case result != nil && json.Unmarshal(answer, result) != nil:
		return &refusal{http.StatusNotFound} // a page: nothing of Outline's is there
	}
	return nil
}

// unreachable says that Outline gave no usable answer, without the answer.
func (o Outline) unreachable(err error) *Error {
	why := "it does not answer"
	switch status := statusOf(err); {
	case status == http.StatusTooManyRequests:
		why = "its rate limit is reached"
	case status != 0:
		why = fmt.Sprintf("it answers with status %d", status)
	}
	return fail(Unavailable, "Outline at "+Address(o.BaseURL)+" cannot be reached for the login: "+why+". Try again later; outline-mcp doctor checks the connection")
}

// A provider is what Outline says about logging in.
type provider struct {
	Issuer    string `json:"issuer"`
	Authorize string `json:"authorization_endpoint"`
	Token     string `json:"token_endpoint"`
	Register  string `json:"registration_endpoint"`
}

// discover reads Outline's metadata. Of the addresses in it, only that of the page for the
// browser may be used: everything else is sent to the address in the settings.
func (o Outline) discover(ctx context.Context) (provider, error) {
	var p provider
	err := o.send(ctx, http.MethodGet, Address(o.BaseURL)+"/.well-known/oauth-authorization-server", "", "", nil, &p)
	if status := statusOf(err); status == http.StatusNotFound || err == nil && p.Authorize == "" {
		return p, fail(Failed, "there is no login for programs at "+Address(o.BaseURL)+": it is not an Outline, or one older than 0.84. Check the address, or use an API key: outline-mcp install CLIENT asks for one")
	}
	if err != nil {
		return p, o.unreachable(err)
	}
	if originOf(p.Authorize) == originOf(o.BaseURL) { // it does not know of a path that a proxy puts in front of its own
		p.Authorize = Address(o.BaseURL) + "/oauth/authorize"
	}
	return p, nil
}

// elsewhere returns the addresses that a provider names beside the one in the settings, in
// quotation marks; "" if there are none. Whoever logs in there gives the login to the address
// in the settings, which may belong to somebody else (RFC 8414, section 3.3; RFC 9207).
func (o Outline) elsewhere(p provider) string {
	var others []string
	for _, named := range []string{p.Issuer, p.Authorize, p.Token, p.Register} {
		if at := strconv.Quote(originOf(named)); named != "" && originOf(named) != originOf(o.BaseURL) && !slices.Contains(others, at) {
			others = append(others, at)
		}
	}
	return strings.Join(others, " and ")
}

// originOf returns the scheme, host and port of an address, in one form; one that is none
// stays as it is.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	standard := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	return u.Scheme + "://" + strings.TrimSuffix(strings.ToLower(u.Host), standard)
}

// CanRegister returns nil if programs can register themselves.
func (o Outline) CanRegister(ctx context.Context) error {
	p, err := o.discover(ctx)
	if err == nil && p.Register == "" {
		return notOffered(o.BaseURL)
	}
	return err
}

// register makes a public client with redirect URIs (RFC 7591).
func (o Outline) register(ctx context.Context, redirects []string) (client, error) {
	body, err := json.Marshal(map[string]any{
		"client_name": "outline-mcp", "redirect_uris": redirects, "token_endpoint_auth_method": "none",
		"grant_types": []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
	})
	if err != nil {
		return client{}, err
	}
	var made struct {
		ID    string `json:"client_id"`
		Token string `json:"registration_access_token"`
	}
	err = o.send(ctx, http.MethodPost, Address(o.BaseURL)+"/oauth/register", "", "application/json", body, &made)
	switch status := statusOf(err); {
	case status == http.StatusNotFound || status == http.StatusForbidden || err == nil && made.ID == "":
		return client{}, notOffered(o.BaseURL)
	case status == http.StatusTooManyRequests:
		return client{}, fail(Failed, "Outline registers five programs an hour for one network address, and that many have been. Try again in an hour, or use an API key")
	case err != nil:
		return client{}, o.unreachable(err)
	}
	return client{made.ID, made.Token}, nil
}

// notOffered says how to use this program where Outline registers none.
func notOffered(base string) *Error {
	text := "Outline at " + Address(base) + " does not let programs register themselves: the workspace has turned that off (the MCP setting, or OAUTH_DISABLE_DCR). " +
		"Use an API key: outline-mcp install CLIENT asks for one. Or have an admin make a public application in Outline's settings with the redirect URIs " +
		strings.Join(Redirects(), ", ") + ", and set its client ID as OUTLINE_OAUTH_CLIENT_ID"
	if isDefault(base) {
		text = "app.getoutline.com belongs to no workspace. Run outline-mcp login with the address of yours, as in the browser, such as https://acme.getoutline.com. " + text
	}
	return fail(Failed, text)
}

// knows reports whether a client that registered itself is still there with the same
// redirect URIs: Outline deletes those that are not used.
func (o Outline) knows(ctx context.Context, c client, redirects []string) bool {
	var found struct {
		Redirects []string `json:"redirect_uris"`
	}
	err := o.send(ctx, http.MethodGet, o.management(c), c.Token, "", nil, &found)
	return err == nil && strings.Join(found.Redirects, " ") == strings.Join(redirects, " ")
}

// unregister deletes a client that registered itself. If it fails, Outline deletes the
// client when it has not been used for some time.
func (o Outline) unregister(ctx context.Context, c client) {
	if c.Token != "" {
		_ = o.send(ctx, http.MethodDelete, o.management(c), c.Token, "", nil, nil)
	}
}

func (o Outline) management(c client) string {
	return Address(o.BaseURL) + "/oauth/register/" + url.PathEscape(c.ID)
}

// config returns the settings of the library for a client.
func (o Outline) config(clientID, redirect, authorize string) *oauth2.Config {
	return &oauth2.Config{ClientID: clientID, RedirectURL: redirect, Endpoint: oauth2.Endpoint{
		// Named because finding out the style costs a request, and a wrong one the code.
		AuthURL: authorize, TokenURL: Address(o.BaseURL) + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams,
	}}
}

// exchange returns the tokens for a code.
func (o Outline) exchange(ctx context.Context, c client, redirect, code, verifier string) (tokens, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, o.http())
	got, err := o.config(c.ID, redirect, "").Exchange(ctx, code, oauth2.VerifierOption(verifier))
	return issued(c, got, err)
}

// refresh returns new tokens. The old ones are void then. A connection that breaks is often
// one that Outline had closed before the request, so the request is made once more; a
// refresh token that was spent after all can be sent again for ten seconds without harm.
func (o Outline) refresh(ctx context.Context, old tokens) (tokens, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, o.http())
	for again := false; ; again = true {
		got, err := o.config(old.Client.ID, "", "").TokenSource(ctx, &oauth2.Token{RefreshToken: old.Refresh}).Token()
		fresh, err := issued(old.Client, got, err)
		timedOut, isNet := errors.AsType[net.Error](err)
		if err == nil || again || statusOf(err) != 0 || isNet && timedOut.Timeout() {
			return fresh, err
		}
	}
}

// issued returns the tokens in an answer. The text of the library's error contains the
// answer, and is not passed on.
func issued(c client, got *oauth2.Token, err error) (tokens, error) {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil {
		return tokens{}, &refusal{refused.Response.StatusCode}
	}
	if err != nil {
		return tokens{}, err
	}
	now := time.Now()
	lifetime := time.Duration(cmp.Or(max(got.ExpiresIn, 0), 3600)) * time.Second
	return tokens{Access: got.AccessToken, Refresh: got.RefreshToken, Issued: now, Expires: now.Add(lifetime), Client: c}, nil
}

// revoke voids a login. Outline accepts unknown tokens, too.
func (o Outline) revoke(ctx context.Context, t tokens) error {
	form := url.Values{"token": {t.Refresh}}.Encode()
	return o.send(ctx, http.MethodPost, Address(o.BaseURL)+"/oauth/revoke", "", "application/x-www-form-urlencoded", []byte(form), nil)
}

// whose fills in whose token it is.
func (o Outline) whose(ctx context.Context, accessToken string, a *Account) error {
	var info struct {
		Data struct {
			User struct{ ID, Name, Role string }
			Team struct{ Name string }
		}
	}
	err := o.send(ctx, http.MethodPost, o.BaseURL+"/auth.info", accessToken, "application/json", []byte("{}"), &info)
	if err == nil && info.Data.User.ID == "" {
		err = &refusal{http.StatusNotFound}
	}
	if err != nil {
		return err
	}
	a.UserID, a.User, a.Role, a.Workspace = info.Data.User.ID, info.Data.User.Name, info.Data.User.Role, info.Data.Team.Name
	return nil
}
