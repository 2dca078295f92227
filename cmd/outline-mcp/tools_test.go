package main

import (
	"strings"
	"testing"

	"outline-mcp/tools"
)

func TestCommandsReachToolsThatAreNotOfferedByDefault(t *testing.T) {
	offered := func(environ ...string) map[string]string {
		_, table, _ := command(t, environ, "tools")
		byDefault := map[string]string{}
		for line := range strings.Lines(table) {
			fields := strings.Fields(line)
			byDefault[fields[0]] = fields[3]
		}
		delete(byDefault, "TOOL") // the heading
		return byDefault
	}
	everything, byDefault := offered(), offered("OUTLINE_TOOLS=default")
	for _, tool := range tools.All() {
		info := tool.Info()
		want := "yes"
		if info.Optional {
			want = "no"
		}
		if everything[info.Name] != want {
			t.Errorf("%s: offered by default: %q, want %s", info.Name, everything[info.Name], want)
		}
		if _, listed := byDefault[info.Name]; listed == info.Optional {
			t.Errorf("OUTLINE_TOOLS=default: %s is listed: %t", info.Name, listed)
		}
		code, _, stderr := command(t, nil, "--demo", "call", info.Name, "no_such_argument=1")
		if code != exitUsage || strings.Contains(stderr, "there is no tool") || strings.Contains(stderr, "leaves the tool") {
			t.Errorf("call %s: exit code %d: %s", info.Name, code, stderr)
		}
	}
}
