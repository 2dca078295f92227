package app_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/internal/mcptool"
	"outline-mcp/tools"
)

// recordedCalls returns the arguments of the recorded calls of a tool that succeed.
func recordedCalls(t *testing.T, tool string) map[string]json.RawMessage {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "tools", "testdata", "calls", tool, "arguments.json"))
	if err != nil {
		t.Fatal(err)
	}
	var calls map[string]json.RawMessage
	if err := json.Unmarshal(content, &calls); err != nil {
		t.Fatal(err)
	}
	for name := range calls {
		if !strings.HasPrefix(name, "success") {
			delete(calls, name)
		}
	}
	if len(calls) == 0 {
		t.Errorf("no call of %s is recorded", tool)
	}
	return calls
}

func TestEveryToolThatReadsWorksWithALoginToRead(t *testing.T) {
	p := serveLogin(t, app.Options{}, nil, "OUTLINE_TOOLS=all")
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
		for name, arguments := range recordedCalls(t, info.Name) {
			got, _ := v.call(login.Access, "tools/call", tool(info.Name, string(arguments)))
			want, _ := v.call(fakeoutline.AdminKey, "tools/call", tool(info.Name, string(arguments)))
			if got.status != http.StatusOK || got.Result.IsError != want.Result.IsError || got.text() == "" {
				t.Errorf("%s, %s: %d %s\nand with a key: %s", info.Name, name, got.status, got.text(), want.text())
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
