package oauth_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/oauth"
)

const (
	secret   = "a secret of at least thirty-two bytes"
	redirect = "https://claude.ai/api/mcp/auth_callback"
	verifier = "a-verifier-that-has-at-least-forty-three-characters"
)

// A wiki is an Outline, a public URL, and the servers behind it.
type wiki struct {
	t       *testing.T
	outline *fakeoutline.Workspace
	public  *httptest.Server
	// servers answer in turn, as behind a load balancer.
	servers []*oauth.Server

	mu     sync.Mutex
	now    time.Time
	turn   int
	fault  func(*http.Request) (*http.Response, error) // of Outline; nil for none
	asked  []string                                    // paths that Outline was asked for
	events []oauth.Event
	log    bytes.Buffer
}

// newWiki returns a wiki with as many servers as there are functions, each of which
// can change the options of its server.
func newWiki(t *testing.T, changes ...func(*oauth.Options)) *wiki {
	t.Helper()
	w := &wiki{t: t, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	w.public = httptest.NewTLSServer(w)
	t.Cleanup(w.public.Close)
	var err error
	w.outline, err = fakeoutline.New(fakeoutline.Options{Now: w.clock, OAuth: fakeoutline.Application{
		ClientID: fakeoutline.ClientID, Secret: fakeoutline.ClientSecret, Redirects: []string{w.public.URL + "/oauth/callback"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) == 0 {
		changes = []func(*oauth.Options){func(*oauth.Options) {}}
	}
	for _, change := range changes {
		w.servers = append(w.servers, w.newServer(change))
	}
	return w
}

func (w *wiki) newServer(change func(*oauth.Options)) *oauth.Server {
	o := oauth.Options{
		PublicURL: w.public.URL, Path: "/mcp", Secret: secret, Now: w.clock,
		Outline: oauth.Outline{Origin: "https://wiki.example.com", ClientID: fakeoutline.ClientID, ClientSecret: fakeoutline.ClientSecret, Transport: w},
		Log:     slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observe: func(e oauth.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	change(&o)
	return oauth.New(o)
}

// Write takes the log.
func (w *wiki) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(line)
}

func (w *wiki) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass lets time pass.
func (w *wiki) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// breakOutline lets Outline answer differently; nil and nil mean as usual.
func (w *wiki) breakOutline(fault func(*http.Request) (*http.Response, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = fault
}

// ServeHTTP is the public URL.
func (w *wiki) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	server := w.servers[w.turn%len(w.servers)]
	w.turn++
	w.mu.Unlock()
	server.ServeHTTP(rw, r)
}

// RoundTrip is the way to Outline.
func (w *wiki) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	fault := w.fault
	w.asked = append(w.asked, r.URL.Path)
	w.mu.Unlock()
	if fault != nil {
		if answer, err := fault(r); answer != nil || err != nil {
			return answer, err
		}
	}
	return w.outline.Transport().RoundTrip(r)
}

// askedFor returns how often Outline was asked for a path.
func (w *wiki) askedFor(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Count(strings.Join(w.asked, "\n")+"\n", path+"\n")
}

// last returns the last event.
func (w *wiki) last() oauth.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.events) == 0 {
		return oauth.Event{}
	}
	return w.events[len(w.events)-1]
}

// answer returns an answer of Outline, or of what is in front of it.
func answer(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"17"}}, Body: io.NopCloser(strings.NewReader(body))}
}

// works reports whether Outline accepts the token in an access token.
func (w *wiki) works(access string) bool {
	w.t.Helper()
	grant, err := w.servers[0].Open(access)
	if err != nil {
		return false
	}
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, "https://wiki.example.com/api/auth.info", strings.NewReader("{}"))
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+string(grant.Token))
	response, err := w.outline.Transport().RoundTrip(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}
