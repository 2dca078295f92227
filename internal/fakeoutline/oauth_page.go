package fakeoutline

import (
	"crypto/hmac"
	"crypto/sha256"
	_ "embed" // the frame of the pages
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// pageFrame is a page without its title, the name of the team, and its content. The package
// html/template is not used because it makes the linker keep 3 MB of methods.
//
//go:embed oauth_page.html
var pageFrame string

// page answers the authorization endpoint for a browser: with the login, or with the
// question for consent if the user is logged in.
func (s *oauthServer) page(r *http.Request) apiReply {
	query := r.URL.Query()
	if scope := query.Get("scope"); scope == "" || scope == "claudeai" {
		query.Set("scope", "read write") // as Outline's page does
	}
	asked, err := s.asked(query.Get)
	if err != nil {
		return s.problem(err)
	}
	if person, session, ok := s.loggedIn(r); ok {
		return s.consent(asked, query, person, s.formToken(session))
	}
	var b strings.Builder
	writeHTML(&b, "<p>No password is needed in this workspace. Who are you?</p>\n")
	writeHTML(&b, `<form method="post" action="login" class="people">`+"\n"+hiddenField, "query", r.URL.RawQuery)
	for _, person := range s.options.People() {
		writeHTML(&b, `<button name="person" value="%s">%s (%s)</button>`+"\n", person.ID, person.Name, person.Role)
	}
	writeHTML(&b, "</form>\n")
	return s.show(http.StatusOK, "Log in", b.String())
}

// problem returns the page for a request that cannot be authorized.
func (s *oauthServer) problem(err error) apiReply {
	var b strings.Builder
	writeHTML(&b, `<p role="alert">%s</p>`+"\n<p>Go back to the application and start again.</p>\n", err.Error())
	return s.show(apiErrorOf(err).Status, "This request cannot be authorized", b.String())
}

// consent returns the page that asks a person for consent.
func (s *oauthServer) consent(asked authorization, query url.Values, person oauthPerson, token string) apiReply {
	var b strings.Builder
	writeHTML(&b, "<p><strong>%s</strong> asks for access as <strong>%s</strong>. It will be able to:</p>\n<ul>\n", asked.client.Name, person.Name)
	for _, scope := range asked.scopes {
		writeHTML(&b, "<li>%s</li>\n", describeScope(scope))
	}
	writeHTML(&b, "</ul>\n<p>You will be sent to %s</p>\n"+`<form method="post" action="authorize">`+"\n", asked.redirect)
	for _, name := range []string{"client_id", "redirect_uri", "response_type", "state", "scope", "code_challenge", "code_challenge_method"} {
		if query.Has(name) {
			writeHTML(&b, hiddenField, name, query.Get(name))
		}
	}
	writeHTML(&b, hiddenField, "_csrf", token)
	writeHTML(&b, `<button name="decision" value="authorize">Authorize</button>
<button name="decision" value="cancel">Cancel</button>
</form>
<form method="post" action="login">
`+hiddenField+`<button>Log in as someone else</button>
</form>
`, "query", query.Encode())
	return s.show(http.StatusOK, "Authorize "+asked.client.Name, b.String())
}

// hiddenField is a field of a form that is not shown.
const hiddenField = `<input type="hidden" name="%s" value="%s">` + "\n"

// writeHTML adds HTML to a page, with texts that are escaped.
func writeHTML(b *strings.Builder, format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(b, format, escaped...)
}

// describeScope returns what a scope allows.
func describeScope(scope string) string {
	switch scope {
	case "read":
		return "read the workspace"
	case "write":
		return "change the workspace"
	case "create":
		return "create things in the workspace"
	}
	return "use " + scope
}

// login logs in one of the people, or nobody, and leads back to the authorization
// endpoint.
func (s *oauthServer) login(r *http.Request) (apiReply, error) {
	form, err := oauthFieldsOf(r)
	if err != nil {
		return apiReply{}, err
	}
	query, _ := form.Values["query"].(string)
	id, _ := form.Values["person"].(string)
	cookie := http.Cookie{Name: sessionCookie, HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: -1}
	if id != "" {
		person, ok := s.options.Person(id)
		if !ok || person.Suspended {
			return apiReply{}, apiUnauthorized("Authentication required")
		}
		cookie.Value, cookie.MaxAge = s.Session(id), int(sessionLifetime.Seconds())
	}
	// Both URLs are relative, so that the pages work below a prefix: without a path the
	// cookie goes to where this page is.
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return apiReply{}, oauthInvalid("Invalid query")
	}
	return newAPIReply(http.StatusSeeOther, "", http.Header{
		"Location":   {"authorize?" + parameters.Encode()},
		"Set-Cookie": {cookie.String()},
	}, nil), nil
}

// show returns a page as a response. It may not be framed and loads nothing. A policy
// for forms is not set because some browsers apply it to where the answer to a form
// leads, which is the application.
func (s *oauthServer) show(status int, title, content string) apiReply {
	page := strings.NewReplacer("{title}", html.EscapeString(title), "{team}", html.EscapeString(s.options.Team), "{content}", content).Replace(pageFrame)
	return newAPIReply(status, "text/html; charset=utf-8", http.Header{
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"},
		"X-Frame-Options":         {"DENY"},
		"Cache-Control":           {"no-store"},
		"Referrer-Policy":         {"no-referrer"},
	}, []byte(page))
}

// sessionCookie is the name of the cookie of a user who is logged in. Outline calls
// it accessToken; with this name it cannot collide with another site's cookie.
const sessionCookie = "outline_session"

const sessionLifetime = 90 * 24 * time.Hour

// Session returns the session of a user who has just logged in: the user's ID, the
// time when the session ends, and a signature.
func (s *oauthServer) Session(userID string) string {
	content := userID + "." + strconv.FormatInt(s.options.Now().Add(sessionLifetime).Unix(), 10)
	return content + "." + s.sign(content)
}

// SessionUser returns the ID of the user of a session, if this server issued it and it
// has not ended.
func (s *oauthServer) SessionUser(session string) (userID string, ok bool) {
	content, signature := cutLast(session)
	if !hmac.Equal([]byte(s.sign(content)), []byte(signature)) {
		return "", false
	}
	userID, end := cutLast(content)
	ends, err := strconv.ParseInt(end, 10, 64)
	return userID, err == nil && s.options.Now().Unix() < ends
}

// cutLast cuts a text at its last dot. Without one, after is "".
func cutLast(text string) (before, after string) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		return text, ""
	}
	return text[:i], text[i+1:]
}

// sign returns the signature of a text.
func (s *oauthServer) sign(text string) string {
	mac := hmac.New(sha256.New, s.secret[:])
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// formToken returns what the form of a consent page proves with that the page was
// made for a session.
func (s *oauthServer) formToken(session string) string { return s.sign("form:" + session) }

// loggedIn returns the user whose session a browser has, if any.
func (s *oauthServer) loggedIn(r *http.Request) (p oauthPerson, session string, ok bool) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return oauthPerson{}, "", false
	}
	id, ok := s.SessionUser(cookie.Value)
	if !ok {
		return oauthPerson{}, "", false
	}
	p, ok = s.options.Person(id)
	return p, cookie.Value, ok && !p.Suspended
}

// caller returns the user who makes a request with a session: in the Authorization
// header, as the recordings have it, or in the cookie, and then with a form of a page
// made for it.
func (s *oauthServer) caller(r *http.Request, form *apiFields) (oauthPerson, error) {
	if r.Header.Get("Authorization") == "" {
		person, session, ok := s.loggedIn(r)
		switch given, _ := form.Values["_csrf"].(string); {
		case !ok:
			return oauthPerson{}, apiUnauthorized("Authentication required")
		case !hmac.Equal([]byte(given), []byte(s.formToken(session))):
			return oauthPerson{}, apiDenied("CSRF token invalid or missing") // assumed
		}
		return person, nil
	}
	bearer := apiBearer(r.Header)
	switch {
	case strings.HasPrefix(bearer, accessPrefix):
		if _, _, err := s.Access(bearer); err != nil {
			return oauthPerson{}, err
		}
		s.Used(bearer) // recorded
		fallthrough
	case strings.HasPrefix(bearer, "ol_api_"):
		return oauthPerson{}, apiDenied("Invalid authentication type")
	}
	id, ok := s.SessionUser(bearer)
	person, known := s.options.Person(id)
	switch {
	case bearer == "":
		return oauthPerson{}, apiUnauthorized("Authentication required")
	case !ok, !known:
		return oauthPerson{}, apiUnauthorized("Unable to decode token")
	case person.Suspended:
		return oauthPerson{}, apiDenied("Your access has been suspended by a workspace admin")
	}
	return person, nil
}
