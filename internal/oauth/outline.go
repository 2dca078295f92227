package oauth

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"outline-mcp/outline/transport"
)

const (
	outlineTimeout = 10 * time.Second // of one request to Outline
	maxAnswer      = 1 << 20          // bytes of an answer of Outline, as of golang.org/x/oauth2
	retrySoon      = 5 * time.Second  // if Outline does not say when to try again
)

// An upstream is Outline's authorization server.
type upstream struct {
	config oauth2.Config
	origin string
	http   *http.Client
}

func newUpstream(o Outline, callback string) *upstream {
	return &upstream{
		config: oauth2.Config{
			ClientID: o.ClientID, ClientSecret: o.ClientSecret, RedirectURL: callback,
			// Named because finding out the style costs a request, and a wrong one the code.
			Endpoint: oauth2.Endpoint{AuthURL: o.Authorize, TokenURL: o.Origin + "/oauth/token", AuthStyle: oauth2.AuthStyleInParams},
		},
		origin: o.Origin,
		http: &http.Client{Transport: o.Transport, Timeout: outlineTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // secrets go to Outline only
		}},
	}
}

// page returns the URL of the page where the user logs in to Outline and agrees.
func (u *upstream) page(scope, state, verifier string) string {
	// A copy of the configuration with the scope would race with the library's use of it.
	return u.config.AuthCodeURL(state, oauth2.SetAuthURLParam("scope", scope), oauth2.S256ChallengeOption(verifier))
}

// exchange returns the tokens for a code of Outline. The second exchange of a code fails.
func (u *upstream) exchange(ctx context.Context, code, verifier string) (*oauth2.Token, error) {
	got, err := u.config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, u.http), code, oauth2.VerifierOption(verifier))
	return got, tokenProblem(err)
}

// renew returns new tokens for a refresh token of Outline. Both old ones are void then.
func (u *upstream) renew(ctx context.Context, refreshToken string) (*oauth2.Token, error) {
	ctx = context.WithValue(ctx, oauth2.HTTPClient, u.http)
	got, err := u.config.TokenSource(ctx, &oauth2.Token{RefreshToken: refreshToken}).Token()
	return got, tokenProblem(err)
}

// revoke voids both tokens of a grant. Either can be given.
func (u *upstream) revoke(ctx context.Context, token string) error {
	_, err := u.post(ctx, "/oauth/revoke", "application/x-www-form-urlencoded", []byte(url.Values{"token": {token}}.Encode()), "")
	return err
}

// person returns the ID of the user whose access token it is.
func (u *upstream) person(ctx context.Context, accessToken string) (id string, err error) {
	body, err := u.post(ctx, "/api/auth.info", "application/json", []byte("{}"), accessToken)
	if err != nil {
		return "", err
	}
	var info struct {
		Data struct {
			User struct{ ID string }
		}
	}
	if json.Unmarshal(body, &info) != nil || info.Data.User.ID == "" {
		return "", outageProblem(errors.New("auth.info: not an answer from Outline"))
	}
	return info.Data.User.ID, nil
}

// post returns the body of a successful answer. Errors are problems.
func (u *upstream) post(ctx context.Context, path, contentType string, body []byte, bearer string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.origin+path, bytes.NewReader(body))
	if err != nil {
		return nil, misconfigured(err)
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Accept", "application/json")
	if bearer != "" {
		request.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := u.http.Do(request)
	if err != nil {
		return nil, outageProblem(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, outageProblem(err)
	case response.StatusCode != http.StatusOK:
		return nil, statusProblem(response, "")
	}
	return answer, nil
}

// tokenProblem says what an error of the token endpoint means. The text of a RetrieveError
// contains the answer, and is not passed on.
func tokenProblem(err error) error {
	if err == nil {
		return nil
	}
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return statusProblem(refused.Response, refused.ErrorDescription)
	}
	return outageProblem(err)
}

// statusProblem says what a status of Outline means. Outline's code for all OAuth errors
// is invalid_request; only the description tells a refused application from a used code
// (recorded from Outline 1.9.1).
func statusProblem(response *http.Response, description string) *problem {
	status := response.StatusCode
	switch {
	case status == http.StatusTooManyRequests:
		return &problem{status: status, code: "temporarily_unavailable", description: "Outline's rate limit is reached; try again later",
			reason: OutlineBusy, retryAfter: cmp.Or(transport.RetryAfter(response.Header), retrySoon), cause: errors.New("Outline allows 100 token requests an hour for this server's address unless RATE_LIMITER_MULTIPLIER is raised there")}
	case status == http.StatusBadRequest && (strings.HasPrefix(description, "Invalid client") || strings.HasPrefix(description, "Missing client_secret")):
		return misconfigured(errors.New("Outline refuses this server's application: check MCP_OAUTH_CLIENT_ID and MCP_OAUTH_CLIENT_SECRET"))
	case status == http.StatusBadRequest:
		return invalidGrant(Used, "the code or token has expired, was revoked, or was used before; log in again")
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound:
		return misconfigured(fmt.Errorf("Outline answers %d: check OUTLINE_API_URL, MCP_OAUTH_CLIENT_ID and MCP_OAUTH_CLIENT_SECRET", status))
	}
	return outageProblem(fmt.Errorf("Outline answers %d", status))
}

// outageProblem means that Outline gives no usable answer. The cause is logged.
func outageProblem(cause error) *problem {
	return &problem{status: http.StatusServiceUnavailable, code: "temporarily_unavailable", description: "Outline cannot be reached; try again later",
		reason: OutlineDown, retryAfter: retrySoon, cause: cause}
}

func misconfigured(cause error) *problem {
	return &problem{status: http.StatusInternalServerError, code: "server_error", description: "this server is not set up correctly; its operator finds the cause in the log",
		reason: Misconfigured, cause: cause}
}

// lifetime returns how long to say that Outline's access token is valid: a minute less, so
// that clients renew it while it is, but at least half of what Outline says.
func lifetime(t *oauth2.Token) time.Duration {
	stated := time.Duration(cmp.Or(max(t.ExpiresIn, 0), 3600)) * time.Second
	return max(stated-time.Minute, stated/2)
}
