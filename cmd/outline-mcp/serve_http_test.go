package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/test/fixtures"
)

func TestServingOverHTTPThatCannotWorkIsRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		environ []string
		args    []string
		code    int
		says    string
	}{
		{"an unguarded key", []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", "OUTLINE_API_KEY=ol_api_test_key"}, nil, 2, "MCP_AUTH_TOKENS"},
		{"an unguarded key by flag", []string{"MCP_HOST=0.0.0.0", "OUTLINE_API_KEY=ol_api_test_key"}, []string{"serve", "--transport", "http"}, 2, "MCP_ALLOW_ANONYMOUS"},
		{"an unknown transport", nil, []string{"serve", "--transport", "sse"}, 2, "stdio or http"},
		{"a port that is taken", []string{"MCP_TRANSPORT=streamable-http", "MCP_PORT=" + port}, nil, 1, "listen on 127.0.0.1:" + port},
		{"stdio by flag", []string{"MCP_TRANSPORT=http", "MCP_PORT=" + port}, []string{"serve", "--transport=stdio", "--demo"}, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, stderr := command(t, test.environ, test.args...)
			if code != test.code || !strings.Contains(stderr, test.says) || stdout != "" || strings.Contains(stderr, "test_key") {
				t.Errorf("exit code %d, want %d; standard error %q", code, test.code, stderr)
			}
		})
	}
}

func TestTheProgramServesOverHTTPUntilItIsToldToEnd(t *testing.T) {
	cmd := program(t.Context(), []string{"MCP_HOST=0.0.0.0", "MCP_PORT=0", "LOG_FORMAT=text"}, "serve", "--transport", "http", "--demo")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	address := ""
	for address == "" && lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), "address="); found {
			_, port, _ := net.SplitHostPort(strings.Trim(strings.Fields(after)[0], `"`))
			address = "127.0.0.1:" + port
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/mcp", strings.NewReader(toolsCall(1, "list_collections", "{}")))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), "Engineering") {
		t.Errorf("status %d: %v: %s", response.StatusCode, err, body)
	}
	metrics, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	body, err = io.ReadAll(metrics.Body)
	metrics.Body.Close()
	for _, want := range []string{
		fmt.Sprintf("\ngo_gc_gogc_percent %d\n", gcPercentHTTP),
		fmt.Sprintf("\ngo_gc_gomemlimit_bytes %g\n", float64((40+8*8)<<20)),
	} {
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("metrics without %q: %v", want, err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil { // reads its files again, and continues
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	asked := []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", "MCP_PORT=" + port}
	if code, stdout, stderr := command(t, asked, "--demo", "healthcheck"); code != 0 || stdout+stderr != "" {
		t.Errorf("asked for its health: exit code %d, %s%s", code, stdout, stderr)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // until it has ended
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("told to end, it ends with %v", err)
	}
	if code, _, stderr := command(t, asked, "--demo", "healthcheck"); code != 1 || !strings.Contains(stderr, "does not answer") {
		t.Errorf("asked for its health when it has ended: exit code %d, %s", code, stderr)
	}
}

func TestOnStdioThereIsNoHealthToAskFor(t *testing.T) {
	if code, stdout, stderr := command(t, nil, "healthcheck"); code != 0 || stdout+stderr != "" {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
}

// unread returns a pipe that nobody reads, and that has no room left.
func unread(t *testing.T) (read, write *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = read.Close(), write.Close() })
	if err := write.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = write.Write(make([]byte, 512))
	}
	return read, write
}

// scanInto sends the lines of a stream, and closes the channel at its end.
func scanInto(from io.Reader, lines chan<- string) {
	defer close(lines)
	for scanner := bufio.NewScanner(from); scanner.Scan(); {
		lines <- scanner.Text()
	}
}

func TestAnUnreadStandardErrorStopsNoCallOnStandardInput(t *testing.T) {
	read, write := unread(t)
	cmd := program(t.Context(), []string{"LOG_LEVEL=debug"}, "--demo")
	cmd.Stderr = write
	input := []string{initialize, initialized}
	for id := 2; id < 700; id++ {
		input = append(input, toolsCall(id, "list_collections", `{"include_document_count":false}`))
	}
	sent, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(sent, strings.Join(input, "\n")+"\n") }()
	lines := make(chan string)
	go scanInto(answers, lines)
	for id := 1; id < 700; id++ {
		select {
		case line := <-lines:
			if !strings.Contains(line, `"result"`) {
				t.Fatal(line)
			}
		case <-time.After(time.Minute):
			t.Fatalf("no answer after %d", id-1)
		}
	}
	// Once standard error is read, the log says how much is missing.
	_ = write.Close()
	logged := make(chan string)
	go scanInto(read, logged)
	for line := range logged {
		if strings.Contains(line, "lines of the log were dropped, as nobody read them") && strings.Contains(line, "lines=") {
			break
		}
	}
	go func() {
		for range logged {
		}
	}()
	_ = sent.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestAnUnreadAuditTrailStopsChangesOnly(t *testing.T) {
	for _, required := range []bool{true, false} {
		sample, err := fakeoutline.New(fakeoutline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		outline := httptest.NewServer(sample)
		t.Cleanup(outline.Close)
		_, write := unread(t)
		port := freePort(t)
		cmd := program(t.Context(), []string{"OUTLINE_API_URL=" + outline.URL, "MCP_PORT=" + port, "MCP_AUDIT_LOG=stderr", fmt.Sprint("MCP_AUDIT_REQUIRED=", required)}, "serve", "--transport", "http")
		cmd.Stderr = write
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		at := "http://127.0.0.1:" + port
		for begin := time.Now(); ; {
			response, err := http.Get(at + "/health")
			if err == nil {
				_ = response.Body.Close()
				break
			}
			if time.Since(begin) > time.Minute {
				t.Fatal(err)
			}
		}
		began := time.Now()
		for range 5 {
			if answer := post(t, at+"/mcp", toolsCall(1, "list_collections", `{}`)); !strings.Contains(answer, "Handbook") {
				t.Errorf("required %v: %s", required, answer)
			}
		}
		answer := post(t, at+"/mcp", toolsCall(2, "create_document", `{"title":"Tides","text":"x","publish":false}`))
		if strings.Contains(answer, "cannot write its audit trail") != required || strings.Contains(answer, "Created") == required {
			t.Errorf("required %v: %s", required, answer)
		}
		if took := time.Since(began); fixtures.Thorough() && took > 8*time.Second {
			t.Errorf("required %v: the calls took %v", required, took)
		}
		response, err := http.Get(at + "/ready")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if (response.StatusCode == http.StatusServiceUnavailable) != required {
			t.Errorf("required %v: /ready answers %d", required, response.StatusCode)
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("required %v: %v", required, err)
		}
	}
}
