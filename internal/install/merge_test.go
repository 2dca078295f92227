package install_test

import (
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/install"
)

func TestSettingsOfTheUsersOwnOutlastAReplacedEntry(t *testing.T) {
	started := install.Server{Name: "outline", Command: "/usr/local/bin/outline-mcp", Key: "ol_api_fake"}
	fromFile := install.Server{Name: "outline", Command: "/usr/local/bin/outline-mcp", KeyFile: "/key"}
	demo := install.Server{Name: "outline", Command: "/usr/local/bin/outline-mcp", Demo: true}
	team := install.Server{Name: "outline", URL: "https://mcp.example.com/mcp", Key: "ol_api_fake"}
	for _, test := range []struct {
		name, client  string
		server        install.Server
		before, after string // the entry, on one line for JSON
		kept, dropped string
	}{
		{"fields and variables", "cursor", started,
			`{"command":"/old/outline-mcp","disabled":true,"autoApprove":["read_document"],"env":{"OUTLINE_READ_ONLY":"true","OUTLINE_API_KEY":"ol_api_old","OUTLINE_API_URL":"https://old.example.com"},"timeout":60,"note":null}`,
			`{"command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY":"ol_api_fake","OUTLINE_READ_ONLY":"true"},"disabled":true,"autoApprove":["read_document"],"timeout":60,"note":null}`,
			"disabled, autoApprove, env OUTLINE_READ_ONLY, timeout, note", ""},
		{"variables for the demo, without what only Outline needs", "cursor", demo,
			`{"command":"outline-mcp","env":{"OUTLINE_READ_ONLY":"true","OUTLINE_API_KEY_FILE":"/key"}}`,
			`{"command":"/usr/local/bin/outline-mcp","args":["--demo"],"env":{"OUTLINE_READ_ONLY":"true"}}`,
			"env OUTLINE_READ_ONLY", ""},
		{"no demo any more, and no key where its file is", "cursor", fromFile,
			`{"command":"outline-mcp","args":["--demo"],"env":{"OUTLINE_API_KEY":"ol_api_old"}}`,
			`{"command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY_FILE":"/key"}}`, "", ""},
		{"arguments of the same program", "cursor", demo,
			`{"command":"C:\\bin\\outline-mcp.exe","args":["serve"]}`,
			`{"command":"/usr/local/bin/outline-mcp","args":["--demo","serve"]}`, "args", ""},
		{"arguments of another program", "cursor", started,
			`{"command":"npx","args":["-y","other"],"cwd":"/x"}`,
			`{"command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY":"ol_api_fake"},"cwd":"/x"}`, "cwd", "args"},
		{"which tools Copilot may use", "copilot", started,
			`{"type":"local","command":"outline-mcp","args":[],"tools":["read_document"]}`,
			`{"type":"local","command":"/usr/local/bin/outline-mcp","args":[],"env":{"OUTLINE_API_KEY":"ol_api_fake"},"tools":["read_document"]}`, "tools", ""},
		{"headers of the same server", "cursor", team,
			`{"url":"https://mcp.example.com/old","headers":{"x-outline-api-key":"ol_api_old","X-MCP-Token":"t","X-Outline-Read-Only":"true"}}`,
			`{"url":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake","X-MCP-Token":"t","X-Outline-Read-Only":"true"}}`,
			"headers X-MCP-Token, headers X-Outline-Read-Only", ""},
		{"headers of another server, which must not see its token", "cursor", team,
			`{"url":"https://other.example.com/mcp","headers":{"X-MCP-Token":"t","X-Outline-Read-Only":"true"}}`,
			`{"url":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake","X-Outline-Read-Only":"true"}}`,
			"headers X-Outline-Read-Only", "headers X-MCP-Token"},
		{"from a program to a server", "gemini", team,
			`{"command":"outline-mcp","args":["--demo"],"cwd":"/x","env":{"OUTLINE_READ_ONLY":"true","OUTLINE_API_KEY":"ol_api_old"},"trust":false}`,
			`{"httpUrl":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake"},"trust":false}`,
			"trust", "cwd, env OUTLINE_READ_ONLY"},
		{"from a server to a program", "claude-code", started,
			`{"type":"http","url":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_old","X-MCP-Token":"t"},"headersHelper":"x","timeout":1.50}`,
			`{"type":"stdio","command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY":"ol_api_fake"},"timeout":1.50}`,
			"timeout", "headers X-MCP-Token, headersHelper"},
		{"what is no entry", "cursor", started, `"old"`, `{"command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY":"ol_api_fake"}}`, "", ""},
		{"tables of TOML", "codex", started,
			"[mcp_servers.outline]\ncommand = 'outline-mcp'\nenabled_tools = ['read_document']\nstartup_timeout_sec = 20\n\n[mcp_servers.outline.env]\nOUTLINE_READ_ONLY = 'true'\n",
			"[mcp_servers.outline]\ncommand = '/usr/local/bin/outline-mcp'\nenv = {OUTLINE_API_KEY = 'ol_api_fake', OUTLINE_READ_ONLY = 'true'}\nenabled_tools = ['read_document']\nstartup_timeout_sec = 20\n",
			"enabled_tools, env OUTLINE_READ_ONLY, startup_timeout_sec", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := find(t, test.client)
			path := filepath.Join(t.TempDir(), "file")
			before, after := test.before, test.after
			if test.client != "codex" {
				before, after = `{"mcpServers":{"outline":`+before+`}}`, `{"mcpServers":{"outline":`+after+`}}`
			}
			write(t, path, before)
			result := must(t, install.Replaced)(install.Install(path, entryOf(t, client, test.server)))
			if got := read(t, path); got != after {
				t.Errorf("got\n%s\nwant\n%s", got, after)
			}
			said := strings.Join(result.Notes, "\n")
			for start, names := range map[string]string{"Kept from the previous entry: ": test.kept, "Removed, because it does not fit this entry: ": test.dropped} {
				if strings.Contains(said, start) != (names != "") || !strings.Contains(said, names) || names != "" && !strings.Contains(said, start+names+".") {
					t.Errorf("notes %q, want %s%s", said, start, names)
				}
			}
			if held := strings.Contains(test.before, "ol_api_old"); held != strings.Contains(said, "The backup contains the previous entry with its key") || strings.Contains(said, "ol_api") {
				t.Errorf("notes %q", said)
			}
			must(t, install.Unchanged)(install.Install(path, entryOf(t, client, test.server)))
		})
	}
}

func TestNamesThatGeminiMisreadsAreRefusedThereAlone(t *testing.T) {
	server := install.Server{Name: "my_outline", Command: "/bin/o", Key: "ol_api_fake"}
	if _, err := install.NewEntry(find(t, "gemini"), server); err == nil || !strings.Contains(err.Error(), "use - instead") {
		t.Error(err)
	}
	if _, err := install.NewEntry(find(t, "cursor"), server); err != nil {
		t.Error(err)
	}
}
