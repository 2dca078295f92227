package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
)

// thisProgram returns a command that starts this program, whatever its environment.
func thisProgram(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell to start this test as the program")
	}
	path := filepath.Join(t.TempDir(), "outline-mcp")
	script := "#!/bin/sh\nOUTLINE_MCP_TEST_PROGRAM=1 GORACE=atexit_sleep_ms=0 exec '" + os.Args[0] + "' \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInstallTakesTheOutlineFromWhatIsPastedAndChecksTheEntry(t *testing.T) {
	program, atRoot, below := thisProgram(t), outlineAt(t, ""), outlineAt(t, "/team/wiki")
	for _, test := range []struct{ pasted, outline string }{
		{atRoot, atRoot},
		{atRoot + "/api/", atRoot},
		{atRoot + "/doc/soup-1wPyxUCdt9?highlight=pot#h-rules", atRoot},
		{atRoot + "/home", atRoot},
		{atRoot + "/mcp", atRoot},
		{atRoot + "/s/0fab7f1a-fdba-4122-aff2-e36f5b12c335", atRoot},
		{strings.TrimPrefix(atRoot, "http://"), atRoot},
		{below, below},
		{below + "/collection/ops-PThsbb1PvU/recent", below},
		{below + "/doc/soup-1wPyxUCdt9", below},
		{atRoot + "/wiki", atRoot},
	} {
		t.Run(test.pasted, func(t *testing.T) {
			home, environ := here(t, "PATH="+os.Getenv("PATH"), "OUTLINE_API_KEY=ol_api_demo_admin")
			code, stdout, stderr := command(t, environ, "install", "cursor", "--command", program, "--outline-url", test.pasted)
			if code != 0 || stderr != "" {
				t.Fatalf("exit code %d\n%s\n%s", code, stdout, stderr)
			}
			for _, says := range []string{"  Outline " + test.outline, "  key     in this entry, in " + home, "✓ start: " + program + " starts", "✓ outline: Outline's API answers at " + test.outline + "/api", "✓ key: ", "Isla Renwick"} {
				if !strings.Contains(stdout, says) {
					t.Errorf("it does not say %q:\n%s", says, stdout)
				}
			}
			if taken := strings.Contains(stdout, "(taken from the address that you gave)"); taken == (test.pasted == test.outline || strings.HasSuffix(test.pasted, "/api/")) {
				t.Errorf("it says what it made of the address: %t\n%s", taken, stdout)
			}
			if content, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json")); err != nil || !strings.Contains(string(content), `"OUTLINE_API_URL": "`+test.outline+`"`) {
				t.Errorf("%v\n%s", err, content)
			}
		})
	}
}

func TestAnAddressWithoutOutlineIsRefusedAndNothingIsWritten(t *testing.T) {
	page := strings.TrimSuffix(outlineAt(t, "/hidden/below"), "/hidden/below")
	home, environ := here(t, "OUTLINE_API_KEY=ol_api_demo_admin")
	code, stdout, stderr := command(t, environ, "install", "cursor", "--command", "/opt/x", "--outline-url", page+"/home")
	if code != 2 || stdout != "" || !strings.Contains(stderr, "there is no Outline at "+page) || !strings.Contains(stderr, "give the address that Outline has in the browser") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

func TestAnEntryThatDoesNotWorkIsInstalledAndSaidNotTo(t *testing.T) {
	outline := outlineAt(t, "")
	for name, test := range map[string]struct {
		key, program string
		says         string
	}{
		"a wrong key":      {"ol_api_fake", thisProgram(t), "✗ key: "},
		"no program":       {"ol_api_demo_admin", "/opt/nowhere/outline-mcp", "✗ start: there is no program at /opt/nowhere/outline-mcp"},
		"another program":  {"ol_api_demo_admin", "/bin/echo", "✗ start: /bin/echo ends without an answer"},
		"a broken program": {"ol_api_demo_admin", "/bin/false", "✗ start: /bin/false ends with exit code 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, environ := here(t, "PATH="+os.Getenv("PATH"), "OUTLINE_API_KEY="+test.key)
			code, stdout, stderr := command(t, environ, "install", "cursor", "--command", test.program, "--outline-url", outline)
			if code != 1 || !strings.Contains(stdout, test.says) || !strings.Contains(stdout, "was added") || !strings.Contains(stderr, "does not work yet; fix what is marked ✗, then run outline-mcp doctor cursor; outline-mcp install cursor replaces the entry") {
				t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
			}
		})
	}
}

func TestDoctorChecksTheEntryOfEachClientAsThatStartsIt(t *testing.T) {
	program, outline := thisProgram(t), outlineAt(t, "")
	for _, client := range strings.Split(clientNames(), ", ") {
		t.Run(client, func(t *testing.T) {
			_, environ := here(t, "PATH="+os.Getenv("PATH"), "OUTLINE_API_KEY=ol_api_demo_member")
			if code, _, stderr := command(t, environ, "install", "--no-check", client, "--command", program, "--outline-url", outline, "--name", "wiki"); code != 0 {
				t.Fatal(stderr)
			}
			// What is set in this shell says nothing about the entry.
			shell := append(environ, "OUTLINE_API_KEY=ol_api_demo_admin", "OUTLINE_API_URL=http://127.0.0.1:1", "OUTLINE_READ_ONLY=true")
			code, stdout, stderr := command(t, shell, "doctor", client, "--name", "wiki")
			key := "✓ OUTLINE_API_KEY: ****mber (entry)"
			if client == "vscode" {
				key = "- key, scopes, expiry, tools: skipped, VS Code asks for the key and stores it"
			}
			for _, says := range []string{`✓ entry: "wiki" in `, "✓ start: " + program + " starts", "offers 41 tools", "✓ OUTLINE_API_URL: " + outline + " (entry)", key} {
				if code != 0 || stderr != "" || !strings.Contains(stdout, says) {
					t.Errorf("exit code %d, it does not say %q:\n%s\n%s", code, says, stdout, stderr)
				}
			}
		})
	}
}

func TestDoctorSaysWhatIsWrongWithAnEntry(t *testing.T) {
	program, outline := thisProgram(t), outlineAt(t, "")
	home, environ := here(t, "PATH="+os.Getenv("PATH"), "WIKI_KEY=ol_api_demo_admin")
	for _, test := range []struct {
		name, client, entry string
		code                int
		says                string
	}{
		{"a variable that the client expands", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "env": {"OUTLINE_API_URL": "` + outline + `", "OUTLINE_API_KEY": "${env:WIKI_KEY}"}}}}`, 0, "✓ key: ****dmin"},
		{"a variable that the client does not expand", "claude-desktop", `{"mcpServers": {"outline": {"command": "` + program + `", "env": {"OUTLINE_API_URL": "` + outline + `", "OUTLINE_API_KEY": "${WIKI_KEY}"}}}}`, 1, "✗ OUTLINE_API_KEY: **** (entry): contains a variable that the client did not expand"},
		{"a key file that is gone", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "env": {"OUTLINE_API_URL": "` + outline + `", "OUTLINE_API_KEY_FILE": "/nowhere/key"}}}}`, 1, "✗ OUTLINE_API_KEY_FILE: /nowhere/key (entry): the key cannot be read"},
		{"settings that stop the program", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "args": ["--demo"], "env": {"OUTLINE_MAX_RETRIES": "many"}}}}`, 1, "ends with exit code 2"},
		{"the sample workspace", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "args": ["--demo"]}}}`, 0, "✓ outline: the sample workspace in this program"},
		{"no such entry", "cursor", `{"mcpServers": {"wiki": {}}}`, 1, `has no entry "outline"; run outline-mcp install cursor, or name another entry with --name`},
		{"an entry without a command", "cursor", `{"mcpServers": {"outline": {"env": {"OUTLINE_API_URL": "` + outline + `"}}}}`, 1, "✗ start: the entry has neither a command nor a URL; write it again: outline-mcp install cursor"},
		{"a broken file", "cursor", `{`, 1, "cannot be read: line 1"},
		{"no file", "codex", "", 1, "Codex CLI has no configuration file at "},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(home, "nothing.json")
			if test.entry != "" {
				path = filepath.Join(t.TempDir(), "mcp.json")
				if err := os.WriteFile(path, []byte(test.entry), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			code, stdout, stderr := command(t, environ, "doctor", test.client, "--file", path)
			if code != test.code || !strings.Contains(stdout+stderr, test.says) || strings.Contains(stdout+stderr, "ol_api_demo") {
				t.Errorf("exit code %d, it does not say %q:\n%s\n%s", code, test.says, stdout, stderr)
			}
		})
	}
}

func TestDoctorChecksAnEntryForAServerOverHTTP(t *testing.T) {
	settings, err := config.Load([]string{"MCP_TRANSPORT=http", "MCP_PORT=0", "OUTLINE_API_URL=" + outlineAt(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	team, err := app.New(app.Options{Config: settings, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := team.ListenHTTP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- team.ServeHTTP(ctx, listener) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	at := "http://" + listener.Addr().String()
	_, environ := here(t)
	code, installed, stderr := command(t, environ, "install", "vscode", "--url", at+"/mcp")
	for _, says := range []string{"✓ server: " + at + "/mcp answers and asks for a key, for which VS Code will ask you", "- key: skipped, VS Code asks for the key and stores it"} {
		if code != 0 || stderr != "" || !strings.Contains(installed, says) {
			t.Errorf("VS Code: exit code %d, it does not say %q\n%s\n%s", code, says, installed, stderr)
		}
	}
	code, installed, _ = command(t, environ, "install", "cursor", "--login", "--url", at+"/mcp")
	if says := "✗ server: " + at + "/mcp answers and asks for a key, but the entry has none, and this server has no login with Outline; write the entry again, without --login: outline-mcp install cursor --url " + at + "/mcp"; code != 1 || !strings.Contains(installed, says) {
		t.Errorf("login: exit code %d, it does not say %q\n%s", code, says, installed)
	}
	for _, test := range []struct {
		name, url, key string
		code           int
		says           []string
	}{
		{"what works", at + "/mcp", "ol_api_demo_member", 0, []string{"✓ server: " + at + "/mcp answers (outline 1.2.3) and offers 41 tools", "✓ key: a call with the key in the entry succeeded"}},
		{"a wrong key", at + "/mcp", "ol_api_fake_key", 1, []string{"✓ server: ", "✗ key: a call with the key failed: Outline does not accept the API key"}},
		{"a wrong path", at + "/home", "ol_api_fake_key", 1, []string{"✗ server: there is no MCP server at " + at + "/home; check the path of the URL; it usually ends in /mcp", "- key: skipped, until the server answers"}},
		{"no server", "http://127.0.0.1:1/mcp", "ol_api_fake_key", 1, []string{"✗ server: http://127.0.0.1:1/mcp does not answer as an MCP server", "check the URL in the entry"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, environ := here(t, "OUTLINE_API_KEY="+test.key)
			code, installed, stderr := command(t, environ, "install", "cursor", "--url", test.url)
			if code != test.code {
				t.Errorf("install: exit code %d: %s", code, stderr)
			}
			code, checked, _ := command(t, environ, "doctor", "cursor")
			for _, says := range test.says {
				if code != test.code || !strings.Contains(installed, says) || !strings.Contains(checked, says) || strings.Contains(installed+checked, test.key) {
					t.Errorf("exit code %d, it does not say %q:\n%s\n%s", code, says, installed, checked)
				}
			}
		})
	}
}
