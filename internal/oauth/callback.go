package oauth

import (
	"net/http"
	"net/url"
)

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
		s.explain(w, r, denied())
		return
	}
	started, err := s.values.state.open(given.get("state"))
	if err != nil {
		s.explain(w, r, stale(err))
		return
	}
	cookie, err := r.Cookie(s.cookieName(started.Nonce))
	if err != nil || !equal(cookie.Value, started.Nonce) {
		s.explain(w, r, forged())
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
	})
	http.Redirect(w, r, s.answer(started.request, url.Values{"code": {issued}}), http.StatusFound)
}

// outlineRefusal returns what to tell the client when Outline leads back with an error.
func outlineRefusal(code string) *problem {
	switch code {
	case "access_denied":
		return denied()
	case "temporarily_unavailable":
		return &problem{status: http.StatusServiceUnavailable, code: code, reason: OutlineDown}
	}
	return &problem{status: http.StatusInternalServerError, code: "server_error", reason: Misconfigured}
}
