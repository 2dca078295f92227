//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"outline-mcp/internal/workspace"
)

// onTerminal runs call with standard error on a terminal and returns what is
// printed there.
func onTerminal(t *testing.T, environ []string, stdin string, args ...string) (code int, terminal string) {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	shown := make(chan string, 1)
	go func() {
		var all bytes.Buffer
		_, _ = io.Copy(&all, screen) // on Linux it ends with an input/output error
		shown <- all.String()
	}()
	code = run(t.Context(), append([]string{"call"}, args...), process{strings.NewReader(stdin), io.Discard, tty, environ})
	tty.Close()
	return code, <-shown
}

func TestABatchShowsItsProgressOnATerminalOnly(t *testing.T) {
	// An Outline that takes its time, so that the first item is shown before
	// the last one is done.
	sample, err := workspace.New(workspace.Options{Latency: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(sample)
	defer outline.Close()
	settings := []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + workspace.AdminKey, "OUTLINE_BATCH_CONCURRENCY=1"}
	batch := []string{"batch_move_documents", "document_ids=1wPyxUCdt9", "document_ids=k7cHQqmWTH", "document_ids=A5wBbNFfLQ", "collection_id=8441e5d2-7545-4078-bd93-c21942e16c7f"}
	code, terminal := onTerminal(t, settings, "", batch...)
	if code != 0 || !strings.Contains(terminal, "\rbatch_move_documents [########................] 1 of 3") || !strings.HasSuffix(terminal, " \r") {
		t.Errorf("exit code %d, on the terminal %q", code, terminal)
	}
	if code, terminal := onTerminal(t, settings, "", append(batch, "--quiet")...); code != 0 || terminal != "" {
		t.Errorf("with --quiet: exit code %d, on the terminal %q", code, terminal)
	}
	if code, terminal := onTerminal(t, append(settings, "TERM=dumb"), "", batch...); code != 0 || terminal != "" {
		t.Errorf("on a dumb terminal: exit code %d, %q", code, terminal)
	}
	if code, _, stderr := command(t, settings, append([]string{"call"}, batch...)...); code != 0 || stderr != "" {
		t.Errorf("in a pipe: exit code %d, %q", code, stderr)
	}
}

func TestAStreamCountsItsCallsOnATerminal(t *testing.T) {
	code, terminal := onTerminal(t, nil, "zz\n{\"tool\":\"list_collections\"}\n", "--stream", "-", "--demo")
	if code != 2 || !strings.HasPrefix(terminal, "\rcalls: 1 done, 1 failed") || !strings.HasSuffix(terminal, "\routline-mcp: 1 of 2 calls failed, the first of them on line 1 (invalid_arguments)\r\n") {
		t.Errorf("exit code %d, on the terminal %q", code, terminal)
	}
}

func TestAStreamWhoseReaderIsGoneSaysSo(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	var stderr bytes.Buffer
	cmd := program(t.Context(), nil, "--demo", "call", "--stream", "-")
	cmd.Stdin = strings.NewReader(strings.Repeat(`{"tool":"list_collections"}`+"\n", 3))
	cmd.Stdout, cmd.Stderr = writer, &stderr
	_ = cmd.Run() // the exit code is below
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "broken pipe: 0 calls are answered") || !strings.Contains(stderr.String(), "look before you repeat") {
		t.Errorf("%s: %s", cmd.ProcessState, &stderr)
	}
}
