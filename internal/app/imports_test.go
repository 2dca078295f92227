package app_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestImportsPointOneWay(t *testing.T) {
	const module = "outline-mcp/"
	allowed := map[string][]string{
		"cmd/outline-mcp":             {"internal/app", "internal/audit", "internal/completion", "internal/config", "internal/confirm", "internal/dates", "internal/doctor", "internal/fakeoutline", "internal/install", "internal/mcptool", "internal/oauthapp", "internal/script", "internal/toolclient", "internal/tour", "outline", "output"},
		"internal/app":                {"internal/audit", "internal/auth", "internal/bounds", "internal/bysubject", "internal/config", "internal/confirm", "internal/explain", "internal/fakeoutline", "internal/httpd", "internal/icons", "internal/jsonrpc", "internal/localfile", "internal/mcptool", "internal/metrics", "internal/notify", "internal/oauth", "internal/oauth/client", "internal/pipeline", "internal/reach", "internal/reload", "internal/replicas", "internal/stdio", "internal/streamable", "internal/subscriptions", "internal/suggest", "internal/telemetry", "internal/text", "outline", "outline/expiring", "outline/transport", "output", "prompts", "resources", "tools", "views"},
		"internal/audit":              {"internal/auth", "internal/bysubject", "internal/text", "outline", "output"},
		"internal/auth":               nil,
		"internal/batch":              {"internal/explain", "outline", "output"},
		"internal/boolean":            nil,
		"internal/bounds":             {"internal/auth", "outline", "outline/expiring", "output"},
		"internal/budget":             nil,
		"internal/bysubject":          {"internal/auth", "outline/expiring"},
		"internal/clientcaps":         nil,
		"internal/completion":         {"internal/mcptool", "internal/suggest"},
		"internal/config":             {"internal/boolean", "internal/netaddr", "internal/oauth/client", "internal/replicas", "internal/text", "outline"},
		"internal/confirm":            {"internal/auth", "internal/clientcaps", "internal/seal", "internal/text", "outline/expiring", "output"},
		"internal/cursor":             nil,
		"internal/dates":              nil,
		"internal/doctor":             {"internal/app", "internal/audit", "internal/auth", "internal/bounds", "internal/config", "internal/explain", "internal/mcptool", "internal/netaddr", "internal/oauth", "internal/reach", "internal/replicas", "internal/telemetry", "internal/text", "internal/toolclient", "outline", "outline/transport", "output", "prompts", "tools"},
		"internal/explain":            {"outline", "output"},
		"internal/fakeoutline":        {"internal/fakeoutline/api", "internal/fakeoutline/oauth", "internal/fakeoutline/text", "outline/prosemirror"},
		"internal/fakeoutline/api":    nil,
		"internal/fakeoutline/oauth":  {"internal/fakeoutline/api"},
		"internal/fakeoutline/text":   {"internal/fakeoutline/api", "outline/prosemirror"},
		"internal/generate":           nil,
		"internal/grep":               nil,
		"internal/hostile":            nil,
		"internal/httpd":              {"internal/auth", "internal/boolean", "internal/jsonrpc", "internal/netaddr", "internal/reload", "outline"},
		"internal/icons":              nil,
		"internal/install":            {"internal/config", "internal/netaddr", "outline"},
		"internal/jsonlines":          nil,
		"internal/jsonrpc":            {"internal/text"},
		"internal/leaktest":           nil,
		"internal/localfile":          nil,
		"internal/mcptool":            {"internal/audit", "internal/boolean", "internal/bysubject", "internal/confirm", "internal/explain", "internal/jsonrpc", "internal/localfile", "internal/pipeline", "outline", "output", "views"},
		"internal/metrics":            nil,
		"internal/names":              {"outline/prosemirror"},
		"internal/netaddr":            nil,
		"internal/notify":             nil,
		"internal/oauth":              {"internal/oauth/client", "internal/seal", "outline/expiring"},
		"internal/oauth/client":       {"internal/netaddr", "outline/expiring"},
		"internal/oauthapp":           {"internal/oauth", "outline"},
		"internal/picture":            nil,
		"internal/pipeline":           {"internal/audit", "internal/auth", "internal/explain", "internal/jsonrpc", "internal/metrics", "outline", "output"},
		"internal/reach":              {"internal/reload", "outline/transport"},
		"internal/reload":             nil,
		"internal/replicas":           {"outline/transport"},
		"internal/replicas/redistest": nil,
		"internal/script":             {"internal/jsonlines", "internal/text", "internal/toolclient", "outline", "output"},
		"internal/seal":               nil,
		"internal/stdio":              {"internal/jsonlines", "internal/jsonrpc", "internal/notify"},
		"internal/streamable":         {"internal/clientcaps", "internal/jsonrpc", "internal/notify", "internal/text"},
		"internal/subscriptions":      {"internal/auth", "outline", "output"},
		"internal/suggest":            {"internal/bysubject", "internal/mcptool", "outline", "output"},
		"internal/tasks":              {"internal/fakeoutline"},
		"internal/telemetry":          nil,
		"internal/text":               nil,
		"internal/toolclient":         {"output"},
		"internal/tour":               {"internal/app", "internal/config", "internal/text", "internal/toolclient"},
		"outline":                     {"internal/text", "outline/expiring", "outline/prosemirror", "outline/transport"},
		"outline/edit":                {"internal/text", "outline", "outline/prosemirror", "outline/transport"},
		"outline/expiring":            nil,
		"outline/prosemirror":         nil,
		"outline/recorded":            nil,
		"outline/transport":           {"outline/expiring"},
		"output":                      {"internal/text"},
		"prompts":                     {"internal/bysubject", "internal/dates", "internal/explain", "internal/icons", "internal/mcptool", "internal/pipeline", "outline", "outline/prosemirror", "output", "tools"},
		"resources":                   {"internal/batch", "internal/cursor", "internal/icons", "internal/mcptool", "internal/pipeline", "internal/text", "outline", "output", "tools", "views"},
		"test/conformance/fixtures":   {"internal/auth", "internal/confirm", "internal/httpd", "internal/mcptool", "internal/streamable", "outline", "output"},
		"test/docs":                   nil,
		"tools":                       {"internal/batch", "internal/confirm", "internal/cursor", "internal/dates", "internal/explain", "internal/grep", "internal/mcptool", "internal/names", "internal/picture", "internal/text", "outline", "outline/edit", "outline/prosemirror", "output", "views"},
		"views":                       {"internal/clientcaps"},
	}
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "outline-mcp/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(listed)) {
		fields := strings.Fields(line)
		may, known := allowed[strings.TrimPrefix(fields[0], module)]
		if !known {
			t.Errorf("%s is a new package: say here what it may import", fields[0])
		}
		seen++
		for _, imported := range fields[1:] {
			if strings.HasPrefix(imported, module) && !slices.Contains(may, strings.TrimPrefix(imported, module)) {
				t.Errorf("%s imports %s", fields[0], imported)
			}
		}
	}
	if seen != len(allowed) {
		t.Errorf("%d packages, %d expected", seen, len(allowed))
	}
}
