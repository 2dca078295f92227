package doctor

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"outline-mcp/internal/oauth"
)

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
	status, body, err := e.exchange(ctx, id, redirect)
	var refused struct {
		Error       string    `json:"error"`
		Description untrusted `json:"error_description"`
	}
	said := json.Unmarshal(body, &refused) == nil && refused.Error != ""
	says := strings.ToLower(string(refused.Description))
	switch {
	case err != nil:
		e.add(Failure, "login_application", "Outline's token endpoint does not answer ("+cause(err)+")", "check whether something in front of Outline blocks /oauth/token")
	case status == http.StatusTooManyRequests:
		e.add(Warning, "login_application", "Outline's limit of 100 logins and renewals an hour from this address is used up (429)", "see login_limit")
	case said && strings.Contains(says, "client"):
		e.add(Failure, "login_application", "Outline has no application "+id+" with this client secret", "check MCP_OAUTH_CLIENT_ID and MCP_OAUTH_CLIENT_SECRET, or run outline-mcp oauth rotate client-secret")
	case said && status == http.StatusBadRequest && e.valid:
		e.add(OK, "login_application", id+" in Outline has the redirect URI "+redirect+" and this client secret", "")
	case said && status == http.StatusBadRequest:
		e.add(OK, "login_application", id+" in Outline has this client secret (with OUTLINE_API_KEY, the redirect URI is checked, too)", "")
	default:
		e.add(Failure, "login_application", "what answers at "+e.tokenEndpoint()+" is not Outline (status "+statusText(status)+")", "check OUTLINE_API_URL and the proxy in front of Outline; versions before 0.84 have no OAuth")
	}
}

// checkRedirect reports an application that people cannot be sent back from, and
// whether there is none. Any user of the workspace may ask Outline.
func (e *examination) checkRedirect(ctx context.Context, id, redirect string) bool {
	body, err := json.Marshal(map[string]string{"clientId": id, "redirectUri": redirect})
	if err != nil {
		return true
	}
	got := e.ask(ctx, "oauthClients.info", string(body))
	var app struct {
		Name untrusted `json:"name"`
		Type string    `json:"clientType"` // "" unless an admin asks
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

func (e *examination) tokenEndpoint() string {
	base, err := url.Parse(e.base)
	if err != nil {
		return e.base
	}
	return base.Scheme + "://" + base.Host + "/oauth/token"
}

// exchange asks Outline for tokens with a code that does not exist.
func (e *examination) exchange(ctx context.Context, id, redirect string) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {"outline-mcp-doctor"}, "redirect_uri": {redirect}, "client_id": {id}, "client_secret": {e.settings.OAuthClientSecret.Reveal()}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.tokenEndpoint(), strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("User-Agent", e.agent)
	response, err := e.transport.RoundTrip(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	return response.StatusCode, body, err
}
