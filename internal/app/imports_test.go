package app_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestImportsPointOneWay(t *testing.T) {
	allowed := map[string][]string{
		"outline-mcp/internal/text":               nil,
		"outline-mcp/internal/boolean":            nil,
		"outline-mcp/internal/reload":             nil,
		"outline-mcp/internal/reach":              {"outline-mcp/internal/reload", "outline-mcp/outline/transport"},
		"outline-mcp/internal/netaddr":            nil,
		"outline-mcp/internal/dates":              nil,
		"outline-mcp/outline":                     {"outline-mcp/internal/text", "outline-mcp/outline/docedit", "outline-mcp/outline/prosemirror", "outline-mcp/outline/richtext", "outline-mcp/outline/sametext", "outline-mcp/outline/transport"},
		"outline-mcp/outline/transport":           nil,
		"outline-mcp/outline/richtext":            nil,
		"outline-mcp/outline/sametext":            nil,
		"outline-mcp/output":                      {"outline-mcp/internal/markdown", "outline-mcp/internal/text"},
		"outline-mcp/outline/prosemirror":         nil,
		"outline-mcp/outline/docedit":             {"outline-mcp/outline/prosemirror"},
		"outline-mcp/internal/markdown":           nil,
		"outline-mcp/internal/config":             {"outline-mcp/internal/oauth/client", "outline-mcp/internal/boolean", "outline-mcp/internal/netaddr", "outline-mcp/internal/text", "outline-mcp/outline", "outline-mcp/internal/replicas"},
		"outline-mcp/internal/budget":             nil,
		"outline-mcp/internal/generate":           nil,
		"outline-mcp/internal/tasks":              {"outline-mcp/internal/fakeoutline"},
		"outline-mcp/internal/leaktest":           nil,
		"outline-mcp/internal/icons":              nil,
		"outline-mcp/internal/clientcaps":         nil,
		"outline-mcp/views":                       {"outline-mcp/internal/clientcaps"},
		"outline-mcp/internal/localfile":          nil,
		"outline-mcp/internal/picture":            nil,
		"outline-mcp/internal/clientfile":         nil,
		"outline-mcp/internal/cursor":             nil,
		"outline-mcp/internal/grep":               nil,
		"outline-mcp/internal/install":            {"outline-mcp/internal/clientfile", "outline-mcp/internal/config", "outline-mcp/internal/netaddr", "outline-mcp/outline"},
		"outline-mcp/internal/explain":            {"outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/batch":              {"outline-mcp/internal/explain", "outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/audit":              {"outline-mcp/internal/auth", "outline-mcp/internal/bysubject", "outline-mcp/internal/text", "outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/pipeline":           {"outline-mcp/internal/audit", "outline-mcp/internal/auth", "outline-mcp/internal/explain", "outline-mcp/internal/jsonrpc", "outline-mcp/internal/metrics", "outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/jsonrpc":            {"outline-mcp/internal/text"},
		"outline-mcp/internal/hostile":            nil,
		"outline-mcp/internal/bysubject":          {"outline-mcp/internal/auth"},
		"outline-mcp/internal/bounds":             {"outline-mcp/internal/auth", "outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/mcptool":            {"outline-mcp/views", "outline-mcp/internal/audit", "outline-mcp/internal/localfile", "outline-mcp/internal/bysubject", "outline-mcp/internal/boolean", "outline-mcp/internal/jsonrpc", "outline-mcp/internal/explain", "outline-mcp/internal/pipeline", "outline-mcp/outline", "outline-mcp/output", "outline-mcp/internal/confirm"},
		"outline-mcp/tools":                       {"outline-mcp/views", "outline-mcp/internal/localfile", "outline-mcp/internal/batch", "outline-mcp/internal/cursor", "outline-mcp/internal/dates", "outline-mcp/internal/grep", "outline-mcp/outline/docedit", "outline-mcp/outline/prosemirror", "outline-mcp/outline/sametext", "outline-mcp/internal/explain", "outline-mcp/internal/mcptool", "outline-mcp/outline", "outline-mcp/output", "outline-mcp/internal/markdown", "outline-mcp/internal/passage", "outline-mcp/internal/text", "outline-mcp/internal/picture", "outline-mcp/internal/confirm"},
		"outline-mcp/prompts":                     {"outline-mcp/internal/bysubject", "outline-mcp/internal/dates", "outline-mcp/internal/explain", "outline-mcp/internal/mcptool", "outline-mcp/internal/pipeline", "outline-mcp/outline", "outline-mcp/outline/prosemirror", "outline-mcp/output", "outline-mcp/tools", "outline-mcp/internal/icons"},
		"outline-mcp/resources":                   {"outline-mcp/views", "outline-mcp/internal/batch", "outline-mcp/internal/cursor", "outline-mcp/internal/icons", "outline-mcp/internal/mcptool", "outline-mcp/internal/pipeline", "outline-mcp/internal/text", "outline-mcp/outline", "outline-mcp/output", "outline-mcp/tools"},
		"outline-mcp/internal/seal":               nil,
		"outline-mcp/internal/oauth":              {"outline-mcp/internal/oauth/client", "outline-mcp/internal/seal"},
		"outline-mcp/internal/confirm":            {"outline-mcp/internal/clientcaps", "outline-mcp/internal/auth", "outline-mcp/internal/seal", "outline-mcp/internal/text", "outline-mcp/output"},
		"outline-mcp/internal/httpd":              {"outline-mcp/internal/reload", "outline-mcp/internal/auth", "outline-mcp/internal/boolean", "outline-mcp/internal/jsonrpc", "outline-mcp/internal/netaddr", "outline-mcp/outline"},
		"outline-mcp/internal/notify":             nil,
		"outline-mcp/internal/jsonlines":          nil,
		"outline-mcp/internal/subscriptions":      {"outline-mcp/internal/auth", "outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/stdio":              {"outline-mcp/internal/jsonlines", "outline-mcp/internal/jsonrpc", "outline-mcp/internal/notify"},
		"outline-mcp/internal/streamable":         {"outline-mcp/internal/clientcaps", "outline-mcp/internal/jsonrpc", "outline-mcp/internal/text", "outline-mcp/internal/notify"},
		"outline-mcp/internal/auth":               nil,
		"outline-mcp/internal/oauth/client":       {"outline-mcp/internal/netaddr"},
		"outline-mcp/internal/passage":            {"outline-mcp/internal/text"},
		"outline-mcp/internal/metrics":            nil,
		"outline-mcp/internal/oauthapp":           {"outline-mcp/internal/oauth", "outline-mcp/outline"},
		"outline-mcp/internal/doctor":             {"outline-mcp/internal/telemetry", "outline-mcp/internal/reach", "outline-mcp/internal/oauth", "outline-mcp/internal/explain", "outline-mcp/output", "outline-mcp/prompts", "outline-mcp/internal/app", "outline-mcp/internal/config", "outline-mcp/internal/mcptool", "outline-mcp/internal/auth", "outline-mcp/internal/netaddr", "outline-mcp/internal/text", "outline-mcp/internal/toolclient", "outline-mcp/outline", "outline-mcp/outline/transport", "outline-mcp/tools", "outline-mcp/internal/audit", "outline-mcp/internal/oauthapp", "outline-mcp/internal/bounds", "outline-mcp/internal/replicas"},
		"outline-mcp/internal/telemetry":          nil,
		"outline-mcp/internal/toolclient":         {"outline-mcp/output"},
		"outline-mcp/internal/script":             {"outline-mcp/internal/jsonlines", "outline-mcp/internal/text", "outline-mcp/internal/toolclient", "outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/completion":         {"outline-mcp/internal/mcptool", "outline-mcp/internal/suggest"},
		"outline-mcp/internal/suggest":            {"outline-mcp/internal/bysubject", "outline-mcp/internal/mcptool", "outline-mcp/outline", "outline-mcp/output"},
		"outline-mcp/internal/tour":               {"outline-mcp/internal/app", "outline-mcp/internal/config", "outline-mcp/internal/text", "outline-mcp/internal/toolclient"},
		"outline-mcp/internal/typings":            nil,
		"outline-mcp/docs/types/outline":          nil,
		"outline-mcp/internal/app":                {"outline-mcp/views", "outline-mcp/internal/reach", "outline-mcp/internal/reload", "outline-mcp/internal/notify", "outline-mcp/internal/subscriptions", "outline-mcp/internal/confirm", "outline-mcp/internal/localfile", "outline-mcp/outline", "outline-mcp/outline/transport", "outline-mcp/output", "outline-mcp/tools", "outline-mcp/resources", "outline-mcp/internal/explain", "outline-mcp/internal/mcptool", "outline-mcp/internal/jsonrpc", "outline-mcp/prompts", "outline-mcp/internal/config", "outline-mcp/internal/text", "outline-mcp/internal/fakeoutline", "outline-mcp/internal/httpd", "outline-mcp/internal/stdio", "outline-mcp/internal/streamable", "outline-mcp/internal/auth", "outline-mcp/internal/bysubject", "outline-mcp/internal/metrics", "outline-mcp/internal/pipeline", "outline-mcp/internal/suggest", "outline-mcp/internal/icons", "outline-mcp/internal/oauth", "outline-mcp/internal/oauth/client", "outline-mcp/internal/audit", "outline-mcp/internal/bounds", "outline-mcp/internal/telemetry", "outline-mcp/internal/replicas"},
		"outline-mcp/cmd/outline-mcp":             {"outline-mcp/internal/oauthapp", "outline-mcp/internal/confirm", "outline-mcp/internal/mcptool", "outline-mcp/internal/install", "outline-mcp/internal/app", "outline-mcp/internal/completion", "outline-mcp/internal/script", "outline-mcp/internal/toolclient", "outline-mcp/internal/tour", "outline-mcp/internal/config", "outline-mcp/internal/doctor", "outline-mcp/internal/fakeoutline", "outline-mcp/internal/typings", "outline-mcp/outline", "outline-mcp/output", "outline-mcp/internal/audit", "outline-mcp/internal/dates"},
		"outline-mcp/test/docs":                   nil,
		"outline-mcp/test/conformance/fixtures":   {"outline-mcp/internal/confirm", "outline-mcp/internal/mcptool", "outline-mcp/outline", "outline-mcp/output", "outline-mcp/internal/auth", "outline-mcp/internal/httpd", "outline-mcp/internal/streamable"},
		"outline-mcp/internal/replicas":           {"outline-mcp/outline/transport"},
		"outline-mcp/internal/replicas/redistest": nil,

		"outline-mcp/outline/recorded": nil,

		"outline-mcp/internal/fakeoutline":       {"outline-mcp/internal/fakeoutline/api", "outline-mcp/internal/fakeoutline/oauth", "outline-mcp/internal/fakeoutline/text", "outline-mcp/outline/prosemirror"},
		"outline-mcp/internal/fakeoutline/api":   nil,
		"outline-mcp/internal/fakeoutline/oauth": {"outline-mcp/internal/fakeoutline/api"},
		"outline-mcp/internal/fakeoutline/text":  {"outline-mcp/internal/fakeoutline/api", "outline-mcp/outline/prosemirror"},
	}
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "outline-mcp/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(listed)) {
		fields := strings.Fields(line)
		may, known := allowed[fields[0]]
		if !known {
			t.Errorf("%s is a new package: say here what it may import", fields[0])
		}
		seen++
		for _, imported := range fields[1:] {
			if strings.HasPrefix(imported, "outline-mcp/") && !slices.Contains(may, imported) {
				t.Errorf("%s imports %s", fields[0], imported)
			}
		}
	}
	if seen != len(allowed) {
		t.Errorf("%d packages, %d expected", seen, len(allowed))
	}
}
