package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/oauth2"
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
	if !from.AllowsRedirect(redirect) || LeadsTo(redirect, Callback(s.options.PublicURL)) {
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
		return badRequest("unsupported_response_type", BadRequest, "response_type must be code")
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
// lead to a client's address without the user's doing: this server would be an open
// redirector (RFC 9700, section 4.11.2).
func (s *Server) sendBack(w http.ResponseWriter, r *http.Request, to Client, asked request, p *problem) {
	s.refused(r, p)
	back := s.answer(asked, url.Values{"error": {p.code}, "error_description": {p.description}})
	if to.Source == BuiltIn || to.Source == Configured {
		http.Redirect(w, r, back, http.StatusFound)
		return
	}
	place, _ := Destination(asked.Redirect)
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

// decide takes the user's answer from the consent page, and leads to Outline if they
// allow it.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	if !s.ownPage(r) {
		s.explain(w, r, forgedProblem())
		return
	}
	given, problem := form(w, r)
	if problem != nil {
		s.explain(w, r, problem)
		return
	}
	asked, err := s.values.consent.open(given.get("request"))
	if err != nil {
		s.explain(w, r, staleProblem(err))
		return
	}
	switch given.get("decision") {
	case "allow":
	case "deny":
		s.refused(r, deniedProblem())
		http.Redirect(w, r, s.answer(asked, url.Values{"error": {"access_denied"}}), http.StatusSeeOther)
		return
	default:
		s.explain(w, r, invalidRequest(BadRequest, "decision must be allow or deny"))
		return
	}
	if given.get("scope") == string(Read) {
		asked.Scope = Read
	}
	asked.expiry = s.expires(loginLifetime)
	started := login{asked, rand.Text(), oauth2.GenerateVerifier()}
	http.SetCookie(w, s.cookie(started.Nonce, int(loginLifetime.Seconds())))
	http.Redirect(w, r, s.outline.page(s.outlineScope(asked.Scope), s.values.state.seal(started), started.Verifier), http.StatusSeeOther)
}

// ownPage reports whether the browser says that a form was sent from a page of this
// server. Safari before 16.4 does not send Sec-Fetch-Site; browsers send Origin: null
// instead of the origin if privacy settings say so.
func (s *Server) ownPage(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin != "" && origin != "null" {
		return origin == s.options.PublicURL
	}
	return r.Header.Get("Sec-Fetch-Site") == "same-origin"
}

// cookie returns the cookie that binds a login to the browser that began it, or removes it
// if age, in seconds, is negative. It has to be sent when Outline leads back, so SameSite
// is Lax.
func (s *Server) cookie(nonce string, age int) *http.Cookie {
	return &http.Cookie{Name: s.cookieName(nonce), Value: nonce, Path: "/", MaxAge: age, Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

// cookieName differs from login to login, so that several can be in progress. With
// __Host-, no other host can set the cookie; browsers want https for it, which a server on
// a loopback host does not have.
func (s *Server) cookieName(nonce string) string {
	name := "outline-mcp-login-" + nonce[:min(6, len(nonce))]
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// Callback returns the redirect URI of a server's application in Outline, by the public
// URL of the server.
func Callback(publicURL string) string { return publicURL + callbackPath }

// finish takes what Outline answers, and leads back to the client. It does not exchange
// Outline's code: only the client can prove that it began the login.
func (s *Server) finish(w http.ResponseWriter, r *http.Request) {
	given, problem := parse(r.URL.RawQuery)
	if problem != nil {
		s.explain(w, r, problem)
		return
	}
	if given.get("state") == "" && given.get("error") != "" { // Outline's Cancel leaves it out
		s.explain(w, r, deniedProblem())
		return
	}
	started, err := s.values.state.open(given.get("state"))
	if err != nil {
		s.explain(w, r, staleProblem(err))
		return
	}
	cookie, err := r.Cookie(s.cookieName(started.Nonce))
	if err != nil || !equal(cookie.Value, started.Nonce) {
		s.explain(w, r, forgedProblem())
		return
	}
	http.SetCookie(w, s.cookie(started.Nonce, -1))
	if given.get("code") == "" {
		refusal := outlineRefusal(given.get("error"))
		s.refused(r, refusal)
		http.Redirect(w, r, s.answer(started.request, url.Values{"error": {refusal.code}}), http.StatusFound)
		return
	}
	issued := s.values.code.seal(code{
		expiry: s.expires(codeLifetime), Client: started.Client, Redirect: started.Redirect, Challenge: started.Challenge,
		Scope: started.Scope, Code: given.get("code"), Verifier: started.Verifier,
		Network: markOf(s.options.Address(r)),
	})
	http.Redirect(w, r, s.answer(started.request, url.Values{"code": {issued}}), http.StatusFound)
}

// outlineRefusal returns what to tell the client when Outline leads back with an error.
func outlineRefusal(code string) *problem {
	switch code {
	case "access_denied":
		return deniedProblem()
	case "temporarily_unavailable":
		return &problem{status: http.StatusServiceUnavailable, code: code, reason: OutlineDown}
	}
	return &problem{status: http.StatusInternalServerError, code: "server_error", reason: Misconfigured}
}

// challengePattern is that of S256 challenges: a SHA-256 in base64 (RFC 7636, section 4.2).
var challengePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`) })

// verifierPattern is that of RFC 7636, section 4.1.
var verifierPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`) })

// proves reports whether a verifier is the one of an S256 challenge.
func proves(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifierPattern().MatchString(verifier) && equal(made, challenge)
}

// equal compares in a time that depends on the lengths only.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// markOf returns a short text that stands for a client ID, which can be long.
func markOf(clientID string) string {
	sum := sha256.Sum256([]byte(clientID))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// find returns the client of an ID. The problem is invalid_client if the ID is
// unknown, and others if the client's metadata document is not usable.
func (s *Server) find(ctx context.Context, id string) (Client, *problem) {
	switch {
	case id == ConfiguredClient && len(s.options.Redirects) > 0:
		return Client{ID: id, RedirectURIs: s.options.Redirects, Source: Configured}, nil
	case IsDocumentID(id) && s.options.Documents != nil:
		found, err := s.options.Documents.Client(ctx, id)
		if err != nil {
			return Client{}, asProblem(err)
		}
		return found, nil
	}
	known, err := s.values.client.open(id)
	if err != nil {
		return Client{}, invalidClient()
	}
	return Client{ID: id, Name: known.Name, RedirectURIs: known.Redirects, Source: RegisteredClient}, nil
}

// isKnown reports whether a client ID is one that find would find, as far as that can be
// said without fetching anything. Codes and tokens say which client they are for.
func (s *Server) isKnown(id string) bool {
	if IsDocumentID(id) {
		return s.options.Documents != nil
	}
	_, problem := s.find(context.Background(), id)
	return problem == nil
}
