package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// callDemo runs a command line of the demo in this process, with something on
// standard input.
func callDemo(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), append([]string{"--demo", "call"}, args...), process{stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs})
	return code, out.String(), errs.String()
}

func TestWrongUseOfCallIsRefusedBeforeAnyCall(t *testing.T) {
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--stream", "-", "list_collections"}, "leave out TOOL, key=value and --args"},
		{[]string{"--stream", "-", "--args", "{}"}, "leave out TOOL, key=value and --args"},
		{[]string{"--stream", ""}, "--stream needs the name of a file"},
		{[]string{"--stream", "/nope/calls.jsonl"}, "--stream: open /nope/calls.jsonl: "},
		{[]string{"--stream", "-", "--concurrency", "17"}, "--concurrency must be from 1 to 16"},
		{[]string{"--stream", "-", "--concurrency", "0"}, "--concurrency must be from 1 to 16"},
		{[]string{"list_collections", "--concurrency", "1"}, "need --stream"},
		{[]string{"list_collections", "--fail-fast"}, "need --stream"},
		{[]string{"list_collections", "--raw"}, "--raw needs --jq"},
		{[]string{"list_collections", "--jq", ".["}, "--jq: unexpected EOF"},
		{[]string{"--stream", "-", "--jq", ".["}, "--jq: unexpected EOF"},
		{[]string{"create_document", "--jq", "nosuch"}, "--jq: function not defined: nosuch/0"},
		{[]string{"update_document", "text@=/nope/page.md"}, "text@=: open /nope/page.md: "},
		{[]string{"update_document", "ol_api_fake"}, `"****" is not an argument of the form key=value`},
		{[]string{"ol_api_fake"}, `there is no tool ****`},
		{[]string{"create_document", "title=Caf\xe9"}, "title is not text in UTF-8"},
		{[]string{"list_collections", "--args", ""}, "--args is empty"},
		{[]string{"list_collections", "--jq", ""}, "--jq is empty"},
		{[]string{"--stream", "-", "--args", ""}, "leave out TOOL, key=value and --args"},
		{[]string{"list_collections", "--json", "--jq", "."}, "leave out --json"},
		{[]string{"--stream", "-", "--json"}, "leave out --json"},
		{[]string{"read_document", "--args", "{\n  'a': 1}"}, "line 2, column 3: invalid character"},
	} {
		code, stdout, stderr := callDemo(t, "", test.args...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.says) {
			t.Errorf("%q: exit code %d\n%s%s", test.args, code, stdout, stderr)
		}
	}
}

func TestArgumentsCanComeFromAFileAndFromStandardInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arguments.json")
	writeFile(t, file, `{"query": "buoy", "limit": 50, "detail_level": "ids"}`)
	_, want, _ := callDemo(t, "", "search_documents", "query=buoy", "limit=2", "detail_level=ids", "--json")
	for _, args := range [][]string{
		{"search_documents", "--args", "@" + file, "limit=2", "--json"},
		{"search_documents", "--args", "-", "--json"},
	} {
		code, stdout, stderr := callDemo(t, `{"query":"buoy","limit":2,"detail_level":"ids"}`, args...)
		if code != 0 || stdout != want {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

func TestTheTextOfAFileBecomesTheDocument(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(sample)
	defer outline.Close()
	settings := []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}
	file := filepath.Join(t.TempDir(), "page.md")
	writeFile(t, file, "First line = *good*\n\nSecond: @home\n")
	code, id, stderr := command(t, settings, "call", "create_document", "title=@page", "collection_id=8441e5d2-7545-4078-bd93-c21942e16c7f", "text@="+file, "--jq", ".document_id", "-r")
	if code != 0 {
		t.Fatal(stderr)
	}
	_, read, _ := command(t, settings, "call", "read_document", "document_id="+strings.TrimSpace(id), "--jq", ".title, .text", "-r")
	if read != "@page\nFirst line = *good*\n\nSecond: @home\n" {
		t.Errorf("got %q", read)
	}
}

func TestAnExpressionIsAskedOfASuccessOnly(t *testing.T) {
	if code, stdout, stderr := callDemo(t, "", "list_collections", "limit=2", "--jq", ".collections[].name", "--raw"); code != 0 || stdout != "Handbook\nEngineering\n" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := callDemo(t, "", "list_collections", "limit=1", "--jq", ".collections[0] | {name}"); code != 0 || stdout != "{\n  \"name\": \"Handbook\"\n}\n" {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := callDemo(t, "", "read_document", "document_id=00000000-0000-4000-8000-000000000000", "--jq", ".title"); code != 4 || stdout != "" || !strings.Contains(stderr, "not_found") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := callDemo(t, "", "list_collections", "--jq", ".collections.name"); code != 1 || stdout != "" || !strings.Contains(stderr, "--jq: expected an object but got: array") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// outcome is a line that a stream printed.
type outcome struct {
	Line    int
	ID      string
	OK      bool
	Result  struct{ Documents []struct{ Title string } }
	Failure struct{ Code, Error string }
}

func outcomesIn(t *testing.T, printed string) []outcome {
	t.Helper()
	var outcomes []outcome
	for line := range strings.Lines(printed) {
		var next outcome
		if err := json.Unmarshal([]byte(line), &next); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		outcomes = append(outcomes, next)
	}
	return outcomes
}

func TestAStreamIsCarriedOutInOrderByOneProcess(t *testing.T) {
	lines := strings.Join([]string{
		`{"tool":"archive_document","arguments":{"document_id":"1wPyxUCdt9"},"id":"archive"}`,
		`{"tool":"list_archived_documents","id":"list"}`,
		`no call`,
		`{"tool":"read_document","arguments":{"document_id":"00000000-0000-4000-8000-000000000000"},"id":"missing"}`,
		`{"tool":"unarchive_document","arguments":{"document_id":"1wPyxUCdt9"},"id":"back"}`,
	}, "\n")
	file := filepath.Join(t.TempDir(), "calls.jsonl")
	writeFile(t, file, lines)
	code, stdout, stderr := callDemo(t, "", "--stream", file)
	if code != 2 || stderr != "outline-mcp: 2 of 5 calls failed, the first on line 3 (invalid_arguments)\n" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	outcomes := outcomesIn(t, stdout)
	if len(outcomes) != 5 || !outcomes[0].OK || !outcomes[4].OK || outcomes[3].Failure.Code != "not_found" || outcomes[3].ID != "missing" {
		t.Fatalf("got\n%s", stdout)
	}
	if archived := outcomes[1].Result.Documents; len(archived) == 0 || !strings.HasPrefix(archived[0].Title, "Friday soup") {
		t.Errorf("the second call does not see what the first one did:\n%s", stdout)
	}
	if code, _, stderr := callDemo(t, lines, "--stream", "-", "--quiet"); code != 2 || stderr != "" {
		t.Errorf("with --quiet exit code %d: %s", code, stderr)
	}
}

func TestAStreamCanStopAtAFailure(t *testing.T) {
	lines := `{"tool":"list_collections"}` + "\n" + `{"tool":"read_document","arguments":{"document_id":"00000000-0000-4000-8000-000000000000"}}` + "\n" + `{"tool":"list_collections"}`
	code, stdout, stderr := callDemo(t, lines, "--stream", "-", "--fail-fast")
	if code != 4 || strings.Count(stdout, "\n") != 2 || !strings.Contains(stderr, "a call failed: 2 calls were answered, 1 with a failure; no call after line 2 of the stream was made") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestAnExpressionSeesWholeOutcomesOfAStream(t *testing.T) {
	lines := `{"tool":"list_collections","arguments":{"limit":1},"id":7}` + "\nzz\n" + `{"tool":"list_collections","arguments":{"limit":1}}`
	code, stdout, _ := callDemo(t, lines, "--stream", "-", "--concurrency", "3", "--raw", "--jq", `if .ok then "\(.id) \(.result.collections[0].name)" else {line, code: .failure.code} end`)
	if want := "7 Handbook\n{\"code\":\"invalid_arguments\",\"line\":2}\nnull Handbook\n"; code != 2 || stdout != want {
		t.Errorf("exit code %d, got\n%swant\n%s", code, stdout, want)
	}
	code, stdout, stderr := callDemo(t, `{"tool":"list_collections"}`+"\n"+`{"tool":"list_collections"}`, "--stream", "-", "--jq", ".line, .ok.x")
	if code != 1 || stdout != "1\n2\n" || strings.Count(stderr, "--jq: expected an object") != 2 || !strings.Contains(stderr, "all 2 calls are done; --jq failed on 2 outcomes") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, _, stderr = callDemo(t, `{"tool":"list_collections"}`, "--stream", "-", "--raw", "--jq", `"x" * 10000000 | repeat(.)`)
	if code != 1 || !strings.Contains(stderr, "the expression makes more than 64 MiB of one outcome") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestASignalEndsAStreamAndSaysWhatWasNotDone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stdin, lines := io.Pipe()
	defer lines.Close()
	printed, stdout := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"--demo", "call", "--stream", "-"}, process{stdin: stdin, stdout: stdout, stderr: &stderr})
		stdout.Close()
		ended <- code
	}()
	if _, err := io.WriteString(lines, "{\"tool\":\"list_collections\"}\n"); err != nil {
		t.Fatal(err)
	}
	answer := json.NewDecoder(printed)
	var first outcome
	if err := answer.Decode(&first); err != nil || !first.OK {
		t.Fatalf("%+v, %v", first, err)
	}
	cancel()
	if code := <-ended; code != 1 || stderr.String() != "outline-mcp: interrupted: 1 call was answered; no call after line 1 of the stream was made\n" {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

func TestAStreamConnectsOnceAndShowsNoKey(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var requests, connections atomic.Int32
	outline := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		sample.ServeHTTP(w, r)
	}))
	outline.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	outline.Start()
	defer outline.Close()
	stream := func(key string) (int, string, string) {
		var out, errs bytes.Buffer
		lines := strings.Repeat(`{"tool":"list_collections","arguments":{"include_document_count":false}}`+"\n", 5)
		code := run(t.Context(), []string{"call", "--stream", "-"}, process{strings.NewReader(lines), &out, &errs, []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + key}})
		return code, out.String(), errs.String()
	}
	if code, stdout, stderr := stream(fakeoutline.AdminKey); code != 0 || requests.Load() != 5 || connections.Load() != 1 || strings.Contains(stdout, fakeoutline.AdminKey) {
		t.Errorf("exit code %d, %d requests, %d connections: %s", code, requests.Load(), connections.Load(), stderr)
	}
	if code, stdout, stderr := stream("ol_api_fake_expired"); code != 3 || strings.Contains(stdout+stderr, "fake_expired") || strings.Count(stdout, `"code":"unauthorized"`) != 5 {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// fullDisk is a standard output that takes so many writes.
type fullDisk struct{ left int }

func (f *fullDisk) Write(part []byte) (int, error) {
	if f.left == 0 {
		return 0, errors.New("no space left on device")
	}
	f.left--
	return len(part), nil
}

func TestAnAnswerThatCannotBePrintedIsNoSuccess(t *testing.T) {
	for _, args := range [][]string{nil, {"--json"}, {"--jq", "."}} {
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"--demo", "call", "list_collections"}, args...), process{strings.NewReader(""), &fullDisk{}, &stderr, nil})
		if code != 1 || stderr.String() != "outline-mcp: the call succeeded, but its answer could not be printed completely: no space left on device\n" {
			t.Errorf("%q: exit code %d: %s", args, code, &stderr)
		}
	}
}

func TestAStreamThatBreaksOffTellsHowFarItCame(t *testing.T) {
	const line = `{"tool":"list_collections"}` + "\n"
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"--demo", "call", "--stream", "-"}, process{strings.NewReader(strings.Repeat(line, 3)), &fullDisk{1}, &stderr, nil})
	want := "outline-mcp: write the outcome of line 2: no space left on device: 1 call was answered; " +
		"1 more were made, but the answers are lost: check before you repeat them; no call after line 2 of the stream was made\n"
	if code != 1 || stderr.String() != want {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	stderr.Reset()
	stdin, in := io.Pipe()
	go func() {
		_, _ = io.WriteString(in, line)
		in.CloseWithError(errors.New("input/output error"))
	}()
	code = run(t.Context(), []string{"--demo", "call", "--stream", "-"}, process{stdin, io.Discard, &stderr, nil})
	want = "outline-mcp: read line 2 of the stream: input/output error: 1 call was answered; no call after line 1 of the stream was made\n"
	if code != 1 || stderr.String() != want {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

func TestASignalEndsAnExpressionInAStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sample.ServeHTTP(w, r)
		cancel()
	}))
	defer outline.Close()
	var stderr bytes.Buffer
	code := run(ctx, []string{"call", "--stream", "-", "--jq", "last(repeat(1))"}, process{strings.NewReader(`{"tool":"list_collections"}`), io.Discard, &stderr,
		[]string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}})
	if code == 0 || !strings.Contains(stderr.String(), "--jq: the expression did not end: context canceled") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

func TestAToolThatASettingLeavesOutIsNotUnknown(t *testing.T) {
	for setting, says := range map[string]string{
		"OUTLINE_READ_ONLY=true":                "the setting OUTLINE_READ_ONLY leaves the tool delete_document out",
		"OUTLINE_DISABLE_DELETE=true":           "the setting OUTLINE_DISABLE_DELETE leaves the tool delete_document out",
		"OUTLINE_EXCLUDE_TOOLS=delete_document": "one of the settings OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS leaves the tool delete_document out",
		"OUTLINE_TOOLS=read_document":           "one of the settings OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS leaves the tool delete_document out",
	} {
		code, _, stderr := command(t, []string{setting}, "--demo", "call", "delete_document", "document_id=1wPyxUCdt9")
		if code != 2 || !strings.Contains(stderr, says) {
			t.Errorf("%s: exit code %d: %s", setting, code, stderr)
		}
		var out, errs bytes.Buffer
		code = run(t.Context(), []string{"--demo", "call", "--stream", "-"}, process{strings.NewReader(`{"tool":"delete_document"}`), &out, &errs, []string{setting}})
		if code != 2 || !strings.Contains(out.String(), fmt.Sprintf(`"error":"line 1: %s"`, says)) {
			t.Errorf("%s: exit code %d: %s", setting, code, &out)
		}
	}
}
