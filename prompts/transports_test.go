package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

const (
	handshake = "2025-11-25"
	modern    = "2026-07-28"
)

// A sender sends a request with a key and returns the answer.
type sender func(key, method string, params map[string]any, headers ...string) answer

// An answer is what a client gets.
type answer struct {
	Result struct {
		Prompts      []struct{ Name string }
		Messages     []struct{ Content struct{ Text string } }
		Capabilities map[string]any
	}
	Error *struct {
		Code    int
		Message string
	}
	body string
}

func (a answer) names() string {
	var all []string
	for _, p := range a.Result.Prompts {
		all = append(all, p.Name)
	}
	return strings.Join(all, " ")
}

// overEverything runs a test over stdio and HTTP, in both eras of the protocol.
func overEverything(t *testing.T, outline http.RoundTripper, settings []string, test func(*testing.T, string, sender)) {
	for _, version := range []string{handshake, modern} {
		t.Run("stdio "+version, func(t *testing.T) { test(t, version, overStdio(t, outline, version, settings...)) })
		t.Run("HTTP "+version, func(t *testing.T) { test(t, version, overHTTP(t, outline, version, settings...)) })
	}
}

func serverOn(t *testing.T, outline http.RoundTripper, settings ...string) *app.App {
	t.Helper()
	loaded, err := config.Load(append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	built, err := app.New(app.Options{Config: loaded, Version: "test", Transport: outline})
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// requestOf returns a message in a version of the protocol.
func requestOf(t *testing.T, version, method string, params map[string]any) string {
	if version == modern {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": modern, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func answerOf(t *testing.T, body []byte) answer {
	a := answer{body: string(body)}
	if err := json.Unmarshal(body, &a); err != nil {
		t.Errorf("%v: %s", err, body)
	}
	return a
}

func overStdio(t *testing.T, outline http.RoundTripper, version string, settings ...string) sender {
	return func(key, method string, params map[string]any, _ ...string) answer {
		var out bytes.Buffer
		if err := serverOn(t, outline, append(settings, "OUTLINE_API_KEY="+key)...).ServeStdio(t.Context(), strings.NewReader(requestOf(t, version, method, params)+"\n"), &out); err != nil {
			t.Error(err)
		}
		return answerOf(t, out.Bytes())
	}
}

func overHTTP(t *testing.T, outline http.RoundTripper, version string, settings ...string) sender {
	built := serverOn(t, outline, append(settings, "MCP_TRANSPORT=http", "MCP_PORT=0")...)
	listener, err := built.ListenHTTP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- built.ServeHTTP(ctx, listener) }()
	connections := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(func() {
		connections.CloseIdleConnections()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return func(key, method string, params map[string]any, headers ...string) answer {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listener.Addr().String()+"/mcp", strings.NewReader(requestOf(t, version, method, params)))
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Protocol-Version: "+version)
		if key != "" {
			headers = append(headers, "Authorization: Bearer "+key)
		}
		if version == modern {
			headers = append(headers, "Mcp-Method: "+method)
			if name, ok := params["name"].(string); ok {
				headers = append(headers, "Mcp-Name: "+name)
			}
		}
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			request.Header.Set(name, value)
		}
		response, err := connections.RoundTrip(request)
		if err != nil {
			t.Error(err)
			return answer{}
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Error(err)
		}
		return answerOf(t, text)
	}
}

func TestPromptsOverEveryTransportInBothEras(t *testing.T) {
	outline := workspace(t, nil, page(20, "Buoys", "They float."), in(notes, page(21, "Letter", "Writes a letter.\n\nDear {{name}}")))
	overEverything(t, outline, []string{fromNotes}, func(t *testing.T, version string, send sender) {
		first, params := "server/discover", map[string]any{}
		if version == handshake {
			first, params = "initialize", map[string]any{"protocolVersion": handshake, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "x", "version": "1"}}
		}
		if a := send(fakeoutline.AdminKey, first, params); a.Result.Capabilities["prompts"] == nil {
			t.Errorf("the server does not say that it has prompts: %.500s", a.body)
		}
		if a := send(fakeoutline.AdminKey, "prompts/list", map[string]any{}); !strings.HasPrefix(a.names(), "answer_from_wiki ") || !strings.HasSuffix(a.names(), " find_outdated letter") {
			t.Errorf("prompts/list: %s", a.body)
		}
		if a := send(fakeoutline.AdminKey, "prompts/list", map[string]any{}); version == modern != strings.Contains(a.body, `"cacheScope":"private"`) || version == modern != strings.Contains(a.body, `"ttlMs":60000`) {
			t.Errorf("hints for caches: %s", a.body)
		}
		if a := send(fakeoutline.AdminKey, "prompts/get", map[string]any{"name": "letter", "arguments": map[string]any{"name": "Ada"}}); len(a.Result.Messages) != 1 || a.Result.Messages[0].Content.Text != "Dear Ada" {
			t.Errorf("prompts/get: %s", a.body)
		}
		if a := send(fakeoutline.AdminKey, "prompts/get", map[string]any{"name": "review_document", "arguments": map[string]any{"document": "buoys"}}); len(a.Result.Messages) != 3 || !strings.Contains(a.body, `"uri":"outline://documents/`+uuid(20)+`"`) || !strings.Contains(a.body, "They float.") {
			t.Errorf("prompts/get: %s", a.body)
		}
		for _, test := range []struct{ key, name, arguments, want string }{
			{fakeoutline.AdminKey, "nothing", `{}`, `-32602 prompts/get: no prompt is called "nothing". There are `},
			{fakeoutline.AdminKey, "letter", `{}`, "-32602 prompts/get: missing argument name. Valid arguments: name (required)."},
			{fakeoutline.AdminKey, "catch_up", `{"since":"soon"}`, `-32602 catch_up: since: "soon" is not a date: `},
			{fakeoutline.AdminKey, "summarize_collection", `{"collection":"Nowhere"}`, `-32602 summarize_collection: collection: no collection that you can see is called "Nowhere". `},
			{fakeoutline.AdminKey, "review_document", `{"document":"` + uuid(77) + `"}`, `-32602 review_document: nothing found with this ID.`},
			{"ol_api_unknown", "catch_up", `{}`, "-32603 catch_up: "},
		} {
			arguments := map[string]any{}
			if err := json.Unmarshal([]byte(test.arguments), &arguments); err != nil {
				t.Fatal(err)
			}
			a := send(test.key, "prompts/get", map[string]any{"name": test.name, "arguments": arguments})
			if a.Error == nil || !strings.HasPrefix(fmt.Sprintf("%d %s", a.Error.Code, a.Error.Message), test.want) {
				t.Errorf("%s %s:\n got %s\nwant %s", test.name, test.arguments, a.body, test.want)
			}
		}
		if a := send(fakeoutline.AdminKey, "prompts/get", map[string]any{"name": "catch_up", "arguments": map[string]any{"since": 7}}); a.Error == nil {
			t.Errorf("an argument that is no text is answered with %s", a.body)
		}
	})
}

// TestACallerHasOnlyThePromptsThatItMayRead has a private collection of each of two
// people, of which the setting names one, and then both.
func TestACallerHasOnlyThePromptsThatItMayRead(t *testing.T) {
	private := func(s *fakeoutline.Seed) {
		for i, user := range []int{ada, ben} {
			s.Collections = append(s.Collections, fakeoutline.Collection{ID: uuid(12 + i), URLID: fmt.Sprintf("C%09d", 12+i), Name: "Team prompts", CreatedAt: day(0), UpdatedAt: day(0),
				Memberships: []fakeoutline.Membership{{ID: uuid(60 + i), UserID: uuid(user), Permission: fakeoutline.Manage}}})
		}
	}
	outline := workspace(t, private, in(12, page(21, "Of Ada", "Secret of Ada.")), in(13, page(22, "Of Ben", "Secret of Ben.")))
	const adaKey, benKey = fakeoutline.AdminKey, "ol_api_test_ben"
	for setting, want := range map[string]map[string]string{
		"OUTLINE_PROMPTS_COLLECTION=" + uuid(12): {adaKey: "of_ada", benKey: "", "ol_api_unknown": ""},
		"OUTLINE_PROMPTS_COLLECTION=" + uuid(13): {adaKey: "", benKey: "of_ben"},
		"OUTLINE_PROMPTS_COLLECTION=C000000013":  {adaKey: "", benKey: "of_ben"},
	} {
		for _, version := range []string{handshake, modern} {
			send := overHTTP(t, outline, version, setting)
			var all sync.WaitGroup
			for range 5 {
				for key, own := range want {
					all.Go(func() {
						names := strings.Fields(send(key, "prompts/list", map[string]any{}).names())
						if got := strings.Join(names[min(6, len(names)):], " "); got != own {
							t.Errorf("%s: %s sees %q, want %q", setting, key, got, own)
						}
						for name, text := range map[string]string{"of_ada": "Secret of Ada.", "of_ben": "Secret of Ben."} {
							a := send(key, "prompts/get", map[string]any{"name": name})
							if (name == own) != strings.Contains(a.body, text) || (name != own) != (a.Error != nil && a.Error.Code == -32602) || strings.Contains(a.body, "secret") {
								t.Errorf("%s: %s gets %s", setting, key, a.body)
							}
						}
					})
				}
			}
			all.Wait()
		}
	}
}

func TestARequestThatIsLimitedToReadingIsToldOfNoToolThatWrites(t *testing.T) {
	for _, version := range []string{handshake, modern} {
		send := overHTTP(t, workspace(t, nil, page(20, "Buoys", "They float.")), version)
		for _, limited := range []bool{false, true} {
			var headers []string
			if limited {
				headers = append(headers, "X-Outline-Read-Only: true")
			}
			if got := len(strings.Fields(send(fakeoutline.AdminKey, "prompts/list", map[string]any{}, headers...).names())); got != 6 {
				t.Errorf("%d prompts", got)
			}
			a := send(fakeoutline.AdminKey, "prompts/get", map[string]any{"name": "review_document", "arguments": map[string]any{"document": "Buoys"}}, headers...)
			if len(a.Result.Messages) != 3 || limited == strings.Contains(a.body, "edit_document") || limited == strings.Contains(a.body, "add_comment") {
				t.Errorf("limited %t: %s", limited, a.body)
			}
		}
	}
}

// TestADynamicListHasThePromptsThatTheCallersKeyAllows has keys with few scopes.
func TestADynamicListHasThePromptsThatTheCallersKeyAllows(t *testing.T) {
	scoped := func(s *fakeoutline.Seed) {
		for i, scopes := range [][]string{{"/api/documents.list", "/api/auth.info", "/api/apiKeys.list"}, {"documents:read", "auth:read", "apiKeys:read"}} {
			s.Keys = append(s.Keys, fakeoutline.Key{ID: uuid(82 + i), Secret: fmt.Sprintf("ol_api_test_scoped%d", i), Name: "s", UserID: uuid(ada), Scopes: scopes, CreatedAt: day(0)})
		}
	}
	send := overHTTP(t, workspace(t, scoped, page(20, "Buoys", "They float.")), handshake, "OUTLINE_DYNAMIC_TOOL_LIST=true")
	for key, want := range map[string]string{
		fakeoutline.AdminKey:  "answer_from_wiki summarize_collection write_from_template review_document catch_up find_outdated",
		"ol_api_test_scoped0": "catch_up find_outdated",
		"ol_api_test_scoped1": "answer_from_wiki review_document catch_up find_outdated",
		"ol_api_unknown":      "",
	} {
		if got := send(key, "prompts/list", map[string]any{}); got.names() != want {
			t.Errorf("%s sees %s", key, got.body)
		}
	}
	for key, tools := range map[string][]string{fakeoutline.AdminKey: {"edit_document", "add_comment"}, "ol_api_test_scoped1": nil} {
		a := send(key, "prompts/get", map[string]any{"name": "review_document", "arguments": map[string]any{"document": uuid(20)}})
		for _, tool := range []string{"edit_document", "add_comment"} {
			if strings.Contains(a.body, tool) != slices.Contains(tools, tool) {
				t.Errorf("%s is told %s", key, a.body)
			}
		}
	}
	if a := send("ol_api_test_scoped0", "prompts/get", map[string]any{"name": "review_document", "arguments": map[string]any{"document": uuid(20)}}); a.Error == nil || a.Error.Message != "review_document: the role or the scopes of your key do not allow what it takes." {
		t.Errorf("%s", a.body)
	}
}
