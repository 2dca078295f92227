package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
)

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
		case <-time.After(20 * time.Second):
			t.Fatalf("no answer after %d", id-1)
		}
	}
	// Once somebody reads, the log says how much is missing.
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
			if time.Since(begin) > 20*time.Second {
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
		if took := time.Since(began); took > 8*time.Second {
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
