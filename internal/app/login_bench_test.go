package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

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
