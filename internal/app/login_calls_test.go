package app_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

func TestEveryToolThatReadsWorksWithALoginToRead(t *testing.T) {
	for _, release := range fixtures.Some([]fakeoutline.Release{"", "1.9.2"}, 1) {
		t.Run(string(release), func(t *testing.T) { everyToolThatReadsWorks(t, release) })
	}
}

func everyToolThatReadsWorks(t *testing.T, release fakeoutline.Release) {
	p := serveLoginTo(t, release, app.Options{}, nil, "OUTLINE_TOOLS=all")
	v, login := p.logIn(t, fakeoutline.AdminKey, "read")
	if login.Scope != "read" {
		t.Fatalf("the scope is %q", login.Scope)
	}
	listed, _ := v.call(login.Access, "tools/list", "{}")
	for _, one := range tools.All() {
		info := one.Info()
		if reads := info.Effect == mcptool.Reads; reads != slices.Contains(listed.names(), info.Name) {
			t.Errorf("%s: that it reads is %t, which is not why it is listed", info.Name, reads)
		}
		if info.Effect != mcptool.Reads {
			continue
		}
		for _, call := range fixtures.Read(t, "../../tools/testdata/calls", info.Name) {
			if call.Failed() {
				continue
			}
			got, _ := v.call(login.Access, "tools/call", tool(info.Name, string(call.Arguments)))
			want, _ := v.call(fakeoutline.AdminKey, "tools/call", tool(info.Name, string(call.Arguments)))
			if got.status != http.StatusOK || got.Result.IsError != want.Result.IsError || got.text() == "" {
				t.Errorf("%s, %s: %d %s\nand with a key: %s", info.Name, call.Name, got.status, got.text(), want.text())
			}
		}
	}
	for _, other := range []string{
		`resources/list {}`, `resources/read {"uri":"outline://documents/oiZwZ2tlsC"}`, `resources/read {"uri":"outline://documents/oiZwZ2tlsC/outline"}`,
		`resources/read {"uri":"outline://documents/oiZwZ2tlsC/comments"}`, `resources/read {"uri":"outline://documents/oiZwZ2tlsC/backlinks"}`,
		`prompts/list {}`, `completion/complete {"ref":{"type":"ref/resource","uri":"outline://documents/{id}"},"argument":{"name":"id","value":"rel"}}`,
	} {
		method, parameters, _ := strings.Cut(other, " ")
		if r, _ := v.call(login.Access, method, parameters); r.status != http.StatusOK || r.Error != nil {
			t.Errorf("%s: %d %s", other, r.status, r.body)
		}
	}
}

func TestAToolThatWritesAsksALoginToReadForMore(t *testing.T) {
	p := serveLogin(t, app.Options{}, nil)
	const create = `{"title":"Mine","text":"x","publish":false}`
	v, login := p.logIn(t, fakeoutline.MemberKey, "read")
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		r, header := v.call(login.Access, "tools/call", tool("create_document", create), "Mcp-Protocol-Version: "+version)
		if challenge := header.Get("WWW-Authenticate"); r.status != http.StatusForbidden || !strings.Contains(challenge, `error="insufficient_scope"`) || !strings.Contains(challenge, `scope="read write"`) || !strings.Contains(challenge, "resource_metadata=") {
			t.Errorf("%s: %d %s %s", version, r.status, challenge, r.body)
		}
	}
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	if r, _ := v.call(login.Access, "tools/call", strings.TrimSuffix(tool("create_document", create), "}")+","+meta+"}",
		"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: create_document"); r.status != http.StatusForbidden {
		t.Errorf("2026-07-28: %d %s", r.status, r.body)
	}
	// A request that limits itself cannot be helped by a login to write.
	if r, _ := v.call(login.Access, "tools/call", tool("create_document", create), "X-Outline-Read-Only: true"); r.status != http.StatusOK || r.Error == nil {
		t.Errorf("a request that limits itself: %d %s", r.status, r.body)
	}
	if r, _ := v.call(login.Access, "tools/call", tool("create_documents", create)); r.status != http.StatusOK || r.Error == nil {
		t.Errorf("a tool that does not exist: %d %s", r.status, r.body)
	}
	if r, _ := v.call(login.Access, "tools/call", tool("list_users", "{}")); r.status != http.StatusOK || r.Error == nil {
		t.Errorf("a tool that is not offered: %d %s", r.status, r.body)
	}
	v, login = p.logIn(t, fakeoutline.MemberKey, "read write")
	if r, _ := v.call(login.Access, "tools/call", tool("create_document", create)); r.status != http.StatusOK || r.Result.IsError {
		t.Errorf("after a login to write: %d %s", r.status, r.body)
	}
}

func TestOfAServerThatOnlyReadsNobodyIsAskedForMore(t *testing.T) {
	p := serveLogin(t, app.Options{}, nil, "OUTLINE_READ_ONLY=true")
	v, login := p.logIn(t, fakeoutline.MemberKey, "read write")
	if login.Scope != "read" {
		t.Errorf("the scope is %q", login.Scope)
	}
	if _, header := v.call("", "tools/list", "{}"); !strings.Contains(header.Get("WWW-Authenticate"), `scope="read"`) {
		t.Errorf("clients are asked to get %s", header.Get("WWW-Authenticate"))
	}
	if r, _ := v.call(login.Access, "tools/call", tool("create_document", `{"title":"x"}`)); r.status != http.StatusOK || r.Error == nil {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestKeysAndTokensWorkBesideTheLogin(t *testing.T) {
	p := serveLogin(t, app.Options{}, nil, "OUTLINE_API_KEY="+fakeoutline.AdminKey, "MCP_AUTH_TOKENS=0123456789abcdef")
	v, login := p.logIn(t, fakeoutline.MemberKey, "read write")
	for name, test := range map[string]struct {
		headers []string
		status  int
	}{
		"a login":              {[]string{bearer(login.Access)}, http.StatusOK},
		"a token":              {[]string{bearer("0123456789abcdef")}, http.StatusOK},
		"a key with a token":   {[]string{bearer(fakeoutline.ViewerKey), "X-MCP-Token: 0123456789abcdef"}, http.StatusOK},
		"a key alone":          {[]string{bearer(fakeoutline.ViewerKey)}, http.StatusUnauthorized},
		"nothing":              {nil, http.StatusUnauthorized},
		"a token of Outline":   {[]string{bearer("ol_at_fake")}, http.StatusUnauthorized},
		"a refresh token":      {[]string{bearer(login.Refresh)}, http.StatusUnauthorized},
		"another deployment's": {[]string{bearer("omcp_at_" + strings.Repeat("x", 250))}, http.StatusUnauthorized},
	} {
		if r, _ := v.call("", "tools/call", listCollections, test.headers...); r.status != test.status {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

var callsOfEach = flag.Int("calls", 50, "calls that each person makes in TestNoLoginEverActsForSomebodyElse")

var draftID = regexp.MustCompile(`" ([0-9A-Za-z]{10}), http`)

func TestNoLoginEverActsForSomebodyElse(t *testing.T) {
	const refreshes, workers = 5, 2 // workers of each user, between refreshes
	users := fixtures.Count(10, 50)
	p := serveLogin(t, app.Options{}, nil, "LOG_LEVEL=error")
	var everybody sync.WaitGroup
	for n := range users {
		everybody.Go(func() {
			key := fmt.Sprintf("ol_api_demo_user_%d", n)
			v, login := p.logIn(t, key, "read write")
			// Only the user who has written a draft can read it.
			secret := fmt.Sprintf("The secret of person %d.", n)
			created, _ := v.call(login.Access, "tools/call", tool("create_document", fmt.Sprintf(`{"title":"Draft","text":%q,"publish":false}`, secret)))
			id := draftID.FindStringSubmatch(created.text())
			if id == nil {
				t.Errorf("%s: no draft: %s", key, created.text())
				return
			}
			read := tool("read_document", fmt.Sprintf(`{"document_id":%q}`, id[1]))
			if stranger, _ := v.call("ol_api_demo_user_1000", "tools/call", read); !stranger.Result.IsError {
				t.Errorf("%s: others can read the draft: %s", key, stranger.text())
			}
			for range refreshes {
				before := login
				login = v.refresh(before)
				if login.Access == "" {
					t.Errorf("%s: refresh: %s", key, login.Error)
					return
				}
				var own sync.WaitGroup
				for range workers {
					own.Go(func() {
						for i := range *callsOfEach / refreshes / workers {
							if r, _ := v.call(login.Access, "tools/call", read); r.status != http.StatusOK || !strings.Contains(r.text(), secret) {
								t.Errorf("%s gets %d %s", key, r.status, r.body)
								return
							}
							if i%10 == 0 {
								if r, _ := v.call(before.Access, "tools/call", read); r.status != http.StatusUnauthorized {
									t.Errorf("%s gets %d with the token before the refresh: %s", key, r.status, r.body)
								}
							}
						}
					})
				}
				own.Wait()
			}
		})
	}
	everybody.Wait()
}

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

// pings returns a function that sends a request without any work for the server, with a
// credential.
func pings(t testing.TB, p *place, credential string) func() {
	t.Helper()
	handler, err := app.HandlerOf(p.app)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, p.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+credential)
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

// What a login costs beside a key, through all of the HTTP server.
func BenchmarkCredential(b *testing.B) {
	p := serveLogin(b, app.Options{}, nil)
	_, login := p.logIn(b, fakeoutline.MemberKey, "read write")
	for name, credential := range map[string]string{"key": fakeoutline.MemberKey, "login": login.Access} {
		b.Run(name, func(b *testing.B) {
			ping := pings(b, p, credential)
			b.ReportAllocs()
			for b.Loop() {
				ping()
			}
		})
	}
}

// The promise is 15 µs; the rest is room for a busy machine.
func TestALoginCostsLittleMoreThanAKey(t *testing.T) {
	fixtures.Measures(t)
	p := serveLogin(t, app.Options{}, nil)
	_, login := p.logIn(t, fakeoutline.MemberKey, "read write")
	key, token := pings(t, p, fakeoutline.MemberKey), pings(t, p, login.Access)
	took := func(ping func()) time.Duration {
		start := time.Now()
		ping()
		return time.Since(start)
	}
	var keys, logins []time.Duration
	for range 1000 { // in turn, so that both meet the same load
		keys, logins = append(keys, took(key)), append(logins, took(token))
	}
	slices.Sort(keys)
	slices.Sort(logins)
	t.Logf("a login costs %s more than a key, which takes %s", logins[250]-keys[250], keys[250])
	if more := logins[250] - keys[250]; more > 100*time.Microsecond {
		t.Errorf("a login costs %s more than a key, which takes %s", more, keys[250])
	}
}

// The workspace and the browsers are part of what is measured.
func TestAThousandPeopleWhoHaveLoggedInTakeLittleMemory(t *testing.T) {
	fixtures.Measures(t)
	p := serveLogin(t, app.Options{}, nil)
	inUse := func() int64 {
		p.client.CloseIdleConnections()
		var memory runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&memory)
		return int64(memory.HeapInuse)
	}
	enter := func(n int) {
		v, login := p.logIn(t, fmt.Sprintf("ol_api_demo_user_%d", n), "read write")
		if r, _ := v.call(login.Access, "tools/call", listCollections); r.status != http.StatusOK {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	enter(0)
	before := inUse()
	const people = 1000
	for n := range people {
		enter(n + 1)
	}
	grown := inUse() - before
	t.Logf("%d people take %d KiB", people, grown>>10)
	if grown > 10<<20 {
		t.Errorf("%d people take %d KiB, more than 10 MiB", people, grown>>10)
	}
}
