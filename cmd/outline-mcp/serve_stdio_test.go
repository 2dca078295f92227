package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/test/fixtures"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func toolsCall(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// message is a line of the server.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// messages reads lines that must all be protocol.
func messages(t *testing.T, output []byte) map[string]message {
	t.Helper()
	byID := map[string]message{}
	for line := range bytes.Lines(output) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil || m.JSONRPC != "2.0" {
			t.Fatalf("not protocol on standard output: %s", line)
		}
		byID[string(m.ID)] = m
	}
	return byID
}

func TestPipedRequestsAreAllAnswered(t *testing.T) {
	for i := range fixtures.Count(4, 20) {
		cmd := program(t.Context(), nil, "--demo")
		input := []string{initialize, initialized, toolsCall(2, "list_collections", `{}`), toolsCall(3, "search_documents", `{"query":"buoy"}`)}
		for id := 4; id < 20; id++ {
			input = append(input, toolsCall(id, "list_collections", `{"include_document_count":false}`))
		}
		text := strings.Join(input, "\n")
		if i%2 == 0 {
			text += "\n" // a last line without its newline counts too
		}
		cmd.Stdin = strings.NewReader(text)
		output, err := cmd.Output()
		if err != nil {
			t.Fatalf("run %d: %s", i, err)
		}
		answers := messages(t, output)
		for id := 1; id < 20; id++ {
			if answers[fmt.Sprint(id)].Result == nil {
				t.Fatalf("run %d: request %d has no result:\n%s", i, id, output)
			}
		}
	}
}

func TestWithoutKeyAndNetworkTheToolsAreListedAndACallSaysWhatIsMissing(t *testing.T) {
	cmd := program(t.Context(), []string{"OUTLINE_API_KEY=", "OUTLINE_API_URL="})
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		initialize, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, toolsCall(3, "list_collections", `{}`)}, "\n"))
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := messages(t, output)
	if !bytes.Contains(answers["2"].Result, []byte(`"search_documents"`)) {
		t.Errorf("tools/list: %s", answers["2"].Result)
	}
	if answer := answers["3"].Result; !bytes.Contains(answer, []byte(`"isError":true`)) || !bytes.Contains(answer, []byte("OUTLINE_API_KEY")) {
		t.Errorf("tools/call: %s", answer)
	}
}

func TestASignalEndsTheServerWithACallStuckUpstream(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd, kill, _, _ := startStuck(t)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			// Half a second is for the call, the rest for slow machines.
			defer time.AfterFunc(5*time.Second, kill).Stop()
			if err := cmd.Wait(); err != nil {
				t.Errorf("exit: %s", err)
			}
		})
	}
}

// startStuck starts the program on stdio with a call that waits for an Outline that does
// not answer. kill ends the program at once.
func startStuck(t *testing.T, settings ...string) (cmd *exec.Cmd, kill func(), stdin io.WriteCloser, stdout io.ReadCloser) {
	t.Helper()
	arrived, release := make(chan struct{}, 16), make(chan struct{})
	stuck := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-release
	}))
	t.Cleanup(stuck.Close)
	t.Cleanup(func() { close(release) })
	ctx, kill := context.WithCancel(t.Context())
	t.Cleanup(kill)
	cmd = program(ctx, append(settings, "OUTLINE_API_URL="+stuck.URL, "OUTLINE_API_KEY=ol_api_fake"))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if stdout, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(stdin, initialize)
	fmt.Fprintln(stdin, initialized)
	fmt.Fprintln(stdin, toolsCall(2, "read_document", `{"document_id":"00000000-0000-4000-8000-000000000000"}`))
	<-arrived
	return cmd, kill, stdin, stdout
}

func TestAClientThatIsKilledEndsTheServerWithACallStuckUpstream(t *testing.T) {
	cmd, kill, stdin, stdout := startStuck(t, "OUTLINE_CALL_TIMEOUT=1s")
	stdin.Close() // what is left of a client that is killed: both ends of its pipes are closed
	stdout.Close()
	late := time.AfterFunc(10*time.Second, kill)
	_ = cmd.Wait() // it may end with an error, as its answer cannot be written
	if !late.Stop() {
		t.Error("the server does not end")
	}
}

func TestWarningsReachStandardError(t *testing.T) {
	code, stdout, stderr := command(t, []string{"OUTLINE_VERIFY_SSL=no", "OUTLINE_API_KEYS=x"}, "--demo", "serve")
	if code != 0 || stdout != "" || !strings.Contains(stderr, "OUTLINE_VERIFY_SSL: certificates are not verified") || !strings.Contains(stderr, "did you mean OUTLINE_API_KEY?") {
		t.Errorf("exit code %d; standard output %q; standard error %q", code, stdout, stderr)
	}
}

func TestNobodyTypesIntoTheNullDevice(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if cli.IsTerminal(null) {
		t.Errorf("%s counts as a terminal", os.DevNull)
	}
}
