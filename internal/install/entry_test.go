package install_test

import (
	"path/filepath"
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
		{"gemini", install.Server{Name: "o", Command: "/home/$me/o"}, "contains a $, which Gemini CLI would read as a variable"},
		{"cursor", install.Server{Name: "o", Command: "/bin/o", KeyFile: "/${x}"}, "contains a $"},
		{"claude-desktop", install.Server{Name: "team", URL: "https://mcp.example.com/mcp"}, "Settings → Connectors"},
		{"claude-desktop", install.Server{Name: "team", URL: "https://mcp.example.com/mcp"}, "through mcp-remote"},
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

const asked = `"id": "outline-api-key"`

func TestAnInputOfTheUsersWithTheSameIDIsUsedAndStays(t *testing.T) {
	client := find(t, "vscode")
	path := filepath.Join(t.TempDir(), "mcp.json")
	const before = "{\n  \"inputs\": [\n    { \"type\": \"promptString\", \"id\": \"outline-api-key\", \"description\": \"mine\" }\n  ]\n}\n"
	write(t, path, before)
	must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
	if got := read(t, path); strings.Count(got, asked) != 1 || !strings.Contains(got, `"OUTLINE_API_KEY": "${input:outline-api-key}"`) {
		t.Errorf("with the entry:\n%s", got)
	}
	must(t, install.Removed)(install.Uninstall(path, client, "outline"))
	if got := read(t, path); got != before {
		t.Errorf("without the entry again:\n%s", got)
	}
}

func TestAnInputIsRemovedOnlyIfItIsWhatWasWrittenAndNothingElseUsesIt(t *testing.T) {
	client := find(t, "vscode")
	path := filepath.Join(t.TempDir(), "mcp.json")
	installed := func() {
		t.Helper()
		write(t, path, "")
		must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
	}

	installed()
	second := local(client)
	second.Name = "second"
	must(t, install.Added)(install.Install(path, entryOf(t, client, second)))
	must(t, install.Removed)(install.Uninstall(path, client, "second"))
	if got := read(t, path); strings.Contains(got, "second") || !strings.Contains(got, asked) {
		t.Errorf("after one of two:\n%s", got)
	}

	write(t, path, strings.Replace(read(t, path), "\"servers\": {", "\"servers\": {\n    \"mine\": { \"env\": { \"K\": \"${input:outline-api-key}\" } },", 1))
	must(t, install.Removed)(install.Uninstall(path, client, "outline"))
	if got := read(t, path); !strings.Contains(got, asked) {
		t.Errorf("an input that another server uses is gone:\n%s", got)
	}

	installed() // and the user gives the input another description
	write(t, path, strings.Replace(read(t, path), "Outline API key", "mine", 1))
	must(t, install.Unchanged)(install.Install(path, entryOf(t, client, local(client))))
	must(t, install.Removed)(install.Uninstall(path, client, "outline"))
	if got := read(t, path); !strings.Contains(got, asked) {
		t.Errorf("an input that the user has changed is gone:\n%s", got)
	}
}

func TestAnEntryWhoseInputIsGoneGetsItBack(t *testing.T) {
	client := find(t, "vscode")
	path := filepath.Join(t.TempDir(), "mcp.json")
	must(t, install.Added)(install.Install(path, entryOf(t, client, local(client))))
	whole := read(t, path)
	start := strings.Index(whole, ",\n  \"inputs\"")
	write(t, path, whole[:start]+"\n}\n")
	must(t, install.Replaced)(install.Install(path, entryOf(t, client, local(client))))
	if read(t, path) != whole {
		t.Errorf("the input did not come back:\n%s", read(t, path))
	}
}

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
			`{"command":"/old/outline-mcp","disabled":true,"autoApprove":["read_document"],"env":{"OUTLINE_READ_ONLY":"true","OUTLINE_API_KEY":"ol_api_old","OUTLINE_API_URL":"https://old.example.com"},"timeout":60,"note":null,"limits":{}}`,
			`{"command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY":"ol_api_fake","OUTLINE_READ_ONLY":"true"},"disabled":true,"autoApprove":["read_document"],"timeout":60,"note":null,"limits":{}}`,
			"disabled, autoApprove, env OUTLINE_READ_ONLY, timeout, note, limits", ""},
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
		{"how to log in to another server, which must not see the secret", "cursor", team,
			`{"url":"https://other.example.com/mcp","auth":{"CLIENT_ID":"i","CLIENT_SECRET":"s"},"headersHelper":"/bin/h"}`,
			`{"url":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake"}}`,
			"", "auth, headersHelper"},
		{"how to log in to the same server", "cursor", team,
			`{"url":"https://mcp.example.com/old","auth":{"CLIENT_ID":"i"}}`,
			`{"url":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake"},"auth":{"CLIENT_ID":"i"}}`,
			"auth", ""},
		{"from a program to a server", "gemini", team,
			`{"command":"outline-mcp","args":["--demo"],"cwd":"/x","env":{"OUTLINE_READ_ONLY":"true","OUTLINE_API_KEY":"ol_api_old"},"trust":false}`,
			`{"httpUrl":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake"}}`,
			"", "cwd, env OUTLINE_READ_ONLY, trust"},
		{"from a server to a program", "claude-code", started,
			`{"type":"http","url":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_old","X-MCP-Token":"t"},"headersHelper":"x","timeout":1.50}`,
			`{"type":"stdio","command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY":"ol_api_fake"},"timeout":1.50}`,
			"timeout", "headers X-MCP-Token, headersHelper"},
		{"limits of the same server in other words", "gemini", team,
			`{"httpUrl":"https://MCP.example.com:443/old","excludeTools":["x"],"trust":true}`,
			`{"httpUrl":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake"},"excludeTools":["x"],"trust":true}`, "excludeTools, trust", ""},
		{"limits of another server, but not the trust in it", "cursor", team,
			`{"url":"https://other.example.com/mcp","disabled":true,"autoApprove":["x"]}`,
			`{"url":"https://mcp.example.com/mcp","headers":{"X-Outline-API-Key":"ol_api_fake"},"disabled":true}`, "disabled", "autoApprove"},
		{"what the gateway of another Outline must not send to this one", "cursor", started,
			`{"command":"outline-mcp","env":{"OUTLINE_API_URL":"https://old.example.com","OUTLINE_HEADERS":"A: b","OUTLINE_CLIENT_KEY":"/k","OUTLINE_READ_ONLY":"true"}}`,
			`{"command":"/usr/local/bin/outline-mcp","env":{"OUTLINE_API_KEY":"ol_api_fake","OUTLINE_READ_ONLY":"true"}}`, "env OUTLINE_READ_ONLY", "env OUTLINE_HEADERS, env OUTLINE_CLIENT_KEY"},
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
			if got := read(t, path); got != after && oneLine(got) != after {
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
