package oauth

import (
	"net/http"
	"net/url"
	"strings"

	"outline-mcp/internal/oauth/client"
)

// maxState limits the client's state, in bytes: it has to fit into URLs, sealed twice.
const maxState = 2048

// authorize shows the consent page for an authorization request (RFC 6749, section
// 4.1.1).
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	asked, problem := parse(r.URL.RawQuery)
	if problem != nil {
		s.explain(w, r, problem)
		return
	}
	from, problem := s.find(r.Context(), asked.get("client_id"))
	if problem != nil {
		s.explain(w, r, problem)
		return
	}
	// Without a client and a redirect URI of it, an answer could go anywhere.
	redirect := asked.get("redirect_uri")
	if !from.AllowsRedirect(redirect) || client.LeadsTo(redirect, Callback(s.options.PublicURL)) {
		s.explain(w, r, invalidRequest(BadRedirect, "redirect_uri is missing or not one that the app has registered"))
		return
	}
	if problem := s.check(asked); problem != nil {
		s.sendBack(w, r, from, request{Redirect: redirect, State: usable(asked.get("state"))}, problem)
		return
	}
	s.ask(w, from, request{
		expiry: s.expires(loginLifetime), Client: markOf(from.ID), Redirect: redirect, State: asked.get("state"),
		Challenge: asked.get("code_challenge"), Scope: s.scopeOf(asked.get("scope")),
	})
}

// check returns what is wrong with a request for which the client can be told.
func (s *Server) check(asked parameters) *problem {
	switch {
	case asked.get("response_type") != "code":
		p := invalidRequest(BadRequest, "response_type must be code")
		p.code = "unsupported_response_type"
		return p
	case asked.get("code_challenge") == "" || asked.get("code_challenge_method") != "S256":
		return invalidRequest(BadChallenge, "PKCE with code_challenge_method S256 is required")
	case !challengePattern().MatchString(asked.get("code_challenge")):
		return invalidRequest(BadChallenge, "code_challenge is not an S256 challenge")
	case usable(asked.get("state")) != asked.get("state"):
		return invalidRequest(BadRequest, "state is too long, or has characters that are not printable ASCII")
	case !s.isFor(asked):
		return invalidTarget()
	}
	return nil
}

// usable returns the state, or "" if it cannot be sent back as it is: it is too long, or not
// what RFC 6749, appendix A.5, allows.
func usable(state string) string {
	if len(state) > maxState || strings.ContainsFunc(state, func(r rune) bool { return r < ' ' || r > '~' }) {
		return ""
	}
	return state
}

// sendBack tells the client of a problem. Anyone can register a client, so it does not
// lead to a client's address without the person's doing: this server would be an open
// redirector (RFC 9700, section 4.11.2).
func (s *Server) sendBack(w http.ResponseWriter, r *http.Request, to client.Client, asked request, p *problem) {
	s.refused(r, p)
	back := s.answer(asked, url.Values{"error": {p.code}, "error_description": {p.description}})
	if to.Source == client.BuiltIn || to.Source == client.Configured {
		http.Redirect(w, r, back, http.StatusFound)
		return
	}
	place, _ := client.Destination(asked.Redirect)
	const title = "The app made a mistake"
	writePage(w, p.status, title, title, "<p>The app sent an invalid request: "+text(p.description)+". It did not get access.</p>\n<p>Tell the developer of the app.</p>\n"+
		`<p><a href="`+text(back)+`">Go back to `+host(place)+"</a></p>\n")
}

// answer returns the URL that leads back to the client: its redirect URI with what is
// given, its state and the issuer (RFC 9207).
func (s *Server) answer(asked request, with url.Values) string {
	if asked.State != "" {
		with.Set("state", asked.State)
	}
	with.Set("iss", s.options.PublicURL)
	separator := "?"
	if strings.Contains(asked.Redirect, "?") {
		separator = "&"
	}
	return asked.Redirect + separator + with.Encode()
}
