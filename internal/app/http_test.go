package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"go.uber.org/goleak"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
)

// A team is a server that is reached over HTTP.
type team struct {
	app    *app.App
	url    string
	client *http.Client
	stop   context.CancelFunc
	ended  chan error
	log    *lines
}

// lines is a log that is written and read at a time.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serveTeam starts a server. It is stopped at the end of the test.
func serveTeam(t testing.TB, o app.Options, settings ...string) *team {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveTeamOn(t, listener, o, settings...)
}

// serveTeamOn is serveTeam with a listener, whose address settings can name.
func serveTeamOn(t testing.TB, listener net.Listener, o app.Options, settings ...string) *team {
	t.Helper()
	loaded, err := config.Load(append([]string{"MCP_TRANSPORT=http"}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	s := &team{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}, ended: make(chan error, 1), log: &lines{}}
	o.Config, o.Version, o.Log = loaded, "test", slog.New(slog.NewTextHandler(s.log, nil))
	built, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	built.Suggestions().Within = time.Minute // the machine may be busy
	s.app = built
	ctx, stop := context.WithCancel(context.Background())
	s.url, s.stop = "http://"+listener.Addr().String()+"/mcp", stop
	go func() { s.ended <- built.ServeHTTP(ctx, listener) }()
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		if err := <-s.ended; err != nil {
			t.Errorf("serving ends with %v", err)
		}
	})
	return s
}

// reply is what a request is answered with.
type reply struct {
	status int
	header http.Header
	body   string
	Result struct {
		Content      []struct{ Text string }
		IsError      bool
		Tools        []struct{ Name string }
		Instructions string
	}
	Error *struct {
		Code    int
		Message string
	}
}

// names are those of the tools that a list offers.
func (r reply) names() []string {
	names := []string{}
	for _, tool := range r.Result.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// text is what a tool answers.
func (r reply) text() string {
	if len(r.Result.Content) == 0 {
		return r.body
	}
	return r.Result.Content[0].Text
}

// send sends a request with the ID that all clients begin with.
func (s *team) send(ctx context.Context, method, params string, headers ...string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, err
	}
	r := reply{status: response.StatusCode, header: response.Header, body: string(raw)}
	return r, json.Unmarshal(raw, &r)
}

func (s *team) must(t *testing.T, method, params string, headers ...string) reply {
	t.Helper()
	r, err := s.send(t.Context(), method, params, headers...)
	if err != nil {
		t.Fatalf("%s: %v: %s", method, err, r.body)
	}
	return r
}

func bearer(key string) string { return "Authorization: Bearer " + key }

const listCollections = `{"name":"list_collections","arguments":{}}`

func TestEachRequestActsWithTheKeyThatItBrings(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := serveTeam(t, app.Options{Transport: sample.Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "OUTLINE_API_KEY="+fakeoutline.AdminKey)
	create := `{"name":"create_collection","arguments":{"name":"%s"}}`
	for _, test := range []struct {
		name    string
		headers []string
		status  int
		isError bool
		says    string
	}{
		{"the operator's key for who brings none", nil, 200, false, ""},
		{"a member's key", []string{bearer(fakeoutline.MemberKey)}, 200, false, ""},
		{"a viewer's key in its header", []string{"X-Outline-API-Key: " + fakeoutline.ViewerKey}, 200, true, "refused"},
		{"a key that Outline does not know", []string{bearer("ol_api_demo_nobody")}, 200, true, "does not accept the API key"},
		{"a key that has expired", []string{bearer("ol_api_demo_expired")}, 200, true, "does not accept the API key"},
		{"a malformed key", []string{bearer("ol_api demo")}, 401, false, "Authorization"},
		{"an empty key", []string{"X-Outline-API-Key: "}, 401, false, "empty"},
	} {
		r := s.must(t, "tools/call", fmt.Sprintf(create, test.name), test.headers...)
		if r.status != test.status || r.Result.IsError != test.isError || !strings.Contains(r.body, test.says) {
			t.Errorf("%s: status %d: %s", test.name, r.status, r.body)
		}
	}
	if log := s.log.String(); strings.Contains(log, "ol_api") {
		t.Errorf("a key is logged: %s", log)
	}
}

func TestTheDemoTakesKeysAndDoesNotDemandThem(t *testing.T) {
	s := serveTeam(t, app.Options{Demo: true}, "MCP_HOST=0.0.0.0", "MCP_AUTH_TOKENS=0123456789abcdef")
	s.url = strings.Replace(s.url, "[::]", "127.0.0.1", 1)
	for key, says := range map[string]string{"": "Engineering", fakeoutline.ViewerKey: "Engineering", "0123456789abcdef": "Engineering", "ol_api_demo_nobody": "does not accept"} {
		headers := []string{bearer(key)}
		if key == "" {
			headers = nil
		}
		if r := s.must(t, "tools/call", listCollections, headers...); r.status != http.StatusOK || !strings.Contains(r.body, says) {
			t.Errorf("%q: status %d: %s", key, r.status, r.body)
		}
	}
}

func TestFiftyCallersGetTheirOwnAnswers(t *testing.T) {
	const callers, calls = 50, 5000
	s := serveTeam(t, app.Options{Demo: true}, "OUTLINE_DYNAMIC_TOOL_LIST=true", "MCP_MAX_CALLS_PER_KEY=256")
	key := func(n int) string { return fmt.Sprintf("ol_api_demo_user_%d", n) }
	drafts := make([]string, callers)
	for n := range drafts {
		r := s.must(t, "tools/call", fmt.Sprintf(`{"name":"create_document","arguments":{"title":"Draft of %d","text":"secret of user %d.","publish":false}}`, n, n), bearer(key(n)))
		var found bool
		if _, drafts[n], found = strings.Cut(r.text(), `/doc/`); !found {
			t.Fatalf("no draft: %s", r.body)
		}
	}
	var all sync.WaitGroup
	for n := range callers {
		all.Go(func() {
			for call := range calls / callers {
				other := (n + call + 1) % callers
				switch {
				case call%25 == 24: // another role with another list
					who, most := fakeoutline.ViewerKey, 35
					if n%2 == 0 {
						who, most = fakeoutline.AdminKey, 100
					}
					r, err := s.send(t.Context(), "tools/list", "{}", bearer(who))
					if count := len(r.Result.Tools); err != nil || count == 0 || count > most || most == 100 && count < 30 {
						t.Errorf("%s lists %d tools: %v", who, count, err)
					}
				case call%5 == 4 && other != n:
					r, err := s.send(t.Context(), "tools/call", fmt.Sprintf(`{"name":"read_document","arguments":{"document_id":%q}}`, drafts[other]), bearer(key(n)))
					if err != nil || !r.Result.IsError || strings.Contains(r.body, "secret of user") {
						t.Errorf("%d reads the draft of %d: %v: %s", n, other, err, r.body)
					}
				default:
					r, err := s.send(t.Context(), "tools/call", fmt.Sprintf(`{"name":"read_document","arguments":{"document_id":%q}}`, drafts[n]), bearer(key(n)))
					if want := fmt.Sprintf("secret of user %d.", n); err != nil || r.Result.IsError || !strings.Contains(r.text(), want) {
						t.Errorf("%d does not read its draft: %v: %s", n, err, r.body)
					}
				}
			}
		})
	}
	all.Wait()
	if strings.Contains(s.log.String(), "ol_api_demo") {
		t.Error("keys are logged")
	}
}

func TestARequestCanNarrowWhatTheOperatorAllowsAndNotWidenIt(t *testing.T) {
	const readOnly = "X-Outline-Read-Only: true"
	writing := []string{"create_document", "update_document", "delete_document", "archive_document", "add_comment", "batch_create_documents"}
	s := serveTeam(t, app.Options{Demo: true})
	all, some := s.must(t, "tools/list", "{}").names(), s.must(t, "tools/list", "{}", readOnly).names()
	for _, name := range writing {
		if !slices.Contains(all, name) || slices.Contains(some, name) {
			t.Errorf("%s is listed wrongly: %v, %v", name, all, some)
		}
	}
	if !slices.Contains(some, "read_document") || !slices.Contains(some, "list_trash") {
		t.Errorf("tools that read are missing: %v", some)
	}
	create := `{"name":"create_document","arguments":{"title":"x","publish":false}}`
	if r := s.must(t, "tools/call", create, readOnly); r.Error == nil || r.Error.Code != mcp.INVALID_PARAMS {
		t.Errorf("a tool that writes can be called: %s", r.body)
	}
	if r := s.must(t, "tools/call", listCollections, readOnly); r.Error != nil || r.Result.IsError {
		t.Errorf("a tool that reads cannot be called: %s", r.body)
	}
	if r := s.must(t, "tools/call", create); r.Error != nil || r.Result.IsError {
		t.Errorf("another request is narrowed, too: %s", r.body)
	}
	initialize := `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`
	if told := s.must(t, "initialize", initialize, readOnly).Result.Instructions; told == "" || strings.Contains(told, "update_document") {
		t.Errorf("it is told of tools that it is not offered: %s", told)
	}
	if told := s.must(t, "initialize", initialize).Result.Instructions; !strings.Contains(told, "update_document") {
		t.Errorf("another is not told of all tools: %s", told)
	}

	limited := serveTeam(t, app.Options{Demo: true}, "OUTLINE_READ_ONLY=true")
	for _, headers := range [][]string{nil, {"X-Outline-Read-Only: false"}, {readOnly}} {
		if names := limited.must(t, "tools/list", "{}", headers...).names(); !slices.Equal(names, some) {
			t.Errorf("with %v it lists %v", headers, names)
		}
		if r := limited.must(t, "tools/call", create, headers...); r.Error == nil {
			t.Errorf("with %v it writes: %s", headers, r.body)
		}
	}
}

func TestARequestCanNarrowTheCollectionsAndNotWidenThem(t *testing.T) {
	s := serveTeam(t, app.Options{Demo: true}, "OUTLINE_COLLECTIONS=Handbook, Engineering, Nowhere")
	for header, want := range map[string][]string{
		"": {"Handbook", "Engineering"}, "Engineering": {"Engineering"}, "Finance, Handbook": {"Handbook"}, "xVj43W43Sy": {"Engineering"}, "Finance": nil, "Nowhere": nil,
	} {
		var headers []string
		if header != "" {
			headers = []string{"X-Outline-Collections: " + header}
		}
		told := s.must(t, "tools/call", listCollections, headers...).text()
		for _, name := range []string{"Handbook", "Engineering", "Operations", "Finance"} {
			if strings.Contains(told, `"`+name+`"`) != slices.Contains(want, name) {
				t.Errorf("with %q it shows: %s", header, told)
			}
		}
	}
	for _, header := range []string{"", ",", "Handbook,,", strings.Repeat("x", 201), strings.Repeat("x,", 101) + "x", "a\xff"} {
		if r, _ := s.send(t.Context(), "tools/call", listCollections, "X-Outline-Collections: "+header); r.status != http.StatusBadRequest {
			t.Errorf("%.20q: %d %s", header, r.status, r.body)
		}
	}
	if told := strings.Count(s.log.String(), "entry=Nowhere"); told != 1 {
		t.Errorf("the log tells %d times that a name matches nothing:\n%s", told, s.log)
	}
}

func TestARequestThatIsLimitedToReadingIsToldOfNoToolThatWrites(t *testing.T) {
	const readOnly = "X-Outline-Read-Only: true"
	s := serveTeam(t, app.Options{Demo: true})
	offered := s.must(t, "tools/list", "{}", readOnly)
	answers := map[string]string{
		"tools/list": offered.body,
		"initialize": s.must(t, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`, readOnly).body,
	}
	for _, tool := range offered.names() {
		for _, call := range fixtures.Read(t, "../../tools/testdata/calls", tool) {
			answers[tool+"/"+call.Name] = s.must(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, call.Arguments), readOnly).body
		}
	}
	for where, answer := range answers {
		for _, tool := range tools.All() {
			info := tool.Info()
			if info.Effect != mcptool.Reads && regexp.MustCompile(`\b`+info.Name+`\b`).MatchString(answer) {
				t.Errorf("%s names %s: %s", where, info.Name, answer)
			}
		}
	}
}

func TestReadyMeansThatOutlineAnswers(t *testing.T) {
	outline := newOutlineServer(t)
	for _, test := range []struct {
		name  string
		fault http.HandlerFunc
		ready bool
	}{
		{"Outline itself", nil, true},
		{"an error of Outline's", status(500, "application/json", `{"ok":false,"error":"internal_error"}`), true},
		{"a rate limit", status(429, "application/json", `{"ok":false,"error":"rate_limit_exceeded"}`), true},
		{"a proxy's page", status(502, "text/html", "<html>Bad gateway</html>"), false},
		{"an empty answer", status(200, "application/json", ""), false},
		{"a redirect", status(302, "text/html", "", "Location", "https://login.example.com"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			outline.heal()
			if test.fault != nil {
				outline.fail(test.fault)
			}
			s := serveTeam(t, app.Options{}, "OUTLINE_API_URL="+outline.URL)
			response, err := s.client.Get(strings.TrimSuffix(s.url, "/mcp") + "/ready")
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, _ := io.ReadAll(response.Body)
			if ready := response.StatusCode == http.StatusOK; ready != test.ready || strings.Contains(string(body), outline.URL) {
				t.Errorf("status %d: %s", response.StatusCode, body)
			}
		})
	}
	outline.Close()
	s := serveTeam(t, app.Options{}, "OUTLINE_API_URL="+outline.URL)
	response, err := s.client.Get(strings.TrimSuffix(s.url, "/mcp") + "/ready")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("without Outline: status %d", response.StatusCode)
	}
}

func TestACertificateIsTrustedAsTheSettingsSay(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewUnstartedServer(sample)
	outline.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused handshakes
	outline.StartTLS()
	defer outline.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: outline.Certificate().Raw})
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, setting string
		code          output.Code
	}{
		{"an unknown authority is refused", "OUTLINE_VERIFY_SSL=true", output.Unreachable},
		{"one of OUTLINE_CA_FILE is trusted", "OUTLINE_CA_FILE=" + file, ""},
		{"any is trusted with OUTLINE_VERIFY_SSL off", "OUTLINE_VERIFY_SSL=false", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := connect(t, io.Discard, "OUTLINE_API_URL="+outline.URL, "OUTLINE_API_KEY="+fakeoutline.AdminKey, "OUTLINE_MAX_RETRIES=0", "OUTLINE_STRUCTURED_OUTPUT=true", test.setting)
			answer, err := cli.Call(t.Context(), c, "list_collections", nil)
			if err != nil || answer.Code != test.code {
				t.Errorf("code %q, want %q: %v: %s", answer.Code, test.code, err, answer.Text)
			}
		})
	}
}

// A stalled Outline answers nothing but which collections there are: callers share that
// answer, so that it is awaited when one of them leaves.
type stalled struct {
	http.RoundTripper

	asked chan struct{}
}

func (s stalled) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "collections.list") {
		return s.RoundTripper.RoundTrip(r)
	}
	s.asked <- struct{}{}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestCallersWhoLeaveEndTheirCallsToOutline(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := stalled{sample.Transport(), make(chan struct{}, 1000)}
	s := serveTeam(t, app.Options{Transport: outline}, "OUTLINE_API_URL="+fakeoutline.BaseURL, "OUTLINE_REQUEST_TIMEOUT=1h")
	s.must(t, "tools/list", "{}", bearer(fakeoutline.MemberKey)) // it serves
	running := goleak.IgnoreCurrent()
	ctx, leave := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	for _, params := range []string{
		`{"name":"read_document","arguments":{"document_id":"1FF9VyHA4X"}}`,
		`{"name":"search_documents","arguments":{"query":"deploy"}}`,
		`{"name":"edit_document","arguments":{"document_id":"1FF9VyHA4X","edits":[{"old_text":"a","new_text":"b"}]}}`,
	} {
		calls.Go(func() {
			if r, err := s.send(ctx, "tools/call", params, bearer(fakeoutline.MemberKey)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v: %s", params, err, r.body)
			}
		})
		<-outline.asked
	}
	leave()
	calls.Wait()
	s.client.CloseIdleConnections()
	goleak.VerifyNone(t, running, fixtures.ClosingConnections())
}
