package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/workspace"
)

func TestExitCodesForWhatOutlineRefuses(t *testing.T) {
	sample, err := workspace.New(workspace.Options{})
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

func TestWarningsReachStandardError(t *testing.T) {
	code, stdout, stderr := command(t, []string{"OUTLINE_VERIFY_SSL=no", "OUTLINE_API_KEYS=x"}, "--demo", "serve")
	if code != 0 || stdout != "" || !strings.Contains(stderr, "OUTLINE_VERIFY_SSL is off") || !strings.Contains(stderr, "did you mean OUTLINE_API_KEY?") {
		t.Errorf("exit code %d; standard output %q; standard error %q", code, stdout, stderr)
	}
}

func TestNobodyTypesIntoTheNullDevice(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) {
		t.Errorf("%s counts as a terminal", os.DevNull)
	}
}

func TestTheWorkspaceAnswersAsLateAsItIsTold(t *testing.T) {
	const latency = 100 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	printed, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"workspace", "--listen", "127.0.0.1:0", "--latency", latency.String()}, process{stdin: strings.NewReader(""), stdout: out, stderr: io.Discard})
		out.Close()
		ended <- code
	}()
	defer func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}()
	var settings []string
	for lines := bufio.NewScanner(printed); len(settings) < 2 && lines.Scan(); {
		settings = append(settings, lines.Text())
	}
	start := time.Now()
	code, _, stderr := command(t, settings, "call", "list_collections")
	if took := time.Since(start); code != 0 || took < latency {
		t.Errorf("exit code %d after %s: %s", code, took, stderr)
	}
}
