package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"outline-mcp/internal/workspace/api"
)

// sessionCookie is the name of the cookie of a person who is logged in. Outline calls
// it accessToken; with this name it cannot meet another site's.
const sessionCookie = "outline_session"

const sessionLifetime = 90 * 24 * time.Hour

// sessionHead is the first part of a session: a JSON Web Token, like Outline's.
var sessionHead = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))

type sessionClaims struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Expires time.Time `json:"expiresAt"`
}

// Session returns the session of a person who has just logged in.
func (s *Server) Session(userID string) string {
	claims, err := json.Marshal(sessionClaims{userID, "session", s.options.Now().Add(sessionLifetime)})
	if err != nil {
		panic("oauth: " + err.Error()) // the claims can always be encoded
	}
	content := sessionHead + "." + base64.RawURLEncoding.EncodeToString(claims)
	return content + "." + s.sign(content)
}

// SessionUser returns the ID of the person of a session, if it is one of this server
// and valid.
func (s *Server) SessionUser(session string) (userID string, ok bool) {
	dot := strings.LastIndexByte(session, '.')
	if dot < 0 || !hmac.Equal([]byte(s.sign(session[:dot])), []byte(session[dot+1:])) {
		return "", false
	}
	_, encoded, _ := strings.Cut(session[:dot], ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	var claims sessionClaims
	if err != nil || json.Unmarshal(text, &claims) != nil {
		return "", false
	}
	return claims.ID, claims.Type == "session" && s.options.Now().Before(claims.Expires)
}

// sign returns the signature of a text.
func (s *Server) sign(text string) string {
	mac := hmac.New(sha256.New, s.secret[:])
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// formToken returns what the form of a consent page proves with that the page was
// made for a session.
func (s *Server) formToken(session string) string { return s.sign("form:" + session) }

// loggedIn returns the person whose session a browser has, if any.
func (s *Server) loggedIn(r *http.Request) (p Person, session string, ok bool) {
	cookie, err := r.Cookie(sessionCookie)
	if err != nil {
		return Person{}, "", false
	}
	id, ok := s.SessionUser(cookie.Value)
	if !ok {
		return Person{}, "", false
	}
	p, ok = s.options.Person(id)
	return p, cookie.Value, ok && !p.Suspended
}

// caller returns the person who makes a request with a session: in the Authorization
// header, as the recordings have it, or in the cookie, and then with a form of a page
// made for it.
func (s *Server) caller(r *http.Request, form *api.Fields) (Person, error) {
	if r.Header.Get("Authorization") == "" {
		person, session, ok := s.loggedIn(r)
		switch given, _ := form.Values["_csrf"].(string); {
		case !ok:
			return Person{}, api.Unauthorized("Authentication required")
		case !hmac.Equal([]byte(given), []byte(s.formToken(session))):
			return Person{}, api.Denied("CSRF token invalid or missing") // assumed
		}
		return person, nil
	}
	bearer := api.Bearer(r.Header)
	switch {
	case strings.HasPrefix(bearer, AccessPrefix):
		if _, _, err := s.Access(bearer); err != nil {
			return Person{}, err
		}
		s.Used(bearer) // recorded
		fallthrough
	case strings.HasPrefix(bearer, "ol_api_"):
		return Person{}, api.Denied("Invalid authentication type")
	}
	id, ok := s.SessionUser(bearer)
	person, known := s.options.Person(id)
	switch {
	case bearer == "":
		return Person{}, api.Unauthorized("Authentication required")
	case !ok, !known:
		return Person{}, api.Unauthorized("Unable to decode token")
	case person.Suspended:
		return Person{}, api.Denied("Your access has been suspended by a workspace admin")
	}
	return person, nil
}
