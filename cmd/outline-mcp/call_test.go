package main

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
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
		{[]string{"list_collections", "--raw"}, "--raw needs --jq"},
		{[]string{"list_collections", "--jq", ".["}, "--jq: unexpected EOF"},
		{[]string{"create_document", "--jq", "nosuch"}, "--jq: function not defined: nosuch/0"},
		{[]string{"update_document", "text@=/nope/page.md"}, "text@=: open /nope/page.md: "},
		{[]string{"update_document", "ol_api_fake"}, `"****" is not an argument of the form key=value`},
		{[]string{"ol_api_fake"}, `there is no tool ****`},
		{[]string{"create_document", "title=Caf\xe9"}, "title is not text in UTF-8"},
		{[]string{"list_collections", "--args", ""}, "--args is empty"},
		{[]string{"list_collections", "--jq", ""}, "--jq is empty"},
		{[]string{"list_collections", "--json", "--jq", "."}, "leave out --json"},
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

// fullDisk is a standard output that cannot be written to.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAnAnswerThatCannotBePrintedIsNoSuccess(t *testing.T) {
	for _, args := range [][]string{nil, {"--json"}, {"--jq", "."}} {
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"--demo", "call", "list_collections"}, args...), process{strings.NewReader(""), fullDisk{}, &stderr, nil})
		if code != 1 || stderr.String() != "outline-mcp: the call succeeded, but its answer could not be printed completely: no space left on device\n" {
			t.Errorf("%q: exit code %d: %s", args, code, &stderr)
		}
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
	}
}

func TestACallTakesThePathThatTheUserTypes(t *testing.T) {
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "notes.txt"), "typed")
	writeFile(t, filepath.Join(folder, ".env"), "secret")
	link := filepath.Join(t.TempDir(), "latest.txt")
	if err := os.Symlink(filepath.Join(folder, "notes.txt"), link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for path, says := range map[string]string{
		filepath.Join(folder, "notes.txt"): "Uploaded", "notes.txt": "Uploaded", link: "Uploaded",
		".env": "begins with a dot", "/dev/zero": "it is not an ordinary file", "none.txt": "there is no such file",
	} {
		for _, setting := range []string{"", t.TempDir()} {
			_, stdout, stderr := command(t, []string{"OUTLINE_FILES_DIR=" + setting}, "call", "upload_attachment", "path="+path, "--demo")
			if !strings.Contains(stdout+stderr, says) {
				t.Errorf("%s with OUTLINE_FILES_DIR=%s: %s%s", path, setting, stdout, stderr)
			}
		}
	}
}
