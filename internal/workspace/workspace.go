package workspace

import (
	"context"
	"io"
	"net/http"
	"outline-mcp/internal/workspace/api"
	"strconv"
	"time"
)

// BaseURL is the base address of the API for clients that use
// [Workspace.Transport]. The name cannot be resolved: the top-level domain
// .invalid is reserved for that (RFC 6761).
const BaseURL = "http://outline.demo.invalid/api"

// The API keys of a workspace built by [New]. Besides these,
// "ol_api_demo_user_N" with any number N of up to twelve digits is the key of
// a member of its own, and "ol_api_demo_expired" is a key that has expired.
const (
	AdminKey  = "ol_api_demo_admin"  // an admin
	MemberKey = "ol_api_demo_member" // a member
	ViewerKey = "ol_api_demo_viewer" // a viewer, who reads only
	ScopedKey = "ol_api_demo_scoped" // the member, limited to documents:read and collections:read
)

// Options are the settings of a workspace. The zero value answers at once and
// takes the time from time.Now.
type Options struct {
	// Latency is how long each answer is held back after it was made: what
	// a request changes is changed even if its caller leaves meanwhile.
	Latency time.Duration

	// Now is the workspace's clock; nil means time.Now.
	Now func() time.Time

	// NoAnswers makes documents.answerQuestion unknown, as it is to the
	// editions of Outline without AI.
	NoAnswers bool

	// NoEditModes makes documents.update ignore editMode and findText, and
	// NoRevisionCheck lastRevision, as servers do that do not know these
	// fields yet. Without edit modes a text replaces the whole body unless
	// the older "append": true comes with it.
	NoEditModes, NoRevisionCheck bool

	// PublishTime is how long after it published a document Outline raises
	// the document's revision once more; what a real one takes is up to half
	// a second. 0 means that it happens as soon as the workspace is next
	// read, whatever the clock says.
	PublishTime time.Duration
}

// A Workspace is an Outline in memory. It is an [http.Handler] for the paths
// below /api/ and may be used by any number of goroutines.
type Workspace struct {
	latency   time.Duration
	endpoints map[string]endpoint
	store     *store
}

// Empty returns a workspace that holds what seed says and nothing else, not
// even the demo keys. It fails if the seed contradicts itself, as with a
// document in an unknown collection.
func Empty(opts Options, seed Seed) (*Workspace, error) {
	now := opts.Now
	if now == nil {
		now = time.Now
	}
	s := newStore(now)
	if err := s.load(seed); err != nil {
		return nil, err
	}
	table := endpoints()
	if opts.NoAnswers {
		delete(table, "documents.answerQuestion")
	}
	if opts.NoEditModes {
		s.ignoredByUpdate = append(s.ignoredByUpdate, "editMode", "findText")
	}
	if opts.NoRevisionCheck {
		s.ignoredByUpdate = append(s.ignoredByUpdate, "lastRevision")
	}
	s.publications.after = opts.PublishTime
	return &Workspace{latency: opts.Latency, endpoints: table, store: s}, nil
}

// ServeHTTP answers one call of the API.
func (w *Workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	reply := w.answer(r)
	if w.wait(r.Context()) != nil {
		// Returning would send an empty 200 should anyone still listen.
		panic(http.ErrAbortHandler)
	}
	header := rw.Header()
	for name, values := range reply.Header() {
		header[name] = values
	}
	rw.WriteHeader(reply.Status)
	// A caller that has gone is no failure of the workspace.
	_, _ = reply.Reader().WriteTo(rw)
}

// Transport returns a transport that answers requests in this process, without
// a network and without goroutines. A request whose context ends while the
// answer is held back returns the context's error at once. The host of a
// request's URL is not looked at.
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
		Header:        reply.Header(),
		Body:          io.NopCloser(reply.Reader()),
		ContentLength: int64(reply.Size()),
		Request:       r,
	}, nil
}

// wait holds an answer back for the workspace's latency, or until ctx ends.
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

// answer carries out one request.
func (w *Workspace) answer(r *http.Request) api.Reply {
	answer, err := w.run(r)
	if err != nil {
		return api.ErrorOf(err).Reply(r.Header.Get("Accept"))
	}
	return answer.Reply()
}

func (w *Workspace) run(r *http.Request) (api.Answer, error) {
	read, err := api.NewRequest(r)
	if err != nil {
		return api.Answer{}, err
	}
	req := &request{Request: read}
	endpoint, known := w.endpoints[req.Method]
	if !known || r.Method != http.MethodPost {
		return api.Answer{}, api.NotFound()
	}

	w.store.raiseRevisions(!endpoint.writes)
	if endpoint.writes {
		w.store.mu.Lock()
		defer w.store.mu.Unlock()
	} else {
		w.store.mu.RLock()
		defer w.store.mu.RUnlock()
	}
	if req.caller, err = w.store.authenticate(req); err != nil {
		return api.Answer{}, err
	}
	if err := req.caller.mayCall(req.Method, endpoint.role); err != nil {
		return api.Answer{}, err
	}
	if endpoint.paged {
		if req.Page, err = req.Paging(); err != nil {
			return api.Answer{}, err
		}
	}
	if err := req.Fields.Err; err != nil {
		return api.Answer{}, err
	}
	return endpoint.run(w.store, req)
}
