package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/views"
)

// showing is what a client that shows views declares.
func showing(mimeType string) map[string]any {
	return map[string]any{"extensions": map[string]any{views.Extension: map[string]any{"mimeTypes": []string{mimeType}}}}
}

// A viewer is a client. ask sends a request and returns the result as it was sent, or
// what the error says.
type viewer struct {
	ask func(t *testing.T, method string, params map[string]any) string
}

// viewers returns clients of a new server of each kind: those of protocol version
// 2026-07-28 with capabilities in each request, and earlier ones.
func viewers(t *testing.T, capabilities map[string]any, settings ...string) map[string]viewer {
	t.Helper()
	settings = append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_TOOLS=all"}, settings...)
	early := onLines(t, newWorkspace(t).Transport(), settings...)
	early.initialize(t, capabilities)
	late := onLines(t, newWorkspace(t).Transport(), settings...)
	onHTTP := serveTeam(t, app.Options{Transport: newWorkspace(t).Transport()}, settings...)
	overHTTP := func(t *testing.T, method string, params map[string]any, headers ...string) string {
		encoded, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		var m rpc
		if err := json.Unmarshal([]byte(onHTTP.must(t, method, string(encoded), append(headers, bearer(fakeoutline.AdminKey))...).body), &m); err != nil {
			t.Fatal(err)
		}
		return answerOf(m)
	}
	// A client without a session ID sends an empty one here, which says as much as none.
	initialize, err := json.Marshal(map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	session := "Mcp-Session-Id: " + onHTTP.must(t, "initialize", string(initialize), bearer(fakeoutline.AdminKey)).header.Get("Mcp-Session-Id")
	withMeta := func(params map[string]any) map[string]any {
		params = maps.Clone(params)
		params["_meta"] = metaOf(capabilities)
		return params
	}
	return map[string]viewer{
		"earlier, stdio": {func(t *testing.T, method string, params map[string]any) string {
			early.request(t, method, params)
			return answerOf(early.read(t))
		}},
		"2026-07-28, stdio": {func(t *testing.T, method string, params map[string]any) string {
			late.request(t, method, withMeta(params))
			return answerOf(late.read(t))
		}},
		"earlier, http": {func(t *testing.T, method string, params map[string]any) string {
			return overHTTP(t, method, params, session)
		}},
		"2026-07-28, http": {func(t *testing.T, method string, params map[string]any) string {
			headers := []string{"Mcp-Protocol-Version: " + mcp.ProtocolVersion20260728, "Mcp-Method: " + method}
			for _, name := range []string{"name", "uri"} {
				if value, ok := params[name].(string); ok {
					headers = append(headers, "Mcp-Name: "+value)
				}
			}
			return overHTTP(t, method, withMeta(params), headers...)
		}},
	}
}

func answerOf(m rpc) string {
	if m.Error != nil {
		return "error: " + m.Error.Message
	}
	return string(m.Result)
}

// withViews are the tools that have a view.
var withViews = map[string]string{
	"edit_document": "difference", "update_document": "difference", "read_revision": "difference", "restore_document": "difference",
	"read_document": "document", "read_document_section": "document",
	"search_documents": "finding", "list_documents": "finding", "find_in_documents": "finding", "get_collection_structure": "finding",
}

func TestListsNameViewsToClientsThatShowThem(t *testing.T) {
	without := viewers(t, map[string]any{}, "OUTLINE_VIEWS=off")
	all := slices.Sorted(maps.Keys(without))
	for _, test := range []struct {
		name, setting string
		capabilities  map[string]any
		views         []string // the clients that get them
	}{
		{"auto, for clients that show views", "", showing(views.MIMEType), all},
		{"auto, for clients that show other views", "", showing("text/html"), nil},
		{"auto, for other clients", "OUTLINE_VIEWS=auto", map[string]any{}, nil},
		{"on", "OUTLINE_VIEWS=on", map[string]any{}, all},
		{"off", "OUTLINE_VIEWS=off", showing(views.MIMEType), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, client := range viewers(t, test.capabilities, test.setting) {
				list, plain := client.ask(t, "tools/list", map[string]any{}), without[name].ask(t, "tools/list", map[string]any{})
				if !slices.Contains(test.views, name) {
					if list != plain {
						t.Errorf("%s: the list is not the one without views", name)
					}
					continue
				}
				if more := len(list) - len(plain); more > 60*len(withViews) {
					t.Errorf("%s: %d bytes more for %d tools", name, more, len(withViews))
				}
				var listed struct {
					Tools []struct {
						Name string
						Meta struct{ UI struct{ ResourceURI string } } `json:"_meta"`
					}
				}
				if err := json.Unmarshal([]byte(list), &listed); err != nil {
					t.Fatal(err)
				}
				got := map[string]string{}
				for _, tool := range listed.Tools {
					if uri, ok := strings.CutPrefix(tool.Meta.UI.ResourceURI, "ui://outline/"); ok {
						got[tool.Name] = uri
					}
				}
				if !maps.Equal(got, withViews) {
					t.Errorf("%s: %v", name, got)
				}
			}
		})
	}
}

func TestToolsWithALimitedAnswerKeepItBesideTheirView(t *testing.T) {
	for name, client := range viewers(t, showing(views.MIMEType), "OUTLINE_VIEWS=on", "OUTLINE_MAX_RESPONSE_CHARS=100000") {
		if list := client.ask(t, "tools/list", map[string]any{}); !strings.Contains(list, `"_meta":{"anthropic/maxResultSizeChars":100000,"ui":{"resourceUri":"ui://outline/document"}}`) {
			t.Errorf("%s: %.300s", name, list)
		}
	}
}

func TestViewsGetStructuredContentThatModelsDoNotSee(t *testing.T) {
	type result struct {
		Content    json.RawMessage
		Structured json.RawMessage `json:"structuredContent"`
		Meta       struct {
			Structured json.RawMessage `json:"outline-mcp/structuredContent"`
		} `json:"_meta"`
	}
	plain := viewers(t, map[string]any{})
	structured := viewers(t, showing(views.MIMEType), "OUTLINE_STRUCTURED_OUTPUT=true")
	shown := viewers(t, showing(views.MIMEType))
	for call, params := range map[string]map[string]any{
		"of a tool with a view":    {"name": "search_documents", "arguments": map[string]any{"query": "onboarding"}},
		"of a tool without a view": {"name": "list_collections", "arguments": map[string]any{}},
		"of a tool that fails":     {"name": "read_document", "arguments": map[string]any{"document_id": "00000000-0000-4000-8000-000000000000"}},
	} {
		for name := range shown {
			t.Run(fmt.Sprintf("%s, %s", call, name), func(t *testing.T) {
				answer := func(of map[string]viewer) (r result) {
					text := of[name].ask(t, "tools/call", params)
					if err := json.Unmarshal([]byte(text), &r); err != nil {
						t.Fatal(err, text)
					}
					return r
				}
				without, both, view := answer(plain), answer(structured), answer(shown)
				if string(view.Content) != string(without.Content) || view.Structured != nil || without.Meta.Structured != nil {
					t.Errorf("the view changes what the model gets: %s", view.Content)
				}
				if len(both.Structured) == 0 || string(view.Meta.Structured) != string(both.Structured) {
					t.Errorf("the view gets %s", view.Meta.Structured)
				}
				if both.Meta.Structured != nil {
					t.Errorf("the view gets structured content twice")
				}
			})
		}
	}
}

func TestViewsAreReadWithoutALimitAndNotListed(t *testing.T) {
	for name, client := range viewers(t, showing(views.MIMEType), "OUTLINE_MAX_RESPONSE_CHARS=10000") {
		for _, view := range views.All() {
			var read struct {
				Contents []struct {
					URI, MIMEType, Text string
					Meta                struct{ UI map[string]any } `json:"_meta"`
				}
			}
			answer := client.ask(t, "resources/read", map[string]any{"uri": view.URI()})
			if err := json.Unmarshal([]byte(answer), &read); err != nil || len(read.Contents) != 1 {
				t.Fatalf("%s: %.300s", name, answer)
			}
			page := read.Contents[0]
			if page.URI != view.URI() || page.MIMEType != views.MIMEType || !strings.HasPrefix(page.Text, "<!DOCTYPE html>") || page.Meta.UI["csp"] != nil || page.Meta.UI["prefersBorder"] != true {
				t.Errorf("%s: %.300s", name, answer)
			}
			if kept := strings.Contains(answer, `"ttlMs":3600000,"cacheScope":"public"`); kept != strings.HasPrefix(name, "2026-07-28") {
				t.Errorf("%s: may keep the view: %t", name, kept)
			}
		}
		if list := client.ask(t, "resources/list", map[string]any{}); strings.Contains(list, "ui://") {
			t.Errorf("%s lists views: %.300s", name, list)
		}
		if answer := client.ask(t, "resources/read", map[string]any{"uri": "ui://outline/other"}); !strings.HasPrefix(answer, "error: ") {
			t.Errorf("%s: %.300s", name, answer)
		}
	}
}

func TestViewsThatNoClientOrToolNeedsAreNotFound(t *testing.T) {
	for _, settings := range [][]string{{"OUTLINE_VIEWS=off"}, {"OUTLINE_TOOLS=read_document"}} {
		for name, client := range viewers(t, showing(views.MIMEType), settings...) {
			if answer := client.ask(t, "resources/read", map[string]any{"uri": views.Finding.URI()}); !strings.HasPrefix(answer, "error: ") {
				t.Errorf("%s, %s: %.300s", settings, name, answer)
			}
		}
	}
}

func TestNoStructuredContentIsSentForViewsThatNoToolHas(t *testing.T) {
	for name, client := range viewers(t, showing(views.MIMEType), "OUTLINE_VIEWS=on", "OUTLINE_TOOLS=list_collections") {
		answer := client.ask(t, "tools/call", map[string]any{"name": "list_collections", "arguments": map[string]any{}})
		if !strings.Contains(answer, `"content"`) || strings.Contains(answer, views.StructuredContent) {
			t.Errorf("%s: %.300s", name, answer)
		}
	}
}

func TestOnlyClientsWithViewsLearnOfThemWhereThereIsNothingElseToRead(t *testing.T) {
	for name, test := range map[string]struct {
		capabilities map[string]any
		announced    bool
	}{
		"a client that shows views": {showing(views.MIMEType), true},
		"another client":            {map[string]any{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			client := viewers(t, test.capabilities, "OUTLINE_TOOLS=search_documents")["2026-07-28, stdio"]
			if answer := client.ask(t, "server/discover", map[string]any{}); strings.Contains(answer, `"resources"`) != test.announced {
				t.Errorf("%.400s", answer)
			}
			early := onLines(t, newWorkspace(t).Transport(), "OUTLINE_TOOLS=search_documents")
			early.request(t, "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": test.capabilities, "clientInfo": map[string]any{"name": "test", "version": "1"}})
			if answer := answerOf(early.read(t)); strings.Contains(answer, `"resources"`) != test.announced {
				t.Errorf("%.400s", answer)
			}
		})
	}
}

// One picture is scaled at a time, so those of a caller who has many must not all come before
// another's.
func TestPicturesOfOneCallerDoNotHoldUpAnothers(t *testing.T) {
	var drawing bytes.Buffer
	if err := png.Encode(&drawing, image.NewGray(image.Rect(0, 0, 3000, 3000))); err != nil {
		t.Fatal(err)
	}
	const many = 8
	var fetched, answered, before atomic.Int64
	all := make(chan struct{})
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path.Base(r.URL.Path) {
		case "attachments.redirect":
			http.Redirect(w, r, "/api/files.get?key="+url.QueryEscape(r.Header.Get("Authorization")), http.StatusFound)
		case "files.get":
			if strings.HasSuffix(r.FormValue("key"), fakeoutline.AdminKey) {
				<-all
				before.Store(answered.Load())
			} else if fetched.Add(1) == many {
				close(all)
			}
			_, _ = w.Write(drawing.Bytes())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(outline.Close)
	s := serveTeam(t, app.Options{}, "OUTLINE_API_URL="+outline.URL, "OUTLINE_CALL_TIMEOUT=10m")
	look := func(key string) {
		reply, err := s.send(t.Context(), "tools/call", `{"name":"read_attachment","arguments":{"attachment_id":"11111111-1111-4111-8111-111111111111"}}`, bearer(key))
		if err != nil || reply.Result.IsError || reply.status != http.StatusOK {
			t.Errorf("%v, %.300s", err, reply.body)
		}
	}
	var callers sync.WaitGroup
	for range many {
		callers.Go(func() {
			look(fakeoutline.MemberKey)
			answered.Add(1)
		})
	}
	look(fakeoutline.AdminKey)
	if meanwhile := answered.Load() - before.Load(); meanwhile > 3 {
		t.Errorf("%d pictures of another caller came first", meanwhile)
	}
	callers.Wait()
}
