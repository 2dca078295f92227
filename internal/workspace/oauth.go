package workspace

import (
	"fmt"
	"net/http"

	"outline-mcp/internal/workspace/oauth"
)

// The application of [Options.OAuth] in the demo.
const (
	ClientID     = "demo0outline0mcp0app"
	ClientSecret = "ol_sk_demo_outline_mcp"
)

// An Application is a confidential OAuth client, as an admin makes it in Outline's
// settings. The zero value is none.
type Application struct {
	ClientID, Secret string
	Redirects        []string // the redirect URIs, compared letter for letter
}

// newOAuth returns the authorization server of a store.
func newOAuth(s *store, opts Options) *oauth.Server {
	person := func(u *User) oauth.Person {
		return oauth.Person{ID: u.ID, Name: u.Name, Role: string(u.Role), Suspended: u.Suspended}
	}
	server := oauth.New(oauth.Options{
		Now: s.now,
		Person: func(id string) (oauth.Person, bool) {
			s.mu.RLock()
			defer s.mu.RUnlock()
			u, ok := s.user(id)
			if !ok {
				return oauth.Person{}, false
			}
			return person(u), true
		},
		People: func() []oauth.Person {
			s.mu.RLock()
			defer s.mu.RUnlock()
			var list []oauth.Person
			for _, id := range s.userIDs {
				if u := s.users[id]; !u.Suspended {
					list = append(list, person(u))
				}
			}
			return list
		},
		Team:         s.team.Name,
		Registration: s.features.registration, DetectReuse: s.features.reuse, TokenLifetime: opts.TokenLifetime,
	})
	if app := opts.OAuth; app.ClientID != "" {
		server.Add(oauth.Client{ClientID: app.ClientID, Secret: app.Secret, Name: "outline-mcp", Redirects: app.Redirects})
	}
	return server
}

// LoginHandler returns a handler of what a person's browser visits to log in:
// /oauth/authorize and /oauth/login. It can be mounted below a prefix:
//
//	mux.Handle("/demo/outline/", http.StripPrefix("/demo/outline", w.LoginHandler()))
//
// Everything else of the authorization server can then remain within the process,
// with [Workspace.Transport].
func (w *Workspace) LoginHandler() http.Handler { return w.oauth.LoginHandler() }

// Session returns a session of the owner of an API key, as if the person had just
// logged in. As a Bearer token, it takes the place of the cookie of a browser:
// a POST of the parameters of an authorization to /oauth/authorize with it is the
// click on Authorize.
func (w *Workspace) Session(key string) (string, error) {
	w.store.mu.RLock()
	defer w.store.mu.RUnlock()
	k, ok := w.store.key(key)
	if !ok {
		return "", fmt.Errorf("workspace: session: unknown API key")
	}
	return w.oauth.Session(k.UserID), nil
}
