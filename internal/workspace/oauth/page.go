package oauth

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"

	"outline-mcp/internal/workspace/api"
)

//go:embed page.html
var pageText string

// A page is what the one template shows: a problem, the people to log in as, or the
// question for consent.
type page struct {
	Title, Team string
	Query       string // of the authorization endpoint
	Problem     string
	People      []Person
	Consent     *consent
}

type consent struct {
	Client, Person, Redirect string
	Scopes                   []string
	Fields                   []field
}

type field struct{ Name, Value string }

// page answers the authorization endpoint for a browser: with the login, or with the
// question for consent if the person is logged in.
func (s *Server) page(r *http.Request) api.Reply {
	team, _ := s.options.Team()
	shown := page{Title: "Log in", Team: team, Query: r.URL.RawQuery}
	query := r.URL.Query()
	if scope := query.Get("scope"); scope == "" || scope == "claudeai" {
		query.Set("scope", "read write") // as Outline's page does
	}
	asked, err := s.asked(query.Get)
	if err != nil {
		shown.Title, shown.Problem = "This request cannot be authorized", err.Error()
		return shown.reply(api.ErrorOf(err).Status)
	}
	person, session, ok := s.loggedIn(r)
	if !ok {
		shown.People = s.options.People()
		return shown.reply(http.StatusOK)
	}
	shown.Title = "Authorize " + asked.client.Name
	shown.Consent = &consent{
		Client: asked.client.Name, Person: person.Name, Redirect: asked.redirect, Fields: []field{{"_csrf", s.formToken(session)}},
	}
	for _, scope := range asked.scopes {
		shown.Consent.Scopes = append(shown.Consent.Scopes, describe(scope))
	}
	for _, name := range []string{"client_id", "redirect_uri", "response_type", "state", "scope", "code_challenge", "code_challenge_method"} {
		if query.Has(name) {
			shown.Consent.Fields = append(shown.Consent.Fields, field{name, query.Get(name)})
		}
	}
	return shown.reply(http.StatusOK)
}

// describe returns what a scope allows.
func describe(scope string) string {
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
func (s *Server) login(r *http.Request) (api.Reply, error) {
	form, err := fieldsOf(r)
	if err != nil {
		return api.Reply{}, err
	}
	query, _ := form.Values["query"].(string)
	id, _ := form.Values["person"].(string)
	cookie := http.Cookie{Name: sessionCookie, HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: -1}
	if id != "" {
		person, ok := s.options.Person(id)
		if !ok || person.Suspended {
			return api.Reply{}, api.Unauthorized("Authentication required")
		}
		cookie.Value, cookie.MaxAge = s.Session(id), int(sessionLifetime.Seconds())
	}
	// Both URLs are relative, so that the pages work below a prefix: without a path the
	// cookie goes to where this page is.
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return api.Reply{}, invalid("Invalid query")
	}
	return api.NewReply(http.StatusSeeOther, "", http.Header{
		"Location":   {"authorize?" + parameters.Encode()},
		"Set-Cookie": {cookie.String()},
	}, nil), nil
}

// reply returns the page as a response. It may not be framed and loads nothing. A
// policy for forms is not set because some browsers apply it to where the answer to a
// form leads, which is the application.
func (p page) reply(status int) api.Reply {
	var b bytes.Buffer
	// Parsed here, because a server without visitors should not pay for it.
	if err := template.Must(template.New("page").Parse(pageText)).Execute(&b, p); err != nil {
		panic("oauth: " + err.Error()) // a buffer does not fail, and the template fits the page
	}
	header := http.Header{
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"},
		"X-Frame-Options":         {"DENY"},
		"Cache-Control":           {"no-store"},
		"Referrer-Policy":         {"no-referrer"},
	}
	return api.NewReply(status, "text/html; charset=utf-8", header, b.Bytes())
}
