package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

func TestWrongUseSaysWhatToDo(t *testing.T) {
	used := httptest.NewServer(http.NotFoundHandler())
	defer used.Close()
	address := strings.TrimPrefix(used.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	for _, test := range []struct {
		environ []string
		args    string
		code    int
		says    string // the whole message, without the program's name
	}{
		{nil, "instal", 2, `unknown command "instal"; did you mean install?`},
		{nil, "fly", 2, `unknown command "fly"; outline-mcp --help lists the commands`},
		{nil, "help instal", 2, `unknown command "instal"; did you mean install?`},
		{nil, "serve now", 2, `serve takes no argument such as "now"; see outline-mcp serve --help`},
		{nil, "--verson", 2, `unknown flag "--verson"; did you mean --version?`},
		{nil, "serve -x", 2, `unknown flag "-x"; see outline-mcp serve --help`},
		{nil, "serve --port 4000", 2, `unknown flag "--port"; set MCP_PORT in the environment`},
		{nil, "push --drafts", 2, `unknown flag "--drafts"; outline-mcp push --help lists the flags`},
		{nil, "--demo status nowhere", 2, `nowhere: open nowhere: no such file or directory`},
		{nil, "serve --transport", 2, `--transport needs a value; see outline-mcp serve --help`},
		{nil, "call list_trash --limit 5", 2, `unknown flag "--limit"; write arguments of the tool as key=value, without --`},
		{nil, "call --raw=maybe", 2, `--raw must be true or false, not "maybe"`},
		{nil, "workspace --rate-limit many", 2, `--rate-limit must be a whole number, not "many"`},
		{nil, "workspace --latency slow", 2, `--latency must be a duration such as 50ms or 2s, not "slow"`},
		{nil, "--demo call serch_document", 2, `there is no tool serch_document; did you mean search_documents?`},
		{nil, "tools read", 2, `there is no tool read; did you mean read_document, read_document_section or read_revision?`},
		{nil, "tools --go", 2, `unknown flag "--go"; outline-mcp tools --help lists the flags`},
		{nil, "tools --json read_document", 2, `give TOOL or --json; without either, outline-mcp tools lists the tools`},
		{nil, "install claude", 2, `unknown client "claude"; did you mean claude-desktop or claude-code?`},
		{nil, "install Claude Desktop", 2, `name one client; did you mean claude-desktop?`},
		{nil, "--demo call search soup", 2, `"soup" is not an argument of the form key=value or key@=FILE, such as query=soup; outline-mcp tools search shows the arguments`},
		{nil, "uninstall gemini-cli", 2, `unknown client "gemini-cli"; did you mean gemini?`},
		{nil, "audit", 2, `name one audit trail, such as the file in MCP_AUDIT_LOG; see outline-mcp audit --help`},
		{nil, "audit x --since whenever", 2, `--since: "whenever" is not a date: give a date (2026-05-31, 2026-05, yesterday, last week), a date-time (2026-05-31T09:00Z) or a duration back from now (12h, 7d, 2w, 3m, 1y)`},
		{nil, "audit x --document 1wPyxUCdt9", 2, `--document: the trail has UUIDs, not the URL id 1wPyxUCdt9; outline-mcp call read_document --json document_id=1wPyxUCdt9 shows the UUID`},
		{nil, "audit no/such/file", 1, `read the audit trail: open no/such/file: no such file or directory`},
		{nil, "workspace --listen " + address, 1, `cannot listen on ` + address + `: another program uses the port; find it with lsof -i :` + port + ` and stop it, or choose another port with --listen`},
		{nil, "workspace --listen 3010", 1, `cannot listen on 3010: it is not an address with a port; use one such as 127.0.0.1:3000 for --listen`},
		{[]string{"MCP_PORT=" + port}, "--demo serve --transport http", 1, `cannot listen on ` + address + `: another program uses the port; find it with lsof -i :` + port + ` and stop it, or choose another port with MCP_PORT`},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stdout, stderr := command(t, test.environ, strings.Fields(test.args)...)
			if want := "outline-mcp: " + test.says + "\n"; code != test.code || stderr != want || stdout != "" {
				t.Errorf("exit code %d, want %d; standard error\n%s\nwant\n%s", code, test.code, stderr, want)
			}
		})
	}
}

// TestTheExampleOfEachToolSucceeds runs what the help of each tool shows.
func TestHelpNamesTheFlagDemoOnlyWhereItDoesSomething(t *testing.T) {
	for name, want := range map[string]bool{"call": true, "doctor": true, "pull": true, "demo": false, "uninstall": false, "workspace": false} {
		if _, stdout, _ := command(t, nil, name, "--help"); strings.Contains(stdout, "--demo   use the built-in") != want {
			t.Errorf("%s: want --demo in the help: %t\n%s", name, want, stdout)
		}
	}
}

func TestTheExampleOfEachToolSucceeds(t *testing.T) {
	_, list, _ := command(t, nil, "--demo", "tools")
	names := regexp.MustCompile(`(?m)^\w+`).FindAllString(list, -1)
	if len(names) < 30 {
		t.Fatalf("%d tools:\n%s", len(names), list)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			_, help, _ := command(t, nil, "tools", name)
			if _, again, _ := command(t, nil, "call", name, "--help"); again != help {
				t.Errorf("call --help shows\n%s\ntools shows\n%s", again, help)
			}
			_, example, found := strings.Cut(help, "Example, in the sample workspace:\n  outline-mcp ")
			if !found || !strings.HasPrefix(help, name+": ") {
				t.Fatalf("the help is\n%s", help)
			}
			if code, _, stderr := command(t, nil, wordsOf(strings.TrimSuffix(example, "\n"))...); code != 0 {
				t.Errorf("%s ends with %d: %s", example, code, stderr)
			}
		})
	}
}

// wordsOf splits a command line as a shell does, if it has only single quotes.
func wordsOf(line string) []string {
	var words []string
	for _, word := range regexp.MustCompile(`(?:[^\s']|'[^']*')+`).FindAllString(line, -1) {
		words = append(words, strings.ReplaceAll(word, "'", ""))
	}
	return words
}

func TestAWrongAddressIsNamedByTheFirstCall(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Wiki</title>")
	}))
	defer page.Close()
	for _, address := range []string{outlineAt(t, "") + "/pages", page.URL} {
		code, _, stderr := command(t, []string{"OUTLINE_API_URL=" + address, "OUTLINE_API_KEY=ol_api_demo_admin"}, "call", "list_collections")
		if want := "there is no Outline API at " + address + "/api"; code != 1 || !strings.Contains(stderr, want) || !strings.Contains(stderr, "; check OUTLINE_API_URL, or run outline-mcp doctor") {
			t.Errorf("%s: exit code %d: %s", address, code, stderr)
		}
	}
}

// outlineAt serves the sample workspace below a path until the test ends, as a
// reverse proxy does, and returns its address. Elsewhere on the host is a web
// page.
func outlineAt(t *testing.T, path string) string {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{Answers: true})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(path+"/", http.StripPrefix(path, sample))
	if path != "" {
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html><title>Intranet</title>")
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + path
}

// unusable returns for each setting that can be refused variables that make it
// so, with | between them.
func unusable(t *testing.T) map[string]string {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	writeFile(t, file, "two words\nhunter2hunter2")
	all := map[string]string{
		"OUTLINE_API_KEY": "OUTLINE_API_KEY=<hunter2 key>", "OUTLINE_API_URL": "OUTLINE_API_URL=wiki.example.com",
		"OUTLINE_URL_ALIASES": "OUTLINE_URL_ALIASES=https://a b", "OUTLINE_CLIENT_CERT": "OUTLINE_CLIENT_CERT=" + file + "|OUTLINE_CLIENT_KEY=" + file,
		"OUTLINE_CLIENT_KEY": "OUTLINE_CLIENT_CERT=" + file, "OUTLINE_HEADERS": "OUTLINE_HEADERS=hunter2",
		"OUTLINE_TOOLS": "OUTLINE_TOOLS=serch", "OUTLINE_EXCLUDE_TOOLS": "OUTLINE_EXCLUDE_TOOLS=fly",
		"OUTLINE_FILES_DIR": "OUTLINE_FILES_DIR=/nowhere/at/all", "MCP_AUDIT_LOG": "MCP_AUDIT_LOG=" + folder,
		"MCP_PATH": "MCP_PATH=/health", "MCP_AUTH_TOKENS": "MCP_AUTH_TOKENS=hunter2", "MCP_ALLOWED_ORIGINS": "MCP_ALLOWED_ORIGINS=example",
		"MCP_ALLOWED_HOSTS": "MCP_ALLOWED_HOSTS=https://a/b", "MCP_HOST": "MCP_HOST=a b", "MCP_METRICS_ADDR": "MCP_METRICS_ADDR=nine",
		"MCP_REDIS_URL": "MCP_REDIS_URL=hunter2", "MCP_TLS_KEY": "MCP_TLS_CERT=" + file, "MCP_TLS_CERT": "MCP_TLS_CERT=" + file + "|MCP_TLS_KEY=" + file,
		"OTEL_EXPORTER_OTLP_ENDPOINT": "OTEL_EXPORTER_OTLP_ENDPOINT=collector",
	}
	for _, setting := range config.Settings() {
		switch {
		case strings.HasSuffix(setting.Name, "_FILE"), setting.Name == "OTEL_EXPORTER_OTLP_CERTIFICATE":
			all[setting.Name] = setting.Name + "=/nowhere/at/all"
		case all[setting.Name] == "" && setting.Type != "text" && setting.Type != "list":
			all[setting.Name] = setting.Name + "=maybe-so"
		}
	}
	delete(all, "OTEL_EXPORTER_OTLP_CERTIFICATE") // only beside an endpoint
	return all
}

func TestOnStdioAMalformedSettingLeavesTheToolsListedAndEachCallSaysWhatIsWrong(t *testing.T) {
	for name, settings := range unusable(t) {
		t.Run(name, func(t *testing.T) {
			cmd := program(t.Context(), strings.Split(settings, "|"))
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			cmd.Stdin = strings.NewReader(strings.Join([]string{initialize, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				toolsCall(3, "list_collections", `{}`), `{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`}, "\n"))
			output, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(stderr.String(), name) {
				t.Errorf("exit code %d: %s", code, &stderr)
			}
			answers := messages(t, output)
			if !bytes.Contains(answers["2"].Result, []byte(`"search_documents"`)) || answers["4"].Result == nil {
				t.Errorf("lists: %.300s %.300s", answers["2"].Result, answers["4"].Result)
			}
			answer := string(answers["3"].Result)
			if !strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, name) || !strings.Contains(answer, "cannot be used") {
				t.Errorf("tools/call: %s", answer)
			}
			if strings.Contains(answer+stderr.String(), "hunter2") {
				t.Errorf("a secret is shown: %s %s", answer, &stderr)
			}
		})
	}
}

func TestOverHTTPAMalformedSettingIsRefusedAtTheStart(t *testing.T) {
	code, stdout, stderr := command(t, []string{"MCP_TRANSPORT=http", "MCP_PORT=0", "OUTLINE_MAX_RETRIES=many"})
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "OUTLINE_MAX_RETRIES") {
		t.Errorf("exit code %d: %s %s", code, stdout, stderr)
	}
}

func TestTheHelpOfAToolDescribesEveryArgument(t *testing.T) {
	_, listed, _ := command(t, []string{"OUTLINE_TOOLS=all"}, "--demo", "tools")
	listed, _, _ = strings.Cut(listed, "\n\n")
	for line := range strings.Lines(listed) {
		name := strings.Fields(line)[0]
		_, help, _ := command(t, []string{"OUTLINE_TOOLS=all"}, "--demo", "tools", name)
		_, arguments, _ := strings.Cut(help, "\nArguments:\n")
		arguments, _, _ = strings.Cut(arguments, "\nExample, ")
		for argument := range strings.Lines(arguments) {
			if cells := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(argument), -1); len(cells) != 3 {
				t.Errorf("%s: no words for %q", name, argument)
			}
		}
	}
}
