package app_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

// A bouncer stands in front of Outline. It rejects the token of requests to an endpoint
// from one of them on, as Outline does when a token has just been renewed.
type bouncer struct {
	outline  http.RoundTripper
	endpoint string
	from     int64 // the first request that is rejected, from 1
	seen     atomic.Int64
}

func (b *bouncer) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, b.endpoint) && b.seen.Add(1) >= b.from {
		r.Header.Set("Authorization", "Bearer ol_at_dead")
	}
	return b.outline.RoundTrip(r)
}

func TestACallWhoseLoginIsRejectedIsRefusedOnlyIfItHasChangedNothing(t *testing.T) {
	const batch = `{"documents":[{"title":"One","text":"x","publish":false},{"title":"Two","text":"x","publish":false},{"title":"Three","text":"x","publish":false}]}`
	for _, test := range []struct {
		name     string
		endpoint string
		from     int64
		call     string
		headers  []string
		status   int
		says     string
	}{
		{"a call that reads", "/api/collections.list", 1, listCollections, nil, http.StatusUnauthorized, ""},
		{"a call that writes", "/api/documents.create", 1, tool("create_document", `{"title":"One","text":"x","publish":false}`), nil, http.StatusUnauthorized, ""},
		{"a batch, at the first write", "/api/documents.create", 1, tool("batch_create_documents", batch), nil, http.StatusUnauthorized, ""},
		{"a batch, at the second write", "/api/documents.create", 2, tool("batch_create_documents", batch), nil, http.StatusOK, "1 of 3 succeeded"},
		{"a call that has sent progress", "/api/documents.info", 2, `{"name":"batch_read_documents","arguments":{"document_ids":["oiZwZ2tlsC","1wPyxUCdt9"]},"_meta":{"progressToken":1}}`,
			[]string{"Accept: application/json, text/event-stream"}, http.StatusOK, "1 of 2 documents"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bouncer{endpoint: test.endpoint, from: test.from}
			p := serveLogin(t, app.Options{}, func(outline http.RoundTripper) http.RoundTripper { b.outline = outline; return b }, "OUTLINE_BATCH_CONCURRENCY=1")
			v, login := p.logIn(t, fakeoutline.MemberKey, "read write")
			r, header := v.call(login.Access, "tools/call", test.call, test.headers...)
			if challenged := strings.Contains(header.Get("WWW-Authenticate"), `error="invalid_token"`); r.status != test.status || challenged != (test.status != http.StatusOK) || !strings.Contains(r.body, test.says) {
				t.Errorf("%d %s: %s", r.status, header.Get("WWW-Authenticate"), r.body)
			}
			b.seen.Store(-1000)
			if r, _ := v.call(login.Access, "tools/call", test.call); test.status != http.StatusOK && (r.status != http.StatusOK || r.Result.IsError) {
				t.Errorf("again, with another token: %d %s", r.status, r.body)
			}
		})
	}
}

func TestNothingThatARejectedLoginWasToldIsKept(t *testing.T) {
	p := serveLogin(t, app.Options{}, nil, "OUTLINE_DYNAMIC_TOOL_LIST=true")
	v, login := p.logIn(t, fakeoutline.ViewerKey, "read write")
	renewed := v.refresh(login)
	for range 2 {
		if r, _ := v.call(login.Access, "tools/list", "{}"); r.status != http.StatusUnauthorized {
			t.Errorf("with the token before: %d, %d tools", r.status, len(r.names()))
		}
	}
	key, _ := v.call(fakeoutline.ViewerKey, "tools/list", "{}")
	if r, _ := v.call(renewed.Access, "tools/list", "{}"); r.status != http.StatusOK || len(r.names()) != len(key.names()) || len(r.names()) == 0 {
		t.Errorf("with the token after: %d, %d tools, with a key %d", r.status, len(r.names()), len(key.names()))
	}
}

func TestAnOutageOfOutlineIsNoReasonToLogInAgain(t *testing.T) {
	var down atomic.Bool
	p := serveLogin(t, app.Options{}, func(outline http.RoundTripper) http.RoundTripper {
		return outage{outline, &down}
	}, "OUTLINE_MAX_RETRIES=0")
	v, login := p.logIn(t, fakeoutline.MemberKey, "read write")
	down.Store(true)
	if r, _ := v.call(login.Access, "tools/call", listCollections); r.status != http.StatusOK || !r.Result.IsError {
		t.Errorf("a call: %d %s", r.status, r.body)
	}
	if got := v.refresh(login); got.Access != "" || got.Error == "invalid_grant" {
		t.Errorf("a refresh: %+v", got)
	}
	down.Store(false)
	if got := v.refresh(login); got.Access == "" {
		t.Errorf("a refresh when Outline is back: %+v", got)
	}
}

// An outage answers like the proxy in front of an Outline that does not run.
type outage struct {
	outline http.RoundTripper
	down    *atomic.Bool
}

func (o outage) RoundTrip(r *http.Request) (*http.Response, error) {
	if !o.down.Load() {
		return o.outline.RoundTrip(r)
	}
	r.Body.Close()
	return &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{}, Body: http.NoBody, Request: r.WithContext(context.WithoutCancel(r.Context()))}, nil
}
