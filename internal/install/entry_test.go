package install_test

import (
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

func TestAnEntrySaysNoMoreThanItHasTo(t *testing.T) {
	const program = `C:\Program Files\outline-mcp.exe`
	for _, test := range []struct {
		name, client string
		server       install.Server
		want         string
	}{
		{"the demo", "claude-desktop", install.Server{Command: "/bin/o", Demo: true, Key: "ol_api_fake", Outline: "https://x"},
			`{"mcpServers":{"outline":{"command":"/bin/o","args":["--demo"]}}}`},
		{"a path of Windows", "claude-desktop", install.Server{Command: program, Key: "ol_api_fake"},
			`{"mcpServers":{"outline":{"command":"C:\\Program Files\\outline-mcp.exe","env":{"OUTLINE_API_KEY":"ol_api_fake"}}}}`},
		{"a key in a file", "copilot", install.Server{Command: "/bin/o", KeyFile: `C:\key`},
			`{"mcpServers":{"outline":{"type":"local","command":"/bin/o","args":[],"env":{"OUTLINE_API_KEY_FILE":"C:\\key"},"tools":["*"]}}}`},
		{"a key in a file, where the client could ask", "vscode", install.Server{Command: "/bin/o", KeyFile: "/key"},
			`{"servers":{"outline":{"type":"stdio","command":"/bin/o","env":{"OUTLINE_API_KEY_FILE":"/key"}}}}`},
		{"the demo, where the client could ask", "vscode", install.Server{Command: "/bin/o", Demo: true},
			`{"servers":{"outline":{"type":"stdio","command":"/bin/o","args":["--demo"]}}}`},
		{"a server that people log in to", "cursor", install.Server{URL: "https://mcp.example.com/mcp", Login: true},
			`{"mcpServers":{"outline":{"url":"https://mcp.example.com/mcp"}}}`},
		{"a server that people log in to, where the client could ask", "vscode", install.Server{URL: "https://mcp.example.com/mcp", Login: true},
			`{"servers":{"outline":{"type":"http","url":"https://mcp.example.com/mcp"}}}`},
		{"TOML", "codex", install.Server{Command: program, Key: "ol_api_fake"},
			"[mcp_servers.outline]\ncommand = 'C:\\Program Files\\outline-mcp.exe'\nenv = {OUTLINE_API_KEY = 'ol_api_fake'}"},
	} {
		test.server.Name = "outline"
		text, err := entryOf(t, find(t, test.client), test.server).Print()
		if err != nil {
			t.Fatal(err)
		}
		got := strings.TrimSpace(text)
		if test.client != "codex" {
			got = oneLine(got)
		}
		if got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// oneLine takes the layout out of an entry whose texts hold no two spaces.
func oneLine(text string) string {
	for _, layout := range []string{"\n", "  "} {
		text = strings.ReplaceAll(text, layout, "")
	}
	return strings.NewReplacer(`": `, `":`, `, "`, `,"`).Replace(text)
}

func TestAnEntryThatCannotWorkIsRefused(t *testing.T) {
	for _, test := range []struct {
		client string
		server install.Server
		says   string
	}{
		{"cursor", install.Server{Name: "", Command: "/bin/o"}, "not a valid name for an entry"},
		{"cursor", install.Server{Name: "my outline", Command: "/bin/o"}, "not a valid name for an entry"},
		{"codex", install.Server{Name: "a.b", Command: "/bin/o"}, "not a valid name for an entry"},
		{"cursor", install.Server{Name: strings.Repeat("x", 33), Command: "/bin/o"}, "up to 32"},
		{"gemini", install.Server{Name: "o", Command: "/home/$me/o"}, "contains a $, which Gemini CLI would take for a variable"},
		{"cursor", install.Server{Name: "o", Command: "/bin/o", KeyFile: "/${x}"}, "contains a $"},
		{"claude-desktop", install.Server{Name: "team", URL: "https://mcp.example.com/mcp"}, "Settings → Connectors"},
		{"claude-desktop", install.Server{Name: "team", URL: "https://mcp.example.com/mcp"},
			`"args": ["-y", "mcp-remote", "https://mcp.example.com/mcp", "--header", "X-Outline-API-Key:${OUTLINE_API_KEY}"]`},
	} {
		if _, err := install.NewEntry(find(t, test.client), test.server); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%+v: %v, want %q", test.server, err, test.says)
		}
	}
	if _, err := install.NewEntry(find(t, "claude-desktop"), install.Server{Name: "o", Command: "/home/$me/o"}); err != nil {
		t.Errorf("Claude Desktop replaces no variables: %s", err)
	}
	if _, err := install.Uninstall("/nowhere", find(t, "cursor"), "a b"); err == nil {
		t.Error("a name that is none was looked for")
	}
}
