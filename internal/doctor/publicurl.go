package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"outline-mcp/outline/transport"
)

// A publicAnswer is the answer to a request through the public URL.
type publicAnswer struct {
	url    string
	status int
	header http.Header
	body   []byte
}

// checkPublicURL reports whether the public URL leads to this server: the metadata that
// clients read, the challenge that sends them there, and the pages of the login.
func (e *examination) checkPublicURL(ctx context.Context) {
	if problem := e.whyNotPublic(ctx); problem != nil {
		e.found = append(e.found, *problem)
		return
	}
	e.add(OK, "login_url", e.settings.PublicURL+" leads to this server, which sends clients to log in", "")
}

// whyNotPublic returns what keeps the public URL from working, nil if nothing does. The
// requests carry no key and no token.
func (e *examination) whyNotPublic(ctx context.Context) *Check {
	fails := func(finding, advice string) *Check {
		return &Check{Name: "login_url", Status: Failure, Finding: finding, Advice: advice}
	}
	way, err := transport.New(transport.Options{CAFile: e.settings.CAFile})
	if err != nil {
		if way, err = transport.New(transport.Options{}); err != nil {
			return fails("no request can be made ("+cause(err)+")", "")
		}
	}
	defer way.CloseIdleConnections()
	public, path := e.settings.PublicURL, e.settings.Path
	metadata := public + "/.well-known/oauth-protected-resource" + path

	got, err := publicRequest(ctx, way, http.MethodGet, metadata, "")
	if err != nil {
		return fails(public+" cannot be reached from here ("+cause(err)+")", "start the server, and check DNS, the certificate and the reverse proxy; if only this machine cannot reach it, check from another one")
	}
	if problem := got.notOurs(fails); problem != nil {
		return problem
	}
	var resource struct {
		Resource untrustedURL   `json:"resource"`
		Servers  []untrustedURL `json:"authorization_servers"`
	}
	switch {
	case json.Unmarshal(got.body, &resource) != nil || resource.Resource == "":
		return fails(metadata+" is not the metadata of an MCP server", "check where the reverse proxy sends it")
	case string(resource.Resource) != public+path || !slices.Contains(resource.Servers, untrustedURL(public)):
		return fails(fmt.Sprintf("the server there calls itself %s, not %s", resource.Resource, public+path), "restart it with the same MCP_PUBLIC_URL and MCP_PATH, and check where the reverse proxy sends requests")
	}
	ahead, dated := got.ahead()

	got, err = publicRequest(ctx, way, http.MethodGet, public+"/.well-known/oauth-authorization-server", "")
	if err != nil {
		return fails(got.url+" does not answer ("+cause(err)+")", "check the reverse proxy")
	}
	var server struct {
		Issuer untrustedURL `json:"issuer"`
	}
	if problem := got.notOurs(fails); problem != nil {
		return problem
	}
	if json.Unmarshal(got.body, &server) != nil || string(server.Issuer) != public {
		return fails(got.url+" is the metadata of another server", "forward /.well-known/oauth-authorization-server to this server in the reverse proxy")
	}

	got, err = publicRequest(ctx, way, http.MethodGet, public+"/oauth/authorize", "")
	switch {
	case err != nil:
		return fails(got.url+" does not answer ("+cause(err)+")", "check the reverse proxy")
	case got.status == http.StatusNotFound:
		return fails(got.url+" is not found (404)", "forward /oauth/ to this server in the reverse proxy")
	}

	got, err = publicRequest(ctx, way, http.MethodPost, public+path, ping)
	switch {
	case err != nil:
		return fails(got.url+" does not answer ("+cause(err)+")", "check the reverse proxy")
	case got.status == http.StatusOK:
		return &Check{Name: "login_url", Status: Warning, Finding: got.url + " answers without a login, so clients never ask people to log in", Advice: "leave out MCP_ALLOW_ANONYMOUS"}
	case got.status != http.StatusUnauthorized || !strings.Contains(got.header.Get("WWW-Authenticate"), metadata):
		return fails(fmt.Sprintf("%s does not tell clients where to log in (status %s, WWW-Authenticate: %s)", got.url, statusText(got.status), quotedOr(short(got.header.Get("WWW-Authenticate")), "none")),
			"forward it to this server in the reverse proxy, with all headers of the answers")
	case dated && ahead.Abs() > askew:
		return &Check{Name: "login_url", Status: Warning, Finding: fmt.Sprintf("%s leads to this server, but its clock differs from that of this machine by %s", public, ahead.Abs().Round(time.Second)), Advice: "synchronize all clocks with a time server: the expiry of logins depends on them"}
	}
	return nil
}

// untrustedURL is a URL from a server. Decoding makes it safe to show.
type untrustedURL string

// UnmarshalJSON implements json.Unmarshaler. A value that is no string counts as "".
func (o *untrustedURL) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*o = untrustedURL(tidy(text, "", maxURL))
	}
	return nil
}

func quotedOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return `"` + text + `"`
}

// notOurs returns the problem if something other than this program answered a request
// for metadata, nil if it may be this program.
func (a publicAnswer) notOurs(fails func(finding, advice string) *Check) *Check {
	switch {
	case a.status == http.StatusOK:
		return nil
	case a.status == http.StatusForbidden && strings.Contains(string(a.body), "MCP_ALLOWED_HOSTS"):
		return fails("the server rejects the host name in MCP_PUBLIC_URL (403)", "let the reverse proxy pass on the Host header unchanged, and start the server with the same MCP_PUBLIC_URL")
	case a.status == http.StatusBadGateway, a.status == http.StatusServiceUnavailable, a.status == http.StatusGatewayTimeout:
		return fails(a.url+" is answered by a proxy, behind which no server answers ("+statusText(a.status)+")", "start the server, and check its address in the reverse proxy")
	case a.status/100 == 3:
		return fails(a.url+" is redirected ("+statusText(a.status)+")", "set MCP_PUBLIC_URL to the address that people use in the end")
	}
	return fails(a.url+" is not answered by this server with these settings (status "+statusText(a.status)+")", "start it with MCP_PUBLIC_URL, and forward /.well-known/oauth-* and /oauth/ to it in the reverse proxy")
}

// ahead returns by how much the clock of who answered is ahead of this machine's, and
// whether the answer tells. Its precision is a second and the time of the answer.
func (a publicAnswer) ahead() (time.Duration, bool) {
	at, err := http.ParseTime(a.header.Get("Date"))
	return time.Until(at), err == nil
}

// ping is a request that every MCP server answers, or rejects for want of credentials.
const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// publicRequest makes a request without credentials. A redirect is not followed.
func publicRequest(ctx context.Context, way http.RoundTripper, method, url, body string) (publicAnswer, error) {
	got := publicAnswer{url: url}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return got, err
	}
	request.Header.Set("Accept", "application/json, text/event-stream, text/html")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := way.RoundTrip(request)
	if err != nil {
		return got, err
	}
	defer response.Body.Close()
	got.status, got.header = response.StatusCode, response.Header
	got.body, err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	return got, err
}
