package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

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
