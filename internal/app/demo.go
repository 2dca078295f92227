package app

import (
	"net/http"
	"sync"
	"time"

	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/oauth"
)

// An embedded returns the workspace of the demo. Its first call loads the sample, for which
// the answer to initialize does not have to wait.
type embedded func() *fakeoutline.Workspace

// newEmbedded returns a workspace in which people can log in to a server with these
// settings. The sample is part of the program, so the settings cannot make it fail to load.
func newEmbedded(c config.Config) embedded {
	return sync.OnceValue(func() *fakeoutline.Workspace {
		demo, err := fakeoutline.New(fakeoutline.Options{Answers: true, OAuth: fakeoutline.Application{
			ClientID: fakeoutline.ClientID, Secret: fakeoutline.ClientSecret, Redirects: []string{oauth.Callback(c.PublicURL)},
		}})
		if err != nil {
			panic("load the sample workspace: " + err.Error())
		}
		return demo
	})
}

// RoundTrip implements http.RoundTripper.
func (e embedded) RoundTrip(r *http.Request) (*http.Response, error) {
	return e().Transport().RoundTrip(r)
}

// login serves the pages with which a person logs in to the workspace.
func (e embedded) login(w http.ResponseWriter, r *http.Request) { e().LoginHandler().ServeHTTP(w, r) }

func (e embedded) now() time.Time { return e().Now() }
