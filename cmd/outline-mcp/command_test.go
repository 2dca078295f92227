package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// command runs a command line in this process and returns what it printed.
func command(t testing.TB, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, process{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, environ: environ})
	return code, out.String(), errs.String()
}

// TestMain lets this test binary stand in for the program: started with
// OUTLINE_MCP_TEST_PROGRAM set, it is the program. With OUTLINE_MCP_TEST_BROWSER and a
// page, it is the browser of a person who agrees on the page.
func TestMain(m *testing.M) {
	if session := os.Getenv("OUTLINE_MCP_TEST_BROWSER"); session != "" && len(os.Args) == 2 && strings.HasPrefix(os.Args[1], "http") {
		os.Exit(browser(session, os.Args[1]))
	}
	if os.Getenv("OUTLINE_MCP_TEST_PROGRAM") != "" || len(os.Args) > 1 && os.Args[1] == extractPDF {
		os.Unsetenv("OUTLINE_MCP_TEST_PROGRAM")
		main()
	}
	_ = flag.Set("test.parallel", "4") // parallel tests wait for the disk and for other processes
	os.Exit(m.Run())
}

// program returns the program as a separate process, with nothing of this
// environment but the settings given.
func program(ctx context.Context, settings []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append([]string{
		"OUTLINE_MCP_TEST_PROGRAM=1",
		"GORACE=atexit_sleep_ms=0", // the race detector's runtime would sleep a second
	}, settings...)
	return cmd
}

func TestExitCodes(t *testing.T) {
	demo := func(args ...string) []string { return append([]string{"--demo", "call"}, args...) }
	unused := []string{"OUTLINE_API_URL=foo", "OUTLINE_API_KEY=<your key>", "OUTLINE_API_KEY_FILE=/nope", "OUTLINE_CA_FILE=/nope"}
	tests := []struct {
		name    string
		environ []string
		args    []string
		code    int
		says    string // on standard error
	}{
		{"done", nil, demo("list_collections"), 0, ""},
		{"unknown command", nil, []string{"fly"}, 2, `unknown command "fly"`},
		{"unknown flag", nil, []string{"--fly"}, 2, "unknown flag"},
		{"unknown tool", nil, demo("fly"), 2, "there is no tool fly; outline-mcp tools lists the tools"},
		{"no tool", nil, demo(), 2, "search_documents            Finds pages of the company's Outline wiki"},
		{"no pair", nil, demo("search_documents", "query"), 2, `"query" is not an argument of the form key=value or key@=FILE, such as query=soup; outline-mcp tools search_documents`},
		{"arguments that are no object", nil, demo("search_documents", "--args", "[1]"), 2, "must be a JSON object"},
		{"more after the arguments", nil, demo("search_documents", "--args", `{"query":"buoy"} zz`), 2, "must be a JSON object"},
		{"a second object after the arguments", nil, demo("search_documents", "--args", `{"query":"buoy"}{}`), 2, "must be a JSON object"},
		{"wrong arguments", nil, demo("search_documents", "query=x", "limit=0"), 2, "limit must be a number from 1 to 100"},
		{"wrong settings", []string{"OUTLINE_MAX_RETRIES=many", "LOG_LEVEL=loud"}, demo("list_collections"), 2, "OUTLINE_MAX_RETRIES"},
		{"all wrong settings at once", []string{"OUTLINE_MAX_RETRIES=many", "LOG_LEVEL=loud"}, nil, 2, "LOG_LEVEL"},
		{"wrong URL", []string{"OUTLINE_API_URL=wiki.example.com"}, []string{"tools"}, 2, "https://"},
		{"a key among the tools", []string{"OUTLINE_TOOLS=ol_api_fake"}, []string{"tools"}, 2, "****"},
		{"a key as a command", nil, []string{"ol_api_" + strings.Repeat("a1", 19)}, 2, `unknown command "****`},
		{"a key as a flag", nil, []string{"call", "--ol_api_" + strings.Repeat("a1", 19)}, 2, "****"},
		{"a key as a number", nil, []string{"workspace", "--rate-limit", "ol_api_" + strings.Repeat("a1", 19)}, 2, "****"},
		{"settings that the demo ignores", unused, demo("list_collections"), 0, ""},
		{"settings that are used", unused, []string{"tools"}, 2, "OUTLINE_API_URL"},
		{"no key", nil, []string{"call", "list_collections"}, 3, "export OUTLINE_API_KEY=ol_api_..."},
		{"an unknown release", nil, []string{"workspace", "--like", "2.0"}, 2, "1.9.1, 1.9.2"},
		{"not found", nil, demo("read_document", "document_id=00000000-0000-4000-8000-000000000000"), 4, "not_found"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code, _, stderr := command(t, test.environ, test.args...)
			if code != test.code || !strings.Contains(stderr, test.says) || strings.Contains(stderr, "a1a1a1") {
				t.Errorf("exit code %d, want %d; standard error %q", code, test.code, stderr)
			}
		})
	}
}

func TestExitCodesForWhatOutlineRefuses(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refuse := func(status int, name string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"ok":false,"error":"`+name+`","message":"no"}`)
		}
	}
	for _, test := range []struct {
		name    string
		outline http.Handler
		key     string
		code    int
		says    string
	}{
		{"expired key", sample, "ol_api_demo_expired", 3, "unauthorized"},
		{"forbidden", refuse(http.StatusForbidden, "authorization_error"), "ol_api_fake", 3, "forbidden"},
		{"rate limited", refuse(http.StatusTooManyRequests, "rate_limit_exceeded"), "ol_api_fake", 6, "rate_limited"},
	} {
		t.Run(test.name, func(t *testing.T) {
			outline := httptest.NewServer(test.outline)
			defer outline.Close()
			code, _, stderr := command(t, []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + test.key}, "call", "list_collections")
			if code != test.code || !strings.Contains(stderr, test.says) {
				t.Errorf("exit code %d, want %d; standard error %q", code, test.code, stderr)
			}
		})
	}
}

func TestCallReadsPairsAsTheSchemaSays(t *testing.T) {
	code, stdout, stderr := command(t, nil, "--demo", "call", "search_documents", "query=buoy", "limit=2", "detail_level=ids", "status_filter=draft", "status_filter=published", "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var result struct {
		Results []struct {
			DocumentID string `json:"document_id"`
		}
		DetailLevel string `json:"detail_level"`
	}
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatal(err)
	}
	if len(result.Results) != 2 || result.DetailLevel != "ids" {
		t.Errorf("got %s", stdout)
	}
	_, fromList, _ := command(t, nil, "--demo", "call", "search_documents", "query=buoy", "limit=2", "detail_level=ids", `status_filter=["draft","published"]`, "--json")
	_, fromObject, _ := command(t, nil, "--demo", "call", "search_documents", "--args", `{"query":"buoy","limit":2,"detail_level":"ids","status_filter":["draft","published"]}`, "--json")
	if fromList != stdout || fromObject != stdout {
		t.Errorf("a JSON list gives\n%s\nan object\n%s\nrepeated keys\n%s", fromList, fromObject, stdout)
	}
}

func TestAFailedCallPrintsItsMessageOnStandardErrorAndItsJSONOnStandardOutput(t *testing.T) {
	code, stdout, stderr := command(t, nil, "--demo", "call", "read_document", "document_id=no id!", "--json")
	var failure struct{ Error, Code string }
	if err := json.Unmarshal([]byte(stdout), &failure); err != nil {
		t.Fatal(err)
	}
	if code == 0 || failure.Code != "not_found" || !strings.Contains(stderr, failure.Error) {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if _, stdout, _ := command(t, nil, "--demo", "call", "read_document", "document_id=no id!"); stdout != "" {
		t.Errorf("without --json standard output is %q", stdout)
	}
}

func TestToolsAreListedAsATableAndAsJSON(t *testing.T) {
	_, table, _ := command(t, nil, "tools")
	_, endpoints, _ := command(t, nil, "tools", "--endpoints")
	for says, printed := range map[string]string{
		"search_documents            Finds pages of the company's Outline wiki":   table,
		"get_document_id_from_title  documents.search_titles or documents.search": endpoints,
	} {
		if !strings.Contains(printed, says) {
			t.Errorf("the table lacks %q:\n%s", says, printed)
		}
	}
	const footnote = "\n* AI clients are offered it only if OUTLINE_TOOLS names it.\n"
	table, hasFootnote := strings.CutSuffix(table, footnote)
	_, printed, _ := command(t, []string{"OUTLINE_STRUCTURED_OUTPUT=off"}, "tools", "--json")
	var definitions []map[string]any
	if err := json.Unmarshal([]byte(printed), &definitions); err != nil {
		t.Fatal(err)
	}
	for _, definition := range definitions {
		for _, key := range []string{"name", "title", "description", "annotations", "inputSchema", "outputSchema"} {
			if definition[key] == nil {
				t.Errorf("%s has no %s", definition["name"], key)
			}
		}
	}
	if len(definitions) != strings.Count(table, "\n") || !hasFootnote {
		t.Errorf("%d definitions, and a table of\n%s", len(definitions), table)
	}
}

func TestVersionIsOneLine(t *testing.T) {
	code, stdout, _ := command(t, nil, "version")
	if code != 0 || !strings.HasPrefix(stdout, "outline-mcp ") || strings.Count(stdout, "\n") != 1 {
		t.Errorf("exit code %d: %q", code, stdout)
	}
	if code, flag, _ := command(t, nil, "--version"); code != 0 || flag != stdout {
		t.Errorf("--version: exit code %d: %q, want %q", code, flag, stdout)
	}
}

func TestNoCommandShowsThePasswordInAnAddress(t *testing.T) {
	for _, address := range []string{"https://ada:hunter2@wiki.example.com", "https:/ada:hunter2@wiki.example.com", "https//ada:hunter2@wiki.example.com",
		"hunter2@wiki.example.com", "https://ada:hunter2", "ada:hunter2", "https://[hunter2", "https://wiki.example.com/%zz?hunter2"} {
		for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}, {"serve"}, {"tools"}} {
			code, stdout, stderr := command(t, []string{"OUTLINE_API_URL=" + address, "OUTLINE_API_KEY=ol_api_fake"}, args...)
			if strings.Contains(stdout+stderr, "hunter2") || code == 0 && args[0] != "tools" {
				t.Errorf("%v with %s ends with %d:\n%s%s", args, address, code, stdout, stderr)
			}
		}
	}
}

func TestProblemsWithToolsAreReportedBesideAllOthers(t *testing.T) {
	environ := []string{"OUTLINE_TOOLS=serch,coments", "OUTLINE_EXCLUDE_TOOLS=fly", "OUTLINE_MAX_RETRIES=many", "OUTLINE_API_URL=https://wiki.example.com:99999"}
	for _, args := range [][]string{{"serve"}, {"tools"}, {"doctor"}} {
		code, stdout, stderr := command(t, environ, args...)
		for _, says := range []string{"did you mean search?", "did you mean comments?", "no tool or group is called fly", "is not a whole number", "has the port 99999"} {
			if code == 0 || !strings.Contains(stdout+stderr, says) {
				t.Errorf("%v ends with %d and does not say %q:\n%s%s", args, code, says, stdout, stderr)
			}
		}
	}
}

// writeFile writes a file for its owner alone.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
