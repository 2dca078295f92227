package streamable_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/clientcaps"
	"outline-mcp/internal/streamable"
)

const extension = "example.com/pictures"

// remembering is a server that notes what the client of each request declares of an
// extension, as JSON.
func remembering(t *testing.T) (ask func(body, session string) http.Header, declared *string) {
	t.Helper()
	declared = new(string)
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, _ *mcp.ListToolsResult) {
		encoded, err := json.Marshal(clientcaps.Of(ctx).Extensions[extension])
		if err != nil {
			t.Error(err)
		}
		*declared = string(encoded)
	})
	h := streamable.New(server.NewMCPServer("test", "1", server.WithToolCapabilities(false), server.WithHooks(hooks)), nil)
	h.Remember = extension
	return func(body, session string) http.Header {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
		r.Header.Set("Content-Type", "application/json")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.Serve(w, r, []byte(body))
		if w.Code != http.StatusOK {
			t.Fatalf("%s is answered with %d %s", body, w.Code, w.Body)
		}
		return w.Header()
	}, declared
}

func initialize(extensions string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"test","version":"1"},"capabilities":{"extensions":` + extensions + `}}}`
}

const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`

func TestWhatAClientDeclaresIsKnownByItsSessionID(t *testing.T) {
	for name, test := range map[string]struct{ extensions, want string }{
		"the extension":     {`{"example.com/pictures":{"types":["png"]},"other":{}}`, `{"types":["png"]}`},
		"another extension": {`{"other":{}}`, ""},
		"none":              {`{}`, ""},
		"too much of it":    {`{"example.com/pictures":"` + strings.Repeat("x", 600) + `"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ask, declared := remembering(t)
			session := ask(initialize(test.extensions), "").Get("Mcp-Session-Id")
			if (session != "") != (test.want != "") {
				t.Fatalf("the session ID is %q", session)
			}
			if test.want == "" {
				return
			}
			if again := ask(initialize(test.extensions), session).Get("Mcp-Session-Id"); again == session {
				t.Error("two sessions have the same ID")
			}
			if ask(list, session); *declared != test.want {
				t.Errorf("known is %s", *declared)
			}
			if ask(list, ""); *declared != "null" {
				t.Errorf("known without the session ID is %s", *declared)
			}
		})
	}
}

func TestASessionIDThatSaysNothingIsIgnored(t *testing.T) {
	ask, declared := remembering(t)
	for _, session := range []string{"x", ".", "x.!", "x." + base64.RawURLEncoding.EncodeToString([]byte("{")), "x." + base64.RawURLEncoding.EncodeToString([]byte(`"`+strings.Repeat("x", 600)+`"`))} {
		if ask(list, session); *declared != "null" {
			t.Errorf("%.20s: known is %s", session, *declared)
		}
	}
}
