package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// A wire connects the server to the workspace. It records all requests and breaks
// those that its plan names.
type wire struct {
	mu        sync.Mutex
	workspace *fakeoutline.Workspace
	network   atomic.Pointer[network] // leads to the workspace; nil to call it in memory
	plan      func(*exchange) *fault  // if it is nil or returns nil, nothing breaks
	handled   func()                  // after each write of the workspace, which are then made one at a time
	exchanges []*exchange
	attempts  map[string]int
	cancel    context.CancelFunc // cancels the tool call

	human    func(mark string) error // what another user does in the meantime
	humans   int                     // how often they did it
	accepted []string                // the marks of what the workspace accepted of it

	// Writes and humans take turns. These are channels because time in a synctest
	// bubble advances while a goroutine waits for a channel, but not for a mutex.
	oneWrite, oneHuman chan struct{}

	late sync.WaitGroup // requests still in transit
}

// An exchange is a request from the server and its outcome.
type exchange struct {
	endpoint string
	target   string // its object: an ID, or the title of a new one
	writes   bool
	keeps    bool   // it changes nothing, but makes Outline write a revision of the current state
	step     string // what it does to the object; it differs between the steps of a call
	number   int    // among the requests of the call, from 1
	attempt  int    // among equal requests, from 1
	fault    *fault // nil if there is none
	status   int    // of the workspace's answer; 0 if no request reached it
}

// String describes the outcome of a request, for the report of a failed run.
func (x *exchange) String() string {
	text := fmt.Sprintf("%s %s (%d)", x.endpoint, x.target, x.attempt)
	if x.fault != nil {
		text += ", " + x.fault.name
	}
	return fmt.Sprintf("%s, workspace: %d", text, x.status)
}

// lost reports whether the server cannot know whether a write was done.
func (x *exchange) lost() bool { return x.writes && x.fault != nil && x.fault.lost }

func newWire() *wire {
	return &wire{oneWrite: make(chan struct{}, 1), oneHuman: make(chan struct{}, 1)}
}

// reset begins a new run on another workspace.
func (w *wire) reset(to *fakeoutline.Workspace) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.workspace, w.plan, w.handled, w.human = to, nil, nil, nil
	w.exchanges, w.accepted, w.humans, w.attempts = nil, nil, 0, map[string]int{}
}

// current returns the workspace of the run, and what to do after each write; it may be
// nil. A request that its call did not wait for can end when the call has.
func (w *wire) current() (*fakeoutline.Workspace, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.workspace, w.handled
}

// RoundTrip implements [http.RoundTripper].
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	p := &passage{wire: w, request: r, body: body, exchange: w.note(r, body)}
	f := p.exchange.fault
	if f == nil {
		f = &healthy
	}
	// The hooks that net/http calls for a request.
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil {
		if trace.GetConn != nil {
			trace.GetConn(r.URL.Host)
		}
		if trace.GotConn != nil && !f.unconnected {
			trace.GotConn(httptrace.GotConnInfo{})
		}
	}
	response, err := f.breaks(p)
	if response != nil {
		response.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	return response, err
}

// note starts the record of a request.
func (w *wire) note(r *http.Request, body []byte) *exchange {
	var about struct {
		ID, DocumentID, Title, Name, FindText string
		Permanent                             bool
	}
	_ = json.Unmarshal(body, &about) // a body that is not JSON has no object
	var fields map[string]any
	_ = json.Unmarshal(body, &fields)
	x := &exchange{endpoint: strings.TrimPrefix(r.URL.Path, "/api/")}
	switch _, verb, _ := strings.Cut(x.endpoint, "."); verb {
	case "create", "import":
		x.writes, x.target = true, about.DocumentID+about.Title+about.Name
	case "update", "move", "archive", "restore", "unarchive", "delete", "resolve", "unresolve", "unpublish", "duplicate", "templatize",
		"revoke", "add_user", "remove_user", "add_group", "remove_group":
		// An unknown ID probes for a feature.
		x.writes, x.target = about.ID != "00000000-0000-4000-8000-000000000000", about.ID
	default:
		x.target = about.ID
	}
	if x.endpoint == "documents.update" && fields["done"] == true && len(fields) == 2 {
		x.writes, x.keeps = false, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	x.step = fmt.Sprintf("%s %s %v %v %s", x.endpoint, x.target, x.keeps, about.Permanent, about.FindText)
	w.attempts[x.step]++
	x.attempt = w.attempts[x.step]
	w.exchanges = append(w.exchanges, x)
	x.number = len(w.exchanges)
	if w.plan != nil {
		x.fault = w.plan(x)
	}
	return x
}

// anotherUser changes the workspace concurrently with the server, if the run has
// a user who does. These changes are made one at a time, because one could
// overwrite another.
func (w *wire) anotherUser() {
	w.oneHuman <- struct{}{}
	defer func() { <-w.oneHuman }()
	w.mu.Lock()
	human := w.human
	w.humans++
	mark := fmt.Sprintf("HUMAN-%d", w.humans)
	w.mu.Unlock()
	if human == nil || human(mark) != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.accepted = append(w.accepted, mark)
}

// A passage is a request in transit.
type passage struct {
	wire     *wire
	request  *http.Request
	body     []byte
	exchange *exchange
}

// handle passes the request to the workspace, which runs it to its end even if the
// connection breaks.
func (p *passage) handle() *http.Response {
	request := p.request.Clone(context.WithoutCancel(p.request.Context()))
	request.Body = io.NopCloser(bytes.NewReader(p.body))
	space, handled := p.wire.current()
	if handled != nil {
		p.wire.oneWrite <- struct{}{}
		defer func() { <-p.wire.oneWrite }()
	}
	response, err := space.Transport().RoundTrip(request)
	if err != nil {
		panic(err) // it fails only if the context has ended
	}
	p.exchange.status = response.StatusCode
	if p.exchange.writes && handled != nil {
		handled()
	}
	return response
}

// pass delivers the request and its answer.
func (p *passage) pass() (*http.Response, error) {
	network := p.wire.network.Load()
	if network == nil {
		return p.handle(), nil
	}
	request := p.request.Clone(p.request.Context())
	request.Body = io.NopCloser(bytes.NewReader(p.body))
	return network.RoundTrip(request)
}

// answer is an answer that is not from the workspace.
func (p *passage) answer(status int, contentType, body string, headers ...string) (*http.Response, error) {
	header := http.Header{"Content-Type": {contentType}}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{
		Status: fmt.Sprint(status, " ", http.StatusText(status)), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: p.request,
	}, nil
}
