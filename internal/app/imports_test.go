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
		"cmd/outline-mcp":           {"internal/app", "internal/mcptool", "internal/cli", "internal/cli/folder", "internal/config", "internal/doctor", "internal/fakeoutline", "internal/httpd", "internal/install", "internal/login", "internal/mcp/elicit", "internal/oauth", "internal/observe", "internal/observe/audit", "outline", "outline/edit", "output", "resources", "tools/pdftext"},
		"internal/app":              {"internal/mcptool", "internal/auth", "internal/boundary", "internal/config", "internal/fakeoutline", "internal/httpd", "internal/mcp/elicit", "internal/mcp/wire", "internal/oauth", "internal/observe", "internal/observe/audit", "internal/text", "outline", "outline/expiring", "outline/transport", "output", "prompts", "resources", "tools", "views"},
		"internal/mcptool":          {"internal/auth", "internal/mcp/elicit", "internal/mcp/wire", "internal/observe", "internal/observe/audit", "internal/text", "outline", "outline/expiring", "output", "views"},
		"internal/auth":             {"outline/expiring"},
		"internal/boundary":         {"internal/auth", "outline", "outline/expiring", "output"},
		"internal/cli":              {"internal/app", "internal/mcptool", "internal/config", "internal/mcp/wire", "internal/text", "outline", "output"},
		"internal/cli/folder":       {"outline", "outline/prosemirror", "output", "tools/search"},
		"internal/config":           {"internal/text", "outline", "outline/transport"},
		"internal/doctor":           {"internal/app", "internal/mcptool", "internal/auth", "internal/boundary", "internal/cli", "internal/config", "internal/install", "internal/login", "internal/oauth", "internal/observe", "internal/observe/audit", "internal/text", "outline", "outline/transport", "output", "prompts", "tools"},
		"internal/fakeoutline":      {"outline/prosemirror"},
		"internal/httpd":            {"internal/auth", "internal/mcp/wire", "internal/text", "outline", "outline/expiring", "outline/transport"},
		"internal/install":          {"internal/config", "outline", "outline/transport"},
		"internal/login":            nil,
		"internal/mcp/elicit":       {"internal/auth", "internal/mcp/wire", "internal/seal", "internal/text", "output"},
		"internal/mcp/wire":         {"internal/text"},
		"internal/oauth":            {"internal/seal", "outline", "outline/expiring", "outline/transport"},
		"internal/observe":          nil,
		"internal/observe/audit":    {"internal/auth", "internal/text", "outline", "output"},
		"internal/seal":             nil,
		"internal/text":             nil,
		"outline":                   {"internal/text", "outline/expiring", "outline/prosemirror", "outline/transport"},
		"outline/edit":              {"internal/text", "outline", "outline/prosemirror", "outline/transport"},
		"outline/expiring":          nil,
		"outline/prosemirror":       nil,
		"outline/transport":         {"outline/expiring"},
		"output":                    {"internal/text", "outline"},
		"prompts":                   {"internal/mcptool", "internal/auth", "outline", "outline/prosemirror", "output", "tools"},
		"resources":                 {"internal/mcptool", "internal/auth", "internal/text", "outline", "outline/prosemirror", "output", "prompts", "tools", "views"},
		"test/budget":               nil,
		"test/conformance/fixtures": {"internal/mcptool", "internal/auth", "internal/httpd", "internal/mcp/elicit", "internal/mcp/wire", "outline", "output"},
		"test/docs":                 nil,
		"test/fixtures":             nil,
		"test/wiki":                 {"internal/app", "internal/config", "internal/fakeoutline", "test/fixtures"},
		"tools":                     {"internal/mcptool", "internal/auth", "internal/mcp/elicit", "internal/text", "outline", "outline/edit", "outline/expiring", "outline/prosemirror", "output", "tools/files", "tools/search", "tools/written", "views"},
		"tools/files":               nil,
		"tools/search":              {"internal/text", "outline/prosemirror"},
		"tools/pdftext":             nil,
		"tools/written":             {"outline/prosemirror"},
		"views":                     {"internal/mcp/wire"},
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
