package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

// The team of the tests of subscriptions. The admin and the member see collection 1,
// only the admin sees collection 2.
const (
	openCollection    = "7e9c0000-0000-4000-8000-000000000001"
	privateCollection = "7e9c0000-0000-4000-8000-000000000002"
	guideID           = "7e9d0000-0000-4000-8000-000000000001" // in collection 1
	otherID           = "7e9d0000-0000-4000-8000-000000000002" // in collection 1
	secretID          = "7e9d0000-0000-4000-8000-000000000003" // in collection 2
	archivedID        = "7e9d0000-0000-4000-8000-000000000004" // in collection 1
	commentID         = "7e9f0000-0000-4000-8000-000000000001" // on the guide
	adminKey          = "ol_api_test_admin"
	memberKey         = "ol_api_test_member"
	viewerKey         = "ol_api_test_viewer"
)

var allURIs = []string{"outline://documents/" + guideID, "outline://documents/" + guideID + "/comments", "outline://collections/" + openCollection}

// A newsroom is a server whose upstream is an embedded workspace, both in this process
// and with the clock of the test.
type newsroom struct {
	t         *testing.T
	app       *app.App
	workspace *fakeoutline.Workspace
	http      *http.Client
	stop      context.CancelFunc
	stopped   chan struct{}

	mu       sync.Mutex
	fault    func(*http.Request) (*http.Response, error) // answers in place of Outline; may be nil
	requests []request                                   // to Outline
}

type request struct {
	at       time.Time
	endpoint string
	key      string
}

// newNewsroom starts a server; settings are those of the environment. Its Outline is the
// newest one.
func newNewsroom(t *testing.T, settings ...string) *newsroom {
	t.Helper()
	return newNewsroomOf(t, "", nil, settings...)
}

// newsroomAddress is that of a server over HTTP.
const newsroomAddress = "http://127.0.0.1:1"

// logIn logs the owner of a key in.
func (n *newsroom) logIn(key string) (*visitor, tokens) {
	n.t.Helper()
	p := &place{team: &team{url: newsroomAddress + "/mcp", client: n.http}, public: newsroomAddress, outline: n.workspace}
	return p.logIn(n.t, key, "read write")
}

// newNewsroomOf starts a server whose Outline is a release, with further collections.
func newNewsroomOf(t *testing.T, release fakeoutline.Release, more []fakeoutline.Collection, settings ...string) *newsroom {
	t.Helper()
	past := time.Now().Add(-24 * time.Hour)
	document := func(id, title, collection string) fakeoutline.Document {
		return fakeoutline.Document{ID: id, URLID: "url" + id[29:], Title: title, Text: "Some text.", CollectionID: collection, Opened: true,
			CreatedBy: seededUser(0), UpdatedBy: seededUser(0), Collaborators: []string{seededUser(0)}, CreatedAt: past, UpdatedAt: past, PublishedAt: past, Revision: 1}
	}
	archived := document(archivedID, "Archived", openCollection)
	archived.ArchivedAt = past
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: release, OAuth: fakeoutline.Application{
		ClientID: fakeoutline.ClientID, Secret: fakeoutline.ClientSecret, Redirects: []string{newsroomAddress + "/oauth/callback"},
	}}, fakeoutline.Seed{
		Team: fakeoutline.Team{ID: "7ea00000-0000-4000-8000-000000000001", Name: "Test"}, Users: seededUsers(), Keys: seededKeys(),
		Collections: append(more, []fakeoutline.Collection{
			{ID: openCollection, URLID: "urlcollec1", Name: "Open", Permission: fakeoutline.ReadWrite, CreatedAt: past, UpdatedAt: past},
			{ID: privateCollection, URLID: "urlcollec2", Name: "Private", CreatedAt: past, UpdatedAt: past,
				Memberships: []fakeoutline.Membership{{ID: "7eaa0000-0000-4000-8000-000000000001", UserID: seededUser(0), Permission: fakeoutline.Manage}}},
		}...),
		Documents: []fakeoutline.Document{document(guideID, "Guide", openCollection), document(otherID, "Other", openCollection), document(secretID, "Secret", privateCollection), archived},
		Comments:  []fakeoutline.Comment{{ID: commentID, DocumentID: guideID, Data: json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"Why?"}]}]}`), CreatedBy: seededUser(1), CreatedAt: past, UpdatedAt: past}},
	})
	if err != nil {
		t.Fatal(err)
	}
	n := &newsroom{t: t, workspace: w, stopped: make(chan struct{})}
	loaded, err := config.Load(append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	if n.app, err = app.New(app.Options{Config: loaded, Version: "test", Transport: n, Log: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	return n
}

// RoundTrip implements http.RoundTripper as Outline.
func (n *newsroom) RoundTrip(r *http.Request) (*http.Response, error) {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	n.mu.Lock()
	n.requests = append(n.requests, request{time.Now(), strings.TrimPrefix(r.URL.Path, "/api/"), key})
	fault := n.fault
	n.mu.Unlock()
	if fault != nil {
		return fault(r)
	}
	return n.workspace.Transport().RoundTrip(r)
}

func (n *newsroom) fail(with func(*http.Request) (*http.Response, error)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault = with
}

// asked returns the requests to Outline since the last call.
func (n *newsroom) asked() []request {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.requests
	n.requests = nil
	return list
}

// outline calls Outline as a person who uses its editor would.
func (n *newsroom) outline(key, endpoint, body string) {
	n.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, fakeoutline.BaseURL+"/"+endpoint, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := n.workspace.Transport().RoundTrip(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
		n.t.Fatalf("%s: %s", endpoint, text)
	}
}

// A stream holds the messages that a client gets.
type stream struct {
	mu       sync.Mutex
	messages []streamed
	ended    bool // the connection, or the answer to the request
	status   int  // of HTTP
	comments int  // events without data
	close    func()
}

type streamed struct {
	ID     json.RawMessage
	Method string
	Params struct {
		URI           string
		Meta          map[string]json.RawMessage `json:"_meta"`
		Notifications struct{ ResourceSubscriptions []string }
	}
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    struct{ Code string }
	}
}

func (s *stream) read(from io.Reader, prefix string) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), prefix)
		s.mu.Lock()
		if strings.HasPrefix(lines.Text(), ":") {
			s.comments++
		}
		var m streamed
		if ok && json.Unmarshal([]byte(data), &m) == nil {
			s.messages = append(s.messages, m)
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// take returns the messages since the last call, when nothing is going on any more.
func (s *stream) take() []streamed {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.messages
	s.messages = nil
	return list
}

// updates returns the URIs of the resources that were reported since the last call.
func (s *stream) updates() []string {
	uris := []string{}
	for _, m := range s.take() {
		if m.Method == "notifications/resources/updated" && !slices.Contains(uris, m.Params.URI) {
			uris = append(uris, m.Params.URI)
		}
	}
	slices.Sort(uris)
	return uris
}

// hasEnded reports whether the stream is over.
func (s *stream) hasEnded() bool {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// A pipe is a listener for connections within the process.
type pipe struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func (p *pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipe) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipe) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipe) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.connections <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve serves HTTP. The caller ends it with end.
func (n *newsroom) serve() {
	p := &pipe{connections: make(chan net.Conn), closed: make(chan struct{})}
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	n.http = &http.Client{Transport: &http.Transport{DialContext: p.dial}}
	go func() {
		defer close(n.stopped)
		if err := n.app.ServeHTTP(ctx, p); err != nil {
			n.t.Errorf("serving ends with %v", err)
		}
	}()
}

// end stops the server and waits until it has.
func (n *newsroom) end() {
	n.http.CloseIdleConnections()
	n.stop()
	<-n.stopped
}

// whileListening runs a test, in fake time, of a server over HTTP and a listener of
// [allURIs] that has been acknowledged.
func whileListening(t *testing.T, test func(*testing.T, *newsroom, *stream)) {
	synctest.Test(t, func(t *testing.T) {
		n := newNewsroom(t, "MCP_TRANSPORT=http")
		n.serve()
		defer n.end()
		s := n.listen(memberKey, allURIs...)
		defer s.close()
		s.take()
		test(t, n, s)
	})
}

func listenMessage(id string, uris []string) string {
	list, err := json.Marshal(uris)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":%s},%s}}`, id, list, modernMeta)
}

// post sends a message over HTTP and returns the answer as a stream.
func (n *newsroom) post(key, version, message string) *stream {
	n.t.Helper()
	var m struct{ Method string }
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		n.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, newsroomAddress+"/mcp", strings.NewReader(message))
	if err != nil {
		n.t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": version, "Mcp-Method": m.Method, "Authorization": "Bearer " + key} {
		r.Header.Set(name, value)
	}
	answer, err := n.http.Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	s := &stream{status: answer.StatusCode, close: cancel}
	prefix := ""
	if answer.Header.Get("Content-Type") == "text/event-stream" {
		prefix = "data: "
	}
	go func() {
		defer answer.Body.Close()
		s.read(answer.Body, prefix)
	}()
	return s
}

// listen opens a stream over HTTP.
func (n *newsroom) listen(key string, uris ...string) *stream {
	n.t.Helper()
	return n.post(key, "2026-07-28", listenMessage("7", uris))
}

// acknowledged returns the URIs of the first message, which must be the
// acknowledgement.
func (s *stream) acknowledged(t *testing.T) []string {
	t.Helper()
	list := s.take()
	if len(list) == 0 || list[0].Method != "notifications/subscriptions/acknowledged" || string(list[0].Params.Meta["io.modelcontextprotocol/subscriptionId"]) != "7" {
		t.Fatalf("the stream begins with %+v", list)
	}
	return list[0].Params.Notifications.ResourceSubscriptions
}

// A terminal is a client on stdio.
type terminal struct {
	*stream
	in io.WriteCloser
}

func (c terminal) send(message string) { _, _ = io.WriteString(c.in, message+"\n") }

// terminal serves one client on stdio, until the terminal is closed.
func (n *newsroom) terminal() terminal {
	n.t.Helper()
	in, ours := io.Pipe()
	theirs, out := io.Pipe()
	s := &stream{}
	go s.read(theirs, "")
	go func() {
		defer close(n.stopped)
		defer out.Close()
		if err := n.app.ServeStdio(context.Background(), in, out); err != nil {
			n.t.Errorf("serving ends with %v", err)
		}
	}()
	s.close = func() {
		ours.Close()
		<-n.stopped
	}
	return terminal{s, ours}
}

const initializeMessage = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// subscribe subscribes to resources as before 2026-07-28 and takes the answers.
func (c terminal) subscribe(uris ...string) []streamed {
	c.send(initializeMessage)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.take()
	for i, uri := range uris {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":%q}}`, 100+i, uri))
	}
	return c.take()
}
