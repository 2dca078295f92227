package oauth

import (
	_ "embed" // the frame of the pages
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"outline-mcp/internal/workspace/api"
)

// frame is a page without its title, the name of the team, and its content. The package
// html/template is not used because it makes the linker keep 3 MB of methods.
//
//go:embed page.html
var frame string

// page answers the authorization endpoint for a browser: with the login, or with the
// question for consent if the person is logged in.
func (s *Server) page(r *http.Request) api.Reply {
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
	write(&b, "<p>No password is needed in this workspace. Who are you?</p>\n")
	write(&b, `<form method="post" action="login" class="people">`+"\n"+hidden, "query", r.URL.RawQuery)
	for _, person := range s.options.People() {
		write(&b, `<button name="person" value="%s">%s (%s)</button>`+"\n", person.ID, person.Name, person.Role)
	}
	write(&b, "</form>\n")
	return s.show(http.StatusOK, "Log in", b.String())
}

// problem returns the page for a request that cannot be authorized.
func (s *Server) problem(err error) api.Reply {
	var b strings.Builder
	write(&b, `<p role="alert">%s</p>`+"\n<p>Go back to the application and start again.</p>\n", err.Error())
	return s.show(api.ErrorOf(err).Status, "This request cannot be authorized", b.String())
}

// consent returns the page that asks a person for consent.
func (s *Server) consent(asked authorization, query url.Values, person Person, token string) api.Reply {
	var b strings.Builder
	write(&b, "<p><strong>%s</strong> asks for access as <strong>%s</strong>. It will be able to:</p>\n<ul>\n", asked.client.Name, person.Name)
	for _, scope := range asked.scopes {
		write(&b, "<li>%s</li>\n", describe(scope))
	}
	write(&b, "</ul>\n<p>You will be sent to %s</p>\n"+`<form method="post" action="authorize">`+"\n", asked.redirect)
	for _, name := range []string{"client_id", "redirect_uri", "response_type", "state", "scope", "code_challenge", "code_challenge_method"} {
		if query.Has(name) {
			write(&b, hidden, name, query.Get(name))
		}
	}
	write(&b, hidden, "_csrf", token)
	write(&b, `<button name="decision" value="authorize">Authorize</button>
<button name="decision" value="cancel">Cancel</button>
</form>
<form method="post" action="login">
`+hidden+`<button>Log in as someone else</button>
</form>
`, "query", query.Encode())
	return s.show(http.StatusOK, "Authorize "+asked.client.Name, b.String())
}

// hidden is a field of a form that is not shown.
const hidden = `<input type="hidden" name="%s" value="%s">` + "\n"

// write adds HTML to a page, with texts that are escaped.
func write(b *strings.Builder, format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, text := range texts {
		escaped[i] = html.EscapeString(text)
	}
	fmt.Fprintf(b, format, escaped...)
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

// show returns a page as a response. It may not be framed and loads nothing. A policy
// for forms is not set because some browsers apply it to where the answer to a form
// leads, which is the application.
func (s *Server) show(status int, title, content string) api.Reply {
	page := strings.NewReplacer("{title}", html.EscapeString(title), "{team}", html.EscapeString(s.options.Team), "{content}", content).Replace(frame)
	return api.NewReply(status, "text/html; charset=utf-8", http.Header{
		"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"},
		"X-Frame-Options":         {"DENY"},
		"Cache-Control":           {"no-store"},
		"Referrer-Policy":         {"no-referrer"},
	}, []byte(page))
}
