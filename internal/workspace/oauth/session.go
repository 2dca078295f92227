package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"outline-mcp/internal/workspace/api"
)

// sessionCookie is the name of the cookie of a user who is logged in. Outline calls
// it accessToken; with this name it cannot collide with another site's cookie.
const sessionCookie = "outline_session"

const sessionLifetime = 90 * 24 * time.Hour

// Session returns the session of a user who has just logged in: the user's ID, the
// time when the session ends, and a signature.
func (s *Server) Session(userID string) string {
	content := userID + "." + strconv.FormatInt(s.options.Now().Add(sessionLifetime).Unix(), 10)
	return content + "." + s.sign(content)
}

// SessionUser returns the ID of the user of a session, if this server issued it and it
// has not ended.
func (s *Server) SessionUser(session string) (userID string, ok bool) {
	content, signature, _ := cutLast(session)
	if !hmac.Equal([]byte(s.sign(content)), []byte(signature)) {
		return "", false
	}
	userID, end, _ := cutLast(content)
	ends, err := strconv.ParseInt(end, 10, 64)
	return userID, err == nil && s.options.Now().Unix() < ends
}

// cutLast cuts a text at its last dot.
func cutLast(text string) (before, after string, found bool) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+1:], true
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
