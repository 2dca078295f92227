// Package fakeoutline is an Outline knowledge base in memory: an [http.Handler]
// that answers Outline's API with the status codes, error messages, JSON keys,
// paging, search and permissions of the Outline of August 2026, which calls itself
// 1.9.1, or of a release up to 1.9.2 (release.go).
//
// Like Outline, it stores documents as trees: edits change the tree, and the text
// is serialized from it (document.go).
//
// [New] returns a workspace with sample content, [Empty] one with given
// content. Behavior that a comment calls recorded was observed on a running
// Outline; the exchanges are in test/fixtures/recorded and the tests replay them.
//
// [Workspace.ServeHTTP] and [Workspace.Transport] read a request with
// [newAPIRequest], authenticate its caller, look up its method in the table in
// endpoints.go, and write the answer of the endpoint. The state is in store.go,
// and each resource of the API has its own files. Every change of a document
// goes through the store's change, revise and save methods; places.go keeps the order
// of documents, and revisions.go their revisions.
//
// The workspace is an OAuth authorization server, too, like Outline
// (oauth_server.go). [Options.OAuth] names an application that can ask people to log in,
// admins make others with oauthClients.create, and clients register themselves. There
// are three ways to it:
//
//   - [Workspace.Transport] for an application in the same process. A test that has
//     no browser logs in by a POST to /oauth/authorize with a [Workspace.Session].
//   - [Workspace.ServeHTTP] on its own port, for an application and a browser.
//   - [Workspace.LoginHandler] for a browser alone, below a prefix of a server
//     whose application uses the transport.
//
// The files that begin with api have the form of Outline's API: how a request carries its
// fields and its page, and how answers and errors are written. Those that begin with oauth
// have the authorization server.
package fakeoutline

import (
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// BaseURL is the base URL of the API for clients that use
// [Workspace.Transport]. Its host name cannot be resolved because the top-level
// domain .invalid is reserved (RFC 6761).
const BaseURL = "http://outline.demo.invalid/api"

// The API keys of a workspace from [New]. In addition, "ol_api_demo_user_N", with
// a number N of up to twelve digits, is the key of a separate member for each N,
// and "ol_api_demo_expired" is an expired key.
const (
	AdminKey  = "ol_api_demo_admin"  // an admin
	MemberKey = "ol_api_demo_member" // a member
	ViewerKey = "ol_api_demo_viewer" // a viewer, who can only read
	ScopedKey = "ol_api_demo_scoped" // the member, limited to documents:read and collections:read
)

// Options are the settings of a workspace. The zero value answers without delay
// and uses time.Now.
type Options struct {
	// Latency delays each answer. The delay starts after the request has
	// taken effect, so a client that gives up does not undo a change.
	Latency time.Duration

	// RateLimit limits requests to the API.
	RateLimit RateLimit

	// Now is the workspace's clock; nil means time.Now or, with the sample
	// content, a clock that starts at [SampleDay].
	Now func() time.Time

	// Answers adds documents.answerQuestion, as in the editions of Outline with
	// AI.
	Answers bool

	// Release is the release of Outline to play; "" is the newest source.
	Release Release

	// UpdateTime is the time that documents.update, and documents.restore with a
	// revision, take between reading the document and saving it. No version keeps
	// others from saving it meanwhile; see documentsUpdate. In releases, documents.create
	// takes as long, and fails beside another one in the same collection.
	UpdateTime time.Duration

	// BeforeSave is called at the end of that time, with the ID of the user whose
	// request it is. Requests that it makes come between reading and saving; nil
	// disables it.
	BeforeSave func(userID string)

	// ShuffleTies lists documents with equal sort keys in another order in each request, as
	// PostgreSQL may. Otherwise, their IDs decide. A client that pages through such a list
	// without an order of its own repeats some documents and omits others.
	ShuffleTies bool

	// NoRevisionCheck makes documents.update ignore lastRevision and nothing else.
	// NoPatches makes it ignore that and reject the edit mode patch, as servers before
	// 1.7 do.
	NoRevisionCheck, NoPatches bool

	// NoTree makes the workspace ignore the version of the API that a request
	// asks for, like servers that send only texts.
	NoTree bool

	// PublishTime is the time after which the revision number of a document of
	// which a revision was written, as when it is published, is raised again.
	// Outline takes up to half a second. 0 raises it with the next request that
	// reads, whatever the time.
	PublishTime time.Duration

	// RevisionTime is the time that a revision takes to be written, which holds
	// what the document holds then. Outline takes up to a second.
	RevisionTime time.Duration

	// OAuth is an application that people can log in to from the start.
	OAuth Application

	// NoRegistration keeps OAuth clients from registering themselves, as a team can.
	NoRegistration bool

	// TokenLifetime is how long OAuth access tokens are valid. Zero means an hour.
	TokenLifetime time.Duration
}

// A Workspace is an Outline in memory. It is an [http.Handler] for the paths
// below /api/, /oauth/ and /.well-known/, and is safe for concurrent use.
type Workspace struct {
	latency   time.Duration
	endpoints map[string]endpoint
	store     *store
	oauth     *oauthServer
	noTree    bool
	limits    *rateLimiter
}

// Empty returns a workspace with the content of a seed and nothing else, not
// even the demo keys. It fails if the seed is inconsistent, as with a document
// in an unknown collection.
func Empty(opts Options, seed Seed) (*Workspace, error) {
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	s := newStore(now)
	var err error
	if s.features, err = opts.Release.features(); err != nil {
		return nil, err
	}
	s.features.patch = s.features.patch && !opts.NoPatches
	s.features.registration = !opts.NoRegistration
	if opts.NoRevisionCheck || opts.NoPatches {
		s.features.revisionCheck = false
	}
	s.updateTime, s.beforeSave, s.shuffleTies = opts.UpdateTime, opts.BeforeSave, opts.ShuffleTies
	if err := s.load(seed); err != nil {
		return nil, err
	}
	s.oauth = newOAuth(s, opts)
	table := endpoints()
	if opts.Answers {
		table["documents.answerQuestion"] = endpoint{run: with((*store).documentsAnswerQuestion)}
	}
	s.publications.after = opts.PublishTime
	s.history.delay = opts.RevisionTime
	return &Workspace{latency: opts.Latency, endpoints: table, store: s, oauth: s.oauth, noTree: opts.NoTree, limits: newRateLimiter(opts.RateLimit)}, nil
}

// Now returns the time by the clock of the workspace.
func (w *Workspace) Now() time.Time { return w.store.now() }

// ServeHTTP answers a request to the API or to the authorization server.
func (w *Workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	reply := w.answer(r)
	if w.wait(r.Context()) != nil {
		// Returning would send an empty 200.
		panic(http.ErrAbortHandler)
	}
	header := rw.Header()
	for name, values := range reply.Header(w.Now()) {
		header[name] = values
	}
	rw.WriteHeader(reply.Status)
	// An error means that the client has gone.
	_, _ = reply.Reader().WriteTo(rw)
}

// Transport returns a transport that answers requests in the process, without a
// network and without goroutines. If the context of a request ends during the
// latency, it returns the context's error immediately. It ignores the host of a
// request.
func (w *Workspace) Transport() http.RoundTripper { return transport{w} }

type transport struct{ w *Workspace }

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	reply := t.w.answer(r)
	if err := t.w.wait(r.Context()); err != nil {
		return nil, err
	}
	return &http.Response{
		Status:        strconv.Itoa(reply.Status) + " " + http.StatusText(reply.Status),
		StatusCode:    reply.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        reply.Header(t.w.Now()),
		Body:          io.NopCloser(reply.Reader()),
		ContentLength: int64(reply.Size()),
		Request:       r,
	}, nil
}

// wait waits for the workspace's latency or until ctx ends.
func (w *Workspace) wait(ctx context.Context) error {
	if w.latency <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(w.latency)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer handles a request.
func (w *Workspace) answer(r *http.Request) apiReply {
	if servesOAuth(r.URL.Path) {
		return w.oauth.Answer(r)
	}
	answer, err := w.run(r)
	if err != nil {
		return apiErrorOf(err).Reply()
	}
	return answer.Reply()
}

func (w *Workspace) run(r *http.Request) (apiAnswer, error) {
	if err := w.limits.check(r); err != nil {
		return apiAnswer{}, err
	}
	read, err := newAPIRequest(r)
	if err != nil {
		return apiAnswer{}, err
	}
	req := &request{apiRequest: read, version: read.Version()}
	if w.noTree {
		req.version = 1
	}
	endpoint, known := w.endpoints[req.Method]
	if !known || r.Method != http.MethodPost && !(endpoint.get && r.Method == http.MethodGet) {
		return apiAnswer{}, apiNotFound()
	}

	w.store.dropUnknown(req.apiRequest)
	w.store.work(!endpoint.writes)
	if endpoint.writes {
		w.store.mu.Lock()
		defer w.store.mu.Unlock()
	} else {
		w.store.mu.RLock()
		defer w.store.mu.RUnlock()
	}
	if req.caller, err = w.store.authenticate(req); err != nil && !endpoint.open {
		return apiAnswer{}, err
	}
	if req.caller == nil {
		req.caller = nobody()
	} else if err := req.caller.mayCall(req.Method, endpoint.role); err != nil {
		return apiAnswer{}, err
	} else if req.caller.oauth {
		w.oauth.Used(req.Token())
	}
	if endpoint.paged {
		if req.Page, err = req.Paging(); err != nil {
			return apiAnswer{}, err
		}
	}
	if err := req.Fields.Err; err != nil {
		return apiAnswer{}, err
	}
	return endpoint.run(w.store, req)
}

// A RateLimit is the number of requests that each key, and each address, may send to an
// endpoint in a window. It starts with the first request after the one before (recordings
// 901 to 913 and 1984 to 2015). Outline has other limits for some endpoints.
type RateLimit struct {
	Requests int           // 0 is no limit
	Window   time.Duration // 0 is a minute; it is told in whole seconds
}

type rateLimiter struct {
	RateLimit
	mu      sync.Mutex
	windows map[string]*rateWindow // by endpoint and key, or address
}

type rateWindow struct {
	ends time.Time
	used int
}

func newRateLimiter(limit RateLimit) *rateLimiter {
	limit.Window = cmp.Or(limit.Window, time.Minute)
	return &rateLimiter{RateLimit: limit, windows: map[string]*rateWindow{}}
}

// check returns an error for a request over the limit. Refused requests count, too.
// The time is that of the machine, which the sample's clock does not follow.
func (l *rateLimiter) check(r *http.Request) error {
	if l.Requests == 0 {
		return nil
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	var wait time.Duration
	for _, who := range []string{"address " + address, "key " + r.Header.Get("Authorization")} {
		w := l.windows[r.URL.Path+" "+who]
		if w == nil || !now.Before(w.ends) {
			w = &rateWindow{ends: now.Add(l.Window)}
			l.windows[r.URL.Path+" "+who] = w
		}
		if w.used++; w.used > l.Requests {
			wait = max(wait, w.ends.Sub(now))
		}
	}
	if wait == 0 {
		return nil
	}
	seconds := strconv.Itoa(int((wait + time.Second - 1) / time.Second))
	return &apiError{Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "Rate limit exceeded for this operation", Header: http.Header{
		"Retry-After": {seconds}, "Ratelimit-Reset": {seconds}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Limit": {strconv.Itoa(l.Requests)},
	}}
}
