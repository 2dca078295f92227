package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

func TestARequestThatCannotBeReadIsAnsweredWithASentence(t *testing.T) {
	w := newWorkspace(t)
	lines := onLines(t, w.Transport())
	lines.initialize(t, map[string]any{})
	over := serveTeam(t, app.Options{Transport: w.Transport()}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	for _, test := range []struct {
		method, params, want string
		code                 int
	}{
		{"prompts/get", `{"name":"catch_up","arguments":{"since":7}}`, "prompts/get: wrong type of arguments. Send what the MCP specification says.", mcp.INVALID_PARAMS},
		{"resources/read", `{"uri":{}}`, "resources/read: wrong type of uri. Send what the MCP specification says.", mcp.INVALID_PARAMS},
		{"completion/complete", `{"ref":7}`, "completion/complete: wrong type of its parameters. Send what the MCP specification says.", mcp.INVALID_PARAMS},
		{"prompts/list", `{"cursor":"?"}`, "prompts/list: unknown cursor. Ask for the first page without a cursor.", mcp.INVALID_PARAMS},
		{"tools/list", `{"cursor":"?"}`, "tools/list: unknown cursor. ", mcp.INVALID_PARAMS},
	} {
		lines.id++
		if _, err := lines.in.Write([]byte(`{"jsonrpc":"2.0","id":9,"method":"` + test.method + `","params":` + test.params + "}\n")); err != nil {
			t.Fatal(err)
		}
		if m := lines.read(t); m.Error == nil || m.Error.Code != test.code || !strings.HasPrefix(m.Error.Message, test.want) || strings.Contains(m.Error.Message, "Go ") {
			t.Errorf("%s %s on stdio: %+v", test.method, test.params, m.Error)
		}
		r, err := over.send(t.Context(), test.method, test.params, bearer(fakeoutline.AdminKey), "Mcp-Protocol-Version: 2025-11-25")
		if err != nil || r.status != http.StatusOK || !strings.Contains(r.body, test.want) || strings.Contains(r.body, "Go ") {
			t.Errorf("%s %s over HTTP: %v, %d: %s", test.method, test.params, err, r.status, r.body)
		}
	}
}
