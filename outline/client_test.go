package outline_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/transport"
)

func TestEachCallActsWithItsOwnCredential(t *testing.T) {
	c, _ := scripted(t, nil, func(r *http.Request) (*http.Response, error) {
		return answered(200, jsonType, documentJSON(r.Header.Get("Authorization"))), nil
	})
	for _, test := range []struct {
		ctx  context.Context
		want string
	}{{as(t.Context(), "ol_api_other"), "Bearer ol_api_other"}, {t.Context(), "Bearer " + testKey}} {
		d, err := c.Document(test.ctx, "x")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "key", d.Text, test.want)
	}
}

func TestAClientOfTheZeroOptionsNamesItself(t *testing.T) {
	var agent string
	c, err := outline.New(outline.Options{BaseURL: "https://wiki.example.com", Credentials: outline.StaticKey(testKey), Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		agent = r.UserAgent()
		return answered(200, jsonType, authJSON), nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.AuthInfo(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "User-Agent", agent, "outline-mcp")
}

func TestAStatusFilterIsAlwaysSent(t *testing.T) {
	for _, test := range []struct {
		params outline.SearchParams
		want   string
	}{
		{outline.SearchParams{Query: "deploy"}, `{"query":"deploy","statusFilter":["published"]}`},
		{outline.SearchParams{Query: "deploy", StatusFilter: []string{}}, `{"query":"deploy","statusFilter":["published"]}`},
		{outline.SearchParams{}, `{"statusFilter":["published"]}`},
		{outline.SearchParams{Query: "a", CollectionID: uuid, StatusFilter: []string{"draft", "archived"}, Limit: 7, Offset: 14},
			`{"query":"a","collectionId":"` + uuid + `","statusFilter":["draft","archived"],"limit":7,"offset":14}`},
	} {
		c, s := scripted(t, nil, gives(200, jsonType, `{"ok":true,"data":[],"pagination":{"limit":25,"offset":0,"total":0}}`))
		page, err := c.Search(t.Context(), test.params)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "request", s.sent[0], test.want)
		equal(t, "total", page.Total, 0)
	}
}

func TestAFieldOfAnotherTypeIsNamedAsTheAPINamesIt(t *testing.T) {
	c, _ := scripted(t, nil, gives(200, jsonType, `{"ok":true,"data":{`+complete+`,"title":12345}}`))
	_, err := c.Document(t.Context(), "x")
	contains(t, err, "(data.title is of another type)")
}

func TestAListThatIsAlwaysCountedMustSayItsTotal(t *testing.T) {
	for name, call := range map[string]func(*outline.Client) error{
		"search": func(c *outline.Client) error {
			_, err := c.Search(t.Context(), outline.SearchParams{Query: "x"})
			return err
		},
		"collections": func(c *outline.Client) error { _, err := c.Collections(t.Context(), outline.ListParams{}); return err },
		"comments":    func(c *outline.Client) error { _, err := c.Comments(t.Context(), outline.CommentParams{}); return err },
	} {
		for _, pagination := range []string{`{"limit":25,"offset":0}`, `{"limit":25,"offset":0,"total":null}`, `null`} {
			c, _ := scripted(t, nil, gives(200, jsonType, `{"ok":true,"data":[],"pagination":`+pagination+`}`))
			if err := call(c); !errors.Is(err, outline.ErrBadAnswer) {
				t.Errorf("%s with %s: %v", name, pagination, err)
			}
		}
	}
}

func TestATotalThatIsNotSentIsMinusOne(t *testing.T) {
	c, _ := scripted(t, nil, gives(200, jsonType, `{"ok":true,"data":[],"pagination":{"limit":25,"offset":50}}`))
	page, err := c.DeletedDocuments(t.Context(), "", outline.ListParams{Offset: 50})
	if err != nil || page.Items == nil {
		t.Fatal(page.Items, err)
	}
	equal(t, "total", page.Total, -1)
	equal(t, "limit", page.Limit, 25)
	equal(t, "offset", page.Offset, 50)
}

// titles serves documents.search_titles for n documents.
func titles(n int) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		var request struct{ Limit, Offset int }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			return nil, err
		}
		var items []string
		for i := request.Offset; i < min(n, request.Offset+request.Limit); i++ {
			items = append(items, fmt.Sprintf(`{`+complete+`,"title":"document %d"}`, i))
		}
		return answered(200, jsonType, fmt.Sprintf(`{"ok":true,"data":[%s],"pagination":{"limit":%d,"offset":%d,"nextPath":"/more"}}`,
			strings.Join(items, ","), request.Limit, request.Offset)), nil
	}
}

func TestAllPagesAreFetchedAsTheyAreNeeded(t *testing.T) {
	for _, test := range []struct{ documents, stopAfter, found, requests int }{
		{0, 1000, 0, 1}, {1, 1000, 1, 1}, {99, 1000, 99, 1}, {100, 1000, 100, 2}, {250, 1000, 250, 3},
		{250, 1, 1, 1}, {250, 100, 100, 1}, {250, 101, 101, 2},
	} {
		requests, found := 0, 0
		c, _ := scripted(t, nil, func(r *http.Request) (*http.Response, error) { requests++; return titles(test.documents)(r) })
		for d, err := range c.SearchTitles(t.Context(), outline.SearchParams{Query: "document"}) {
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "document", d.Title, fmt.Sprintf("document %d", found))
			if found++; found == test.stopAfter {
				break
			}
		}
		equal(t, fmt.Sprintf("found of %d", test.documents), found, test.found)
		equal(t, fmt.Sprintf("requests for %d of %d", found, test.documents), requests, test.requests)
	}
}

func TestAnErrorOnALaterPageEndsTheLoop(t *testing.T) {
	c, _ := scripted(t, nil, titles(250), gives(500, jsonType, `{"ok":false,"error":"internal_error","message":"Internal error"}`))
	found, failures := 0, 0
	for d, err := range c.SearchTitles(t.Context(), outline.SearchParams{Query: "document"}) {
		if err == nil {
			found++
			continue
		}
		failures++
		if !errors.Is(err, outline.ErrUpstream) || d.ID != "" {
			t.Errorf("%v, %v", d, err)
		}
	}
	equal(t, "found", found, 100)
	equal(t, "failures", failures, 1)
}

func TestATreeOfAnyDepthIsReadAndATooDeepOneIsABadAnswer(t *testing.T) {
	for _, test := range []struct {
		depth int
		ok    bool
	}{{2000, true}, {20_000, false}} {
		tree := strings.Repeat(`[{`+complete+`,"children":`, test.depth) + "[]" + strings.Repeat("}]", test.depth)
		c, _ := scripted(t, nil, gives(200, jsonType, `{"ok":true,"data":`+tree+`}`))
		nodes, err := c.CollectionDocuments(t.Context(), "x")
		if test.ok {
			depth := 0
			for ; len(nodes) > 0; nodes = nodes[0].Children {
				depth++
			}
			equal(t, "depth", depth, test.depth)
		}
		if test.ok != (err == nil) || !test.ok && !errors.Is(err, outline.ErrBadAnswer) {
			t.Errorf("depth %d: %v", test.depth, err)
		}
	}
}

func TestAnErrorIsOneSentence(t *testing.T) {
	for want, e := range map[string]*outline.Error{
		"documents.info: Resource not found (404)":      {Endpoint: "documents.info", Status: 404, Code: "not_found", Message: "Resource not found"},
		"documents.info: not_found (404)":               {Endpoint: "documents.info", Status: 404, Code: "not_found"},
		"documents.info: Not Found (404)":               {Endpoint: "documents.info", Status: 404},
		"documents.info: upstream error (599)":          {Endpoint: "documents.info", Status: 599},
		"auth.info: Slow down (429); try again in 1m0s": {Endpoint: "auth.info", Status: 429, Message: "Slow down.", RetryAfter: time.Minute},
		"auth.info: Slow down (429); try again in 2s":   {Endpoint: "auth.info", Status: 429, Message: "Slow down.", RetryAfter: 1001 * time.Millisecond},
		"auth.info: Slow down (429); try again in 10ms": {Endpoint: "auth.info", Status: 429, Message: "Slow down.", RetryAfter: time.Millisecond},
		"failed": {},
	} {
		equal(t, "text", e.Error(), want)
	}
}

func TestAStatusStandsForOneKind(t *testing.T) {
	for status, want := range map[int]error{
		400: outline.ErrInvalid, 401: outline.ErrUnauthorized, 403: outline.ErrForbidden, 404: outline.ErrNotFound, 409: outline.ErrConflict,
		413: outline.ErrTooLarge, 429: outline.ErrRateLimited, 402: outline.ErrUpstream, 302: outline.ErrUpstream, 500: outline.ErrUpstream,
	} {
		for _, kind := range allKinds {
			if got := errors.Is(&outline.Error{Status: status}, kind); got != (kind == want) {
				t.Errorf("status %d: errors.Is %v is %v", status, kind, got)
			}
		}
	}
	if errors.Is(&outline.Error{}, nil) {
		t.Error("an error is nil")
	}
}

func TestALongMessageOfTheServerIsCutToOneLine(t *testing.T) {
	c, _ := scripted(t, nil, gives(400, jsonType, `{"ok":false,"error":"x","message":"one\ntwo `+strings.Repeat("é", 5000)+`"}`))
	_, err := c.Document(t.Context(), "x")
	contains(t, err, "one two éé", "…")
	if n := len([]rune(err.Error())); n > 600 {
		t.Errorf("%d characters", n)
	}
}

func TestACertificateIsChecked(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		equal(t, "protocol", r.Proto, "HTTP/2.0")
		reply(w, 200, jsonType, authJSON)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(t *testing.T, base string, o transport.Options) error {
		transport, err := transport.New(o)
		if err != nil {
			t.Fatal(err)
		}
		var retries int
		_, err = newClient(t, base, func(o *outline.Options) {
			o.MaxRetries = 3
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) { retries++; return transport.RoundTrip(r) })
		}).AuthInfo(t.Context())
		transport.CloseIdleConnections()
		equal(t, "attempts", retries, 1)
		return err
	}
	t.Run("an unknown issuer is refused", func(t *testing.T) {
		err := call(t, server.URL, transport.Options{})
		if !errors.Is(err, outline.ErrUnreachable) {
			t.Errorf("error %v, want ErrUnreachable", err)
		}
		contains(t, err, "unknown authority", strings.TrimPrefix(server.URL, "https://"))
		suggests(t, err, outline.TrustIssuer)
	})
	t.Run("another host's is refused though its issuer is known", func(t *testing.T) {
		err := call(t, strings.Replace(server.URL, "127.0.0.1", "localhost", 1), transport.Options{CAFile: file})
		if !errors.Is(err, outline.ErrUnreachable) {
			t.Errorf("error %v, want ErrUnreachable", err)
		}
		contains(t, err, "certificate", "localhost")
	})
	t.Run("a known issuer is accepted", func(t *testing.T) {
		if err := call(t, server.URL, transport.Options{CAFile: file}); err != nil {
			t.Error(err)
		}
	})
	t.Run("any is accepted when it is not checked", func(t *testing.T) {
		if err := call(t, server.URL, transport.Options{SkipVerify: true}); err != nil {
			t.Error(err)
		}
	})
}

// TestTheProxyOfTheEnvironmentIsUsed runs the test binary again, because
// net/http reads the proxy settings only once and never for loopback.
func TestTheProxyOfTheEnvironmentIsUsed(t *testing.T) {
	requested := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested <- r.Method + " " + r.URL.String()
		reply(w, 200, jsonType, authJSON)
	}))
	defer proxy.Close()
	throughProxy := func(t *testing.T, setting, base string) string {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), proxied+"="+base, "HTTP_PROXY="+setting, "HTTPS_PROXY="+setting, "NO_PROXY=", "no_proxy=", "http_proxy=", "https_proxy=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	t.Run("for a call", func(t *testing.T) {
		equal(t, "error", throughProxy(t, proxy.URL, "http://outline.invalid"), "<nil>")
		equal(t, "request", <-requested, "POST http://outline.invalid/api/auth.info")
	})
	t.Run("and its settings are named when it is unreachable, without its password", func(t *testing.T) {
		for _, base := range []string{"https://outline.invalid", "http://outline.invalid"} {
			out := throughProxy(t, "http://user:sesame@127.0.0.1:1", base)
			if !strings.Contains(out, "cannot connect to the proxy") || !strings.Contains(out, "check the proxy") || strings.Contains(out, "sesame") {
				t.Errorf("error %q", out)
			}
		}
	})
}

func TestEachAttemptIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var seen []outline.Attempt
		slow := func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answered(200, jsonType, okDocument), nil
		}
		c, _ := scripted(t, func(o *outline.Options) {
			o.Observe = func(ctx context.Context, a outline.Attempt) {
				equal(t, "context", ctx.Value(key{}) == "of the call", true)
				seen = append(seen, a)
			}
		}, fails(syscall.ECONNRESET), rateLimits("Retry-After", "7"), slow)
		if _, err := c.Document(context.WithValue(t.Context(), key{}, "of the call"), uuid); err != nil {
			t.Fatal(err)
		}
		want := []outline.Attempt{
			{Endpoint: "documents.info"},
			{Endpoint: "documents.info", Status: 429, Retry: true},
			{Endpoint: "documents.info", Status: 200, Retry: true, Waited: 7 * time.Second, Duration: time.Second},
		}
		equal(t, "attempts", len(seen), len(want))
		for i := range want {
			equal(t, "attempt", seen[i], want[i])
		}
	})
}

func TestATraceIsPassedOn(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for name, trace := range map[string]outline.Trace{"none": {}, "parent": {Parent: parent}, "both": {Parent: parent, State: "a=b"}, "state alone": {State: "a=b"}} {
		c, _ := scripted(t, nil, func(r *http.Request) (*http.Response, error) {
			want := trace
			if want.Parent == "" {
				want.State = ""
			}
			equal(t, name, outline.Trace{Parent: r.Header.Get("traceparent"), State: r.Header.Get("tracestate")}, want)
			return answered(200, jsonType, okDocument), nil
		})
		if _, err := c.Document(outline.ContextWithTrace(t.Context(), trace), uuid); err != nil {
			t.Error(err)
		}
	}
}
