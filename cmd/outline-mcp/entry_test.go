package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/install"
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
		"an echo":          {"ol_api_demo_admin", "/bin/cat", "✗ start: /bin/cat ends without an answer"},
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
				key = "- key, scopes, expiry, tools: skipped because VS Code asks for the key and stores it"
			}
			for _, says := range []string{`✓ entry: "wiki" in `, "✓ start: " + program + " starts", "offers 42 tools", "✓ OUTLINE_API_URL: " + outline + " (entry)", key} {
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
		{"a wrong key", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "env": {"OUTLINE_API_URL": "` + outline + `", "OUTLINE_API_KEY": "ol_api_fake"}}}}`, 1, "and run outline-mcp install cursor, which asks for it"},
		{"a key file that is gone", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "env": {"OUTLINE_API_URL": "` + outline + `", "OUTLINE_API_KEY_FILE": "/nowhere/key"}}}}`, 1, "✗ OUTLINE_API_KEY_FILE: /nowhere/key (entry): the key cannot be read"},
		{"settings that cannot be used", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "args": ["--demo"], "env": {"OUTLINE_MAX_RETRIES": "many"}}}}`, 1, "✗ OUTLINE_MAX_RETRIES: many (entry)"},
		{"the sample workspace", "cursor", `{"mcpServers": {"outline": {"command": "` + program + `", "args": ["--demo"]}}}`, 0, "✓ outline: the built-in sample workspace"},
		{"no such entry", "cursor", `{"mcpServers": {"wiki": {}}}`, 1, `has no entry "outline"; it has "wiki"; run outline-mcp install cursor, or name another entry with --name`},
		{"an entry without a command", "cursor", `{"mcpServers": {"outline": {"env": {"OUTLINE_API_URL": "` + outline + `"}}}}`, 1, "✗ start: the entry has neither a command nor a URL; write it again: outline-mcp install cursor"},
		{"a broken file", "cursor", `{`, 1, "line 1: the { has no } that closes it; add } at the end of the file"},
		{"no file", "codex", "", 1, "Codex CLI has no configuration file at "},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(home, "nothing.json")
			if test.entry != "" {
				path = filepath.Join(t.TempDir(), "mcp.json")
				writeFile(t, path, test.entry)
			}
			code, stdout, stderr := command(t, environ, "doctor", test.client, "--file", path)
			if code != test.code || !strings.Contains(stdout+stderr, test.says) || strings.Contains(stdout+stderr, "ol_api_demo") {
				t.Errorf("exit code %d, it does not say %q:\n%s\n%s", code, test.says, stdout, stderr)
			}
		})
	}
}

func TestDoctorSeesAnEntryAsItsClientDoes(t *testing.T) {
	program, outline := thisProgram(t), outlineAt(t, "")
	home, environ := here(t, "PATH="+os.Getenv("PATH"))
	fields := func(args, env string) string {
		return `"command": "` + program + `", "args": ` + args + `, "env": ` + env
	}
	env := `{"OUTLINE_API_URL": "` + outline + `", "OUTLINE_API_KEY": "ol_api_demo_admin"}`
	entry := func(fields string) string {
		return "{\n  \"mcpServers\": {\n    \"outline\": {" + fields + "}\n  }\n}\n"
	}
	comma := "{\n  \"mcpServers\": {\n    \"outline\": {\n      \"command\": \"" + program + "\",\n      \"args\": [\"--demo\"],\n    }\n  }\n}\n"
	for _, test := range []struct {
		name, client, file, says string
		code                     int
	}{
		{"a comma after the last value, in plain JSON", "claude-desktop", comma, `line 5 has a comma after the last value, which plain JSON does not allow; write "args": ["--demo"]`, 1},
		{"a comma after the last value, for Claude Code", "claude-code", comma, "✗ entry: Claude Code cannot read", 1},
		{"a comma after the last value, where it may be read", "cursor", comma, "! entry: Cursor may not read", 0},
		{"a comma after the last value, where it is read", "vscode", strings.Replace(comma, "mcpServers", "servers", 1), `✓ entry: "outline" in`, 0},
		{"a missing bracket", "cursor", strings.TrimSuffix(entry(fields("[]", env)), "}\n"), "line 1: the { has no } that closes it; add } at the end of the file", 1},
		{"a missing comma", "cursor", "{\n  \"mcpServers\": {\n    \"outline\": {\n      \"command\": \"/x\"\n      \"args\": []\n    }\n  }\n}\n", `line 4: a comma is missing at the end of the line; write "command": "/x",`, 1},
		{"a key on two lines", "cursor", strings.Replace(entry(fields("[]", env)), "ol_api_", "ol_api_\n", 1), `line 3: a string begins here and does not end on this line; write the value of "OUTLINE_API_KEY" on one line, in quotation marks`, 1},
		{"a single backslash", "cursor", "{\n  \"mcpServers\": {\n    \"outline\": {\"command\": \"C:\\Users\\robin\\outline-mcp.exe\"}\n  }\n}\n", `line 3: a \ in quotation marks must be written twice; write "outline": {"command": "C:\\Users\\robin\\outline-mcp.exe"}`, 1},
		{"arguments that are no list", "cursor", entry(fields(`"--demo"`, env)), `line 3: "args" must be a list in [ ]; write "args": ["--demo"]`, 1},
		{"variables in a list", "cursor", entry(fields("[]", `["OUTLINE_API_KEY=ol_api_demo_admin"]`)), `line 3: "env" must hold names and values in { }; write "env": {"OUTLINE_API_KEY": "..."}`, 1},
		{"a variable that is no text", "cursor", entry(fields("[]", `{"OUTLINE_READ_ONLY": true}`)), `line 3: "OUTLINE_READ_ONLY" must be text in quotation marks; write "OUTLINE_READ_ONLY": "true"`, 1},
		{"a variable in small letters", "cursor", entry(fields("[]", `{"outline_api_key": "ol_api_demo_admin"}`)), `line 3: "outline_api_key" must be in capital letters; write "OUTLINE_API_KEY"`, 1},
		{"an entry that is switched off", "cursor", entry(`"disabled": true, ` + fields("[]", env)), `line 3: "disabled" turns the entry off; remove the line, or write "disabled": false`, 1},
		{"a comma after the last value, on one line", "claude-desktop", `{"mcpServers": {"outline": {"command": "x",}}}`, `write {"mcpServers": {"outline": {"command": "x"}}}`, 1},
		{"a switch that is no switch", "cursor", entry(`"disabled": "true", ` + fields("[]", env)), `line 3: "disabled" must be true or false, without quotation marks; write "disabled": false`, 1},
		{"a misspelled name", "cursor", entry(`"comand": "` + program + `"`), `line 3: "comand" is not a name that Cursor knows; write "command"`, 1},
		{"a name in another case", "windsurf", entry(`"serverurl": "https://mcp.example.com/mcp"`), `line 3: "serverurl" is not a name that Windsurf knows; write "serverUrl"`, 1},
		{"another key", "cursor", strings.Replace(entry(fields("[]", env)), "mcpServers", "servers", 1), `has the entry "outline" in "servers" (line 2), where Cursor does not look; write "mcpServers" in place of "servers"`, 1},
		{"a key in small letters", "cursor", strings.Replace(entry(fields("[]", env)), "mcpServers", "mcpservers", 1), `where Cursor does not look; write "mcpServers" in place of "mcpservers"`, 1},
		{"an entry at the top", "cursor", "{\n  \"outline\": {" + fields("[]", env) + "}\n}\n", `has the entry "outline" (line 2), but not in "mcpServers"; write it as "mcpServers": { "outline": { ... } }`, 1},
		{"a name with a capital letter", "cursor", strings.Replace(entry(fields("[]", env)), `"outline"`, `"Outline"`, 1), `has no entry "outline", but one called "Outline"; rename it to "outline", or check it with --name Outline`, 1},
		{"a tilde", "cursor", entry(`"command": "~/go/bin/outline-mcp"`), `Cursor does not replace the ~ in "command": "~/go/bin/outline-mcp"; write the whole path: "command": "` + home + `/go/bin/outline-mcp"`, 1},
		{"a byte order mark", "claude-desktop", "\ufeff" + entry(`"command": "`+program+`", "args": ["--demo"]`), "it begins with a byte order mark (BOM); save it as UTF-8 without BOM", 1},
		{"curly quotes", "cursor", entry(`"command": “` + program + `”`), `the quotation mark “ is not the plain " that JSON needs; write "outline": {"command": "` + program + `"}`, 1},
		{"a folder", "cursor", entry(`"command": "` + filepath.Dir(program) + `"`), `"command" is a folder`, 1},
		{"a path of Windows", "cursor", entry(`"command": "C:\\Tools\\outline-mcp.exe"`), `"command" is a path of Windows`, 1},
		{"a relative path", "cursor", entry(`"command": "./bin/outline-mcp"`), "depends on the folder that Cursor starts in", 1},
		{"arguments in the command", "cursor", entry(`"command": "` + program + ` --demo"`), `"command" holds arguments besides the program; write "command": "` + program + `", "args": ["--demo"]`, 1},
		{"an address without a scheme", "cursor", entry(`"url": "127.0.0.1:3000/mcp"`), `line 3: "url" has no http:// or https:// at its beginning; write "url": "http://127.0.0.1:3000/mcp"`, 1},
		{"an Outline without a scheme", "cursor", entry(fields("[]", `{"OUTLINE_API_URL": "127.0.0.1:3010"}`)), `line 3: "OUTLINE_API_URL" has no http:// or https:// at its beginning; write "OUTLINE_API_URL": "http://127.0.0.1:3010"`, 1},
		{"a server over HTTP, which Claude Desktop does not read", "claude-desktop", entry(`"url": "https://mcp.example.com/mcp"`), `line 3: "url" is not read by Claude Desktop, whose file can hold only servers that it starts itself; add the server under Settings → Connectors`, 1},
		{"an address and a program, which Claude Desktop starts", "claude-desktop", entry(`"url": "https://mcp.example.com/mcp", ` + fields("[]", env)), "✓ start: ", 0},
		{"an address of another client and a program, which Cursor starts", "cursor", entry(`"serverUrl": "http://127.0.0.1:1/mcp", ` + fields("[]", env)), "✓ start: ", 0},
		{"the address of another client", "cursor", entry(`"serverUrl": "https://mcp.example.com/mcp"`), `line 3: "serverUrl" is not a name that Cursor knows; write "url"`, 1},
		{"nothing in the entry", "cursor", entry(""), "✗ start: the entry has neither a command nor a URL; write it again: outline-mcp install cursor", 1},
		{"settings alone", "claude-desktop", entry(`"env": ` + env), "✗ start: the entry has neither a command nor a URL", 1},
		{"no key", "cursor", entry(fields("[]", `{"OUTLINE_API_URL": "`+outline+`"}`)), "and run outline-mcp install cursor, which asks for it", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "mcp.json")
			writeFile(t, path, test.file)
			code, stdout, stderr := command(t, environ, "doctor", test.client, "--file", path)
			if code != test.code || stderr != "" || !strings.Contains(stdout, test.says) || strings.Contains(stdout, "ol_api_demo") {
				t.Errorf("exit code %d, it does not say %q:\n%s\n%s", code, test.says, stdout, stderr)
			}
			if got := strings.Count(stdout, "✗"); got != test.code {
				t.Errorf("%d failures for one cause:\n%s", got, stdout)
			}
			jsonCode, printed, _ := command(t, environ, "doctor", test.client, "--file", path, "--json")
			var report struct{ OK bool }
			if err := json.Unmarshal([]byte(printed), &report); err != nil || jsonCode != code || report.OK != (code == 0) {
				t.Errorf("as JSON: exit code %d, %v\n%s", jsonCode, err, printed)
			}
		})
	}
}

func TestDoctorNamesWhatBreaksTheEntryOfEachClient(t *testing.T) {
	program := thisProgram(t)
	_, environ := here(t, "PATH="+os.Getenv("PATH"), "OUTLINE_API_KEY=ol_api_demo_admin")
	for _, client := range install.Clients() {
		path := filepath.Join(t.TempDir(), "entry")
		if code, _, stderr := command(t, environ, "install", "--no-check", client.Name, "--command", program, "--outline-url", "https://wiki.example.com", "--file", path); code != 0 {
			t.Fatal(stderr)
		}
		written, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, elsewhere := strings.Replace(string(written), `"args": [],`, "", 1), "servers"
		if client.Container == elsewhere {
			elsewhere = "mcpServers"
		}
		inJSON := strings.NewReplacer("command = ", `"command": `, "args = ", `"args": `, "disabled = ", `"disabled": `, "env = ", `"env": `, "\n", ", ")
		in := func(toml string) string { // the file's own notation
			if client.TOML {
				return toml
			}
			return inJSON.Replace(toml)
		}
		quoted := regexp.MustCompile(`(["'])` + regexp.QuoteMeta(program)).FindString(file)
		begins := in("command = ") + quoted
		atTop := `{"outline": {"command": "/x"}}`
		if client.TOML {
			atTop = "[outline]\ncommand = '/x'\n"
		}
		for _, test := range []struct{ name, file, says string }{
			{"arguments that are no list", strings.Replace(file, begins, in("args = \"--demo\"\n")+begins, 1), `"args" must be a list in [ ]; write ` + in("args = ") + `["--demo"]`},
			{"variables in a list", regexp.MustCompile(`(?s)("env": \{.*?\n *\}|env = \{.*?\})`).ReplaceAllString(file, in("env = ")+`["OUTLINE_API_KEY=ol_api_demo_admin"]`), `"env" must hold names and values in { }; write ` + in("env = ")},
			{"an entry that is switched off", strings.Replace(file, begins, in("disabled = true\n")+begins, 1), `"disabled" turns the entry off; remove the line, or write ` + in("disabled = ") + "false"},
			{"another key", strings.Replace(file, client.Container, elsewhere, 1), `has the entry "outline" in "` + elsewhere + `"`},
			{"an entry at the top", atTop, `but not in "` + client.Container + `"; write it as `},
			{"a name with a capital letter", strings.Replace(file, "outline", "Outline", 1), `has no entry "outline", but one called "Outline"`},
			{"a variable in small letters", strings.Replace(file, "OUTLINE_API_KEY", "outline_api_key", 1), `"outline_api_key" must be in capital letters; write "OUTLINE_API_KEY"`},
			{"a tilde", strings.Replace(file, program, "~/go/bin/outline-mcp", 1), client.Title + " does not replace the ~ in " + in("command = ")},
			{"arguments in the command", strings.Replace(file, program, program+" serve", 1), `"command" holds arguments besides the program; write ` + in("command = ")},
		} {
			t.Run(client.Name+"/"+test.name, func(t *testing.T) {
				writeFile(t, path, test.file)
				code, stdout, stderr := command(t, environ, "doctor", client.Name, "--file", path)
				if code != 1 || stderr != "" || strings.Count(stdout, "✗") != 1 || !strings.Contains(stdout, test.says) || strings.Contains(stdout, "ol_api_demo") {
					t.Errorf("exit code %d, it does not say %q:\n%s\n%s\n%s", code, test.says, stdout, stderr, test.file)
				}
			})
		}
		if client.TOML {
			continue
		}
		t.Run(client.Name+"/a comma after the last value", func(t *testing.T) {
			writeFile(t, path, regexp.MustCompile(`"(\n *\})`).ReplaceAllString(string(written), `",$1`))
			says := map[bool]string{true: "✗ entry: " + client.Title + " cannot read ", false: "! entry: " + client.Title + " may not read "}[client.Strict]
			if client.Lenient {
				says = "✓ entry: "
			}
			if _, stdout, _ := command(t, environ, "doctor", client.Name, "--file", path); !strings.Contains(stdout, says) {
				t.Errorf("it does not say %q:\n%s", says, stdout)
			}
		})
	}
}

// teamAt returns the address of a server over HTTP, which ends with the test.
func teamAt(t *testing.T, environ ...string) string {
	t.Helper()
	settings, err := config.Load(append(environ, "MCP_TRANSPORT=http", "MCP_PORT=0", "OUTLINE_API_URL="+outlineAt(t, "")))
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
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- team.ServeHTTP(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

func TestDoctorSaysWhatAServerWantsThatTheEntryDoesNotHave(t *testing.T) {
	for name, test := range map[string]struct {
		server, headers string
		code            int
		says            string
	}{
		"nothing": {"OUTLINE_API_KEY=ol_api_demo_member", `"X-Outline-Read-Only": "true"`, 0, "✓ key: the server needs none: a call without a key succeeded"},
		"a key":   {"LOG_LEVEL=error", `"X-Outline-Read-Only": "true"`, 1, "answers and asks for a key, but the entry has none"},
		"a login": {"MCP_PUBLIC_URL=https://mcp.example.com MCP_OAUTH_CLIENT_ID=client MCP_OAUTH_CLIENT_SECRET=a-secret-of-the-application MCP_OAUTH_SECRET=0123456789abcdef0123456789abcdef", `"X-Outline-Read-Only": "true"`, 0, "answers, and asks users to log in"},
		"a token": {"MCP_AUTH_TOKENS=0123456789abcdef", `"X-Outline-API-Key": "ol_api_demo_member"`, 1, "requires a token, and the entry has none that it accepts; ask the operator of the server for a token"},
	} {
		t.Run(name, func(t *testing.T) {
			at := teamAt(t, strings.Fields(test.server)...)
			path := filepath.Join(t.TempDir(), "mcp.json")
			writeFile(t, path, `{"mcpServers": {"outline": {"url": "`+at+`/mcp", "headers": {`+test.headers+`}}}}`)
			_, environ := here(t)
			code, stdout, stderr := command(t, environ, "doctor", "cursor", "--file", path)
			if code != test.code || stderr != "" || !strings.Contains(stdout, test.says) {
				t.Errorf("exit code %d:\n%s\n%s", code, stdout, stderr)
			}
		})
	}
}

func TestInstallWritesTheTokenThatAServerRequires(t *testing.T) {
	const token = "0123456789abcdef"
	at := teamAt(t, "MCP_AUTH_TOKENS="+token)
	file := filepath.Join(t.TempDir(), "token")
	writeFile(t, file, token+"\n")
	for _, test := range []struct {
		client string
		flags  []string
		code   int
		says   string
	}{
		{"vscode", nil, 1, "✗ server: " + at + "/mcp requires a token, and the entry has none that it accepts"},
		{"vscode", []string{"--token-file", file}, 0, "answers and asks for a key, for which VS Code will ask you"},
		{"cursor", []string{"--token-file", file}, 0, "✓ key: a call with the key in the entry succeeded"},
	} {
		_, environ := here(t, "OUTLINE_API_KEY=ol_api_demo_member")
		code, stdout, stderr := command(t, environ, append([]string{"install", test.client, "--url", at + "/mcp"}, test.flags...)...)
		if code != test.code || !strings.Contains(stdout, test.says) || strings.Contains(stdout+stderr, token) {
			t.Errorf("%s %v: exit code %d\n%s\n%s", test.client, test.flags, code, stdout, stderr)
		}
	}
}

func TestDoctorChecksAnEntryForAServerOverHTTP(t *testing.T) {
	at := teamAt(t)
	_, environ := here(t)
	code, installed, stderr := command(t, environ, "install", "vscode", "--url", at+"/mcp")
	for _, says := range []string{"✓ server: " + at + "/mcp answers and asks for a key, for which VS Code will ask you", "- key: skipped because VS Code asks for the key and stores it"} {
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
		{"what works", at + "/mcp", "ol_api_demo_member", 0, []string{"✓ server: " + at + "/mcp answers (outline 1.2.3) and offers 42 tools", "✓ key: a call with the key in the entry succeeded"}},
		{"a wrong key", at + "/mcp", "ol_api_fake_key", 1, []string{"✓ server: ", "✗ key: a call with the key failed: Outline does not accept the API key"}},
		{"a wrong path", at + "/home", "ol_api_fake_key", 1, []string{"✗ server: there is no MCP server at " + at + "/home; check the path of the URL; it usually ends in /mcp", "- key: skipped until the server answers"}},
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
