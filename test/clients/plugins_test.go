package clients

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The plugin and the extension are installed from this project's folder, as from a repository.
func TestThePluginAndTheExtensionInstall(t *testing.T) {
	suite(t)
	project, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for title, steps := range map[string][]struct {
		args []string
		says string
	}{
		"Claude Code": {
			{[]string{"plugin", "marketplace", "add", project}, "Successfully added marketplace"},
			{[]string{"plugin", "install", "outline@outline-mcp"}, "Successfully installed plugin"},
			{[]string{"mcp", "list"}, "plugin:outline:outline: outline-mcp"},
		},
		"Gemini CLI": {
			{[]string{"extensions", "install", project + "/plugins/gemini-cli", "--consent"}, "installed successfully"},
			{[]string{"extensions", "list"}, "MCP servers:\n  outline"},
		},
	} {
		i := slices.IndexFunc(clients, func(c client) bool { return c.title == title })
		r := &run{client: clients[i], modules: installed(t, clients[i]), home: t.TempDir(), model: &model{}}
		r.write(t, "bin/outline-mcp", "#!/bin/sh\nexec '"+program(t)+"' --demo\n")
		for _, step := range steps {
			if out, err := r.command(t, step.args...).CombinedOutput(); err != nil || !strings.Contains(string(out), step.says) {
				t.Errorf("%s %v: %v\n%s", title, step.args, err, out)
			}
		}
	}
}
