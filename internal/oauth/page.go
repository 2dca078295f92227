package oauth

import (
	"errors"
	"net/http"
)

// forged means that a form or a state was not made for this browser.
func forged() *problem {
	return &problem{status: http.StatusForbidden, code: "access_denied", description: "the request does not belong to a login of this browser", reason: Forged}
}

// stale says why a form or a state does not open.
func stale(err error) *problem {
	if errors.Is(err, ErrExpired) {
		return invalidRequest(Expired, "the page has expired")
	}
	return forged()
}

func denied() *problem {
	return &problem{status: http.StatusOK, code: "access_denied", description: "access was not allowed", reason: Denied}
}

// explain shows a problem to the person. The client is not told: where its answer would go
// is not certain.
func (s *Server) explain(w http.ResponseWriter, r *http.Request, p *problem) {
	s.refused(r, p)
	title, what, next := explanation(p)
	if p.retryAfter != "" {
		w.Header().Set("Retry-After", p.retryAfter)
	}
	status := p.status
	if status == http.StatusUnauthorized {
		status = http.StatusBadRequest // the person has nothing to authenticate with here
	}
	writePage(w, status, title, text(title), "<p>"+text(what)+"</p>\n<p>"+text(next)+"</p>\n")
}

// explanation says what has happened and what to do, in words for the person.
func explanation(p *problem) (title, what, next string) {
	const again = "Go back to the app and connect it again."
	switch p.reason {
	case BadClient:
		if p.status >= http.StatusInternalServerError {
			return "The app can't be checked", "The description that the app publishes about itself can't be fetched.", "Try again in a minute. If that does not help, tell the developer of the app."
		}
		return "Unknown app", "The app has not registered with this server, its registration has expired, or the description that it publishes about itself is not valid.", "In the app, remove the connection to this server and add it again."
	case BadRedirect:
		return "The app's address is not registered", "The app asks for the answer to be sent to an address that it has not registered. Nothing was sent.", "In the app, remove the connection to this server and add it again. If that does not help, tell the developer of the app."
	case Forged:
		return "This login can't be continued", "It was started in another browser, is already complete, or your browser blocks cookies. The app did not get access.", again
	case Expired:
		return "This page has expired", "You have ten minutes to complete a login. The app did not get access.", again
	case Denied:
		return "Access denied", "The app did not get access.", "You can close this page."
	}
	return "This request is not valid", "Something is wrong with the link or the form: " + p.description + ".", again
}
