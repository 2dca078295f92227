package app_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

// transport is Outline as the client of Outline sees it.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func TestNamesThatAClientMakesUpDoNotFillTheLog(t *testing.T) {
	loaded, err := config.Load([]string{"LOG_LEVEL=debug"})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	server, err := app.New(app.Options{Config: loaded, Demo: true, Version: "test", Log: app.NewLogger(&log, loaded)})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", 1<<20)
	lines := ""
	for _, name := range []string{long, long[:100]} {
		lines += `{"jsonrpc":"2.0","id":1,"method":"` + name + `"}` + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}` + "\n"
	}
	var out bytes.Buffer
	if err := server.ServeStdio(t.Context(), strings.NewReader(lines), &out); err != nil {
		t.Fatal(err)
	}
	if logged := log.String(); len(logged) > 4000 || strings.Count(logged, long[:100]) < 2 {
		t.Errorf("%d bytes are logged: %.2000s", len(logged), logged)
	}
}

func TestRequestsToOutlineNameTheProgramAndItsVersion(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	agents := make(chan string, 16)
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents <- r.UserAgent()
		sample.ServeHTTP(w, r)
	}))
	defer outline.Close()
	c := connect(t, io.Discard, "OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY="+fakeoutline.AdminKey)
	if answer, err := cli.Call(t.Context(), c, "list_collections", nil); err != nil || answer.Code != "" {
		t.Fatalf("%v: %s", err, answer.Text)
	}
	if agent := <-agents; agent != "outline-mcp/test" {
		t.Errorf("User-Agent is %q", agent)
	}
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, fixtures.ClosingConnections(),
		// Connections to Outline are kept for the next call, by design.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}
