package resources_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

// A wiki is a sample workspace that counts the requests to it.
type wiki struct {
	*fakeoutline.Workspace
	settings []string      // of the servers on it
	passed   time.Duration // since the day of the sample

	patience time.Duration // of lists; 0 means a minute

	mu        sync.Mutex
	asked     []string // endpoints
	forbidden string   // an endpoint that answers 403

	before   func(*http.Request) error // of each request; nil does nothing
	answered func(body string) string  // changes the answers of documents.list; nil does nothing
}

func newWiki(t testing.TB, settings ...string) *wiki {
	t.Helper()
	w := &wiki{settings: settings}
	var err error
	w.Workspace, err = fakeoutline.New(fakeoutline.Options{Now: func() time.Time { return fakeoutline.SampleDay().Add(w.passed) }})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// RoundTrip implements http.RoundTripper.
func (w *wiki) RoundTrip(r *http.Request) (*http.Response, error) {
	endpoint := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	w.mu.Lock()
	w.asked = append(w.asked, endpoint)
	refused := endpoint == w.forbidden
	w.mu.Unlock()
	if w.before != nil {
		if err := w.before(r); err != nil {
			return nil, err
		}
	}
	if refused {
		return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
			Body: io.NopCloser(strings.NewReader(`{"ok":false,"error":"authorization_error","status":403,"message":"Authorization error"}`))}, nil
	}
	response, err := w.Transport().RoundTrip(r)
	if err != nil || w.answered == nil || endpoint != "documents.list" {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	changed := w.answered(string(body))
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader(changed)), int64(len(changed))
	response.Header.Del("Content-Length")
	return response, err
}

// requests returns the endpoints that were asked since it was called last, in the
// order of the alphabet.
func (w *wiki) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := slices.Sorted(slices.Values(w.asked))
	w.asked = nil
	return asked
}

// An answer is what a client gets.
type answer struct {
	Result struct {
		Resources []struct {
			URI, Name, Description, MIMEType string
			Size                             int
			Annotations                      struct {
				Audience     []string
				Priority     float64
				LastModified string
			}
		}
		ResourceTemplates []struct {
			URITemplate, Name, Title, Description, MIMEType string
			Annotations                                     *struct{ Priority float64 }
			Icons                                           []struct{ Src string }
		}
		Contents []struct {
			URI, MIMEType, Text, Blob string
		}
		NextCursor   string
		TTLMs        *int
		CacheScope   string
		Capabilities map[string]json.RawMessage
	}
	Error *struct {
		Code    int
		Message string
		Data    struct{ Code, URI string }
	}
	body   string
	status int // over HTTP
}

// text returns the text of the one content of a resource.
func (a answer) text(t testing.TB) string {
	t.Helper()
	if len(a.Result.Contents) != 1 {
		t.Fatalf("no contents: %.500s", a.body)
	}
	return a.Result.Contents[0].Text
}

// A client asks a server of a wiki with a key, in a version of the protocol.
type client struct {
	key, version string
	readOnly     bool
	send         func(ctx context.Context, c client, method, body string, params map[string]any) (int, []byte, error)
}

const (
	handshake = "2025-11-25"
	modern    = "2026-07-28"
)

// overEverything runs a test over stdio and HTTP, in both eras of the protocol.
func overEverything(t *testing.T, w *wiki, test func(*testing.T, client)) {
	for _, version := range []string{handshake, modern} {
		t.Run("stdio "+version, func(t *testing.T) { test(t, overStdio(t, w, version)) })
		t.Run("HTTP "+version, func(t *testing.T) { test(t, overHTTP(t, w, version)) })
	}
}

func newApp(t testing.TB, w *wiki, settings ...string) *app.App {
	t.Helper()
	loaded, err := config.Load(slices.Concat([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL}, w.settings, settings))
	if err != nil {
		t.Fatal(err)
	}
	built, err := app.New(app.Options{Config: loaded, Version: "test", Transport: w, ListTimeout: w.patience})
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func overStdio(t testing.TB, w *wiki, version string) client {
	return client{key: fakeoutline.AdminKey, version: version, send: func(ctx context.Context, c client, _, body string, _ map[string]any) (int, []byte, error) {
		var out bytes.Buffer
		err := newApp(t, w, "OUTLINE_API_KEY="+c.key).ServeStdio(ctx, strings.NewReader(body+"\n"), &out)
		return 0, out.Bytes(), err
	}}
}

func overHTTP(t testing.TB, w *wiki, version string) client {
	built := newApp(t, w, "MCP_TRANSPORT=http", "MCP_PORT=0")
	listener, err := built.ListenHTTP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- built.ServeHTTP(ctx, listener) }()
	connections := &http.Transport{}
	t.Cleanup(func() {
		connections.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return client{key: fakeoutline.AdminKey, version: version, send: func(ctx context.Context, c client, method, body string, params map[string]any) (int, []byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+listener.Addr().String()+"/mcp", strings.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + c.key, "Mcp-Protocol-Version": c.version,
		} {
			request.Header.Set(name, value)
		}
		if c.version == modern {
			request.Header.Set("Mcp-Method", method)
			if uri, ok := params["uri"].(string); ok {
				request.Header.Set("Mcp-Name", uri)
			}
		}
		if c.readOnly {
			request.Header.Set("X-Outline-Read-Only", "true")
		}
		response, err := connections.RoundTrip(request)
		if err != nil {
			return 0, nil, err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return response.StatusCode, text, err
	}}
}

func (c client) ask(t testing.TB, method string, params map[string]any) answer {
	t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	if c.version == modern {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": modern, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	status, text, err := c.send(t.Context(), c, method, string(body), params)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{body: string(text), status: status}
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatalf("%s %v: %v: %s", method, params, err, text)
	}
	return a
}

func (c client) read(t testing.TB, uri string) answer {
	t.Helper()
	return c.ask(t, "resources/read", map[string]any{"uri": uri})
}

// listed returns the URIs of a page of resources/list.
func (c client) list(t testing.TB, cursor string) answer {
	t.Helper()
	params := map[string]any{}
	if cursor != "" {
		params["cursor"] = cursor
	}
	a := c.ask(t, "resources/list", params)
	if a.Error != nil {
		t.Fatalf("resources/list: %s", a.body)
	}
	return a
}

func uris(a answer) []string {
	list := []string{}
	for _, r := range a.Result.Resources {
		list = append(list, r.URI)
	}
	return list
}
