package oauth

import (
	"crypto/rand"
	"net/http"
	"net/url"

	"golang.org/x/oauth2"
)

// decide takes the person's answer from the consent page, and leads to Outline if they
// allow it.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	if !s.ownPage(r) {
		s.explain(w, r, forged())
		return
	}
	given, problem := form(w, r)
	if problem != nil {
		s.explain(w, r, problem)
		return
	}
	asked, err := s.values.consent.open(given.get("request"))
	if err != nil {
		s.explain(w, r, stale(err))
		return
	}
	switch given.get("decision") {
	case "allow":
	case "deny":
		s.refused(r, denied())
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
