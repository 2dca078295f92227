//go:build unix

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// replaceFile replaces a file in one step.
func replaceFile(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", []byte(content), 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

func TestSecretsAreReadAgainOnSIGHUPAndNeverShown(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var header atomic.Value // of the last request to Outline
	outline := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header.Store(r.Header.Get("X-Gate"))
		sample.ServeHTTP(w, r)
	}))
	outline.Config.ErrorLog = log.New(io.Discard, "", 0)
	outline.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	outline.StartTLS()
	t.Cleanup(outline.Close)

	serverCert, serverKey := certify(t)
	clientCert, clientKey := certify(t)
	tokens, headers := filepath.Join(t.TempDir(), "tokens"), filepath.Join(t.TempDir(), "headers")
	const first, second = "first-token-0123456789", "second-token-0123456789"
	replaceFile(t, tokens, first)
	replaceFile(t, headers, "X-Gate: first-value")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends the log if a line is missing
	defer cancel()
	cmd := program(ctx, []string{
		"MCP_PORT=0", "LOG_FORMAT=text", "OUTLINE_API_URL=" + outline.URL, "OUTLINE_VERIFY_SSL=false", "OUTLINE_API_KEY=" + fakeoutline.MemberKey,
		"OUTLINE_CLIENT_CERT=" + clientCert, "OUTLINE_CLIENT_KEY=" + clientKey, "OUTLINE_HEADERS_FILE=" + headers,
		"MCP_TLS_CERT=" + serverCert, "MCP_TLS_KEY=" + serverKey, "MCP_AUTH_TOKENS_FILE=" + tokens,
	}, "serve", "--transport", "http")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	lines := bufio.NewScanner(stderr)
	// until reads the log up to the nth line that contains a text, and returns that line.
	until := func(n int, text string) string {
		for lines.Scan() {
			printed.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), text) {
				if n--; n == 0 {
					return lines.Text()
				}
			}
		}
		t.Fatalf("the log ends without %q:\n%s", text, &printed)
		return ""
	}
	hangUp := func() {
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	_, address, _ := strings.Cut(until(1, "address="), "address=")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	// expect calls with a token, and says which header Outline got last.
	expect := func(token string, status int, sent string) {
		t.Helper()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+strings.Fields(address)[0]+"/mcp", strings.NewReader(toolsCall(1, "list_collections", "{}")))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-MCP-Token", token)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != status || strings.Contains(string(body), token) || header.Load() != sent {
			t.Errorf("%s: %v, status %d, header %q: %s", token, err, response.StatusCode, header.Load(), body)
		}
	}
	expect(first, http.StatusOK, "first-value")

	hangUp()
	until(4, "reloaded") // without a change, so that nothing else has them read again
	replaceFile(t, tokens, second)
	replaceFile(t, headers, "X-Gate: second-value")
	expect(first, http.StatusUnauthorized, "first-value")
	expect(second, http.StatusOK, "second-value")

	for _, path := range []string{tokens, headers, clientKey, serverKey} {
		replaceFile(t, path, "broken secret hunter2")
	}
	hangUp()
	until(4, "keeping the old one")
	expect(second, http.StatusOK, "second-value")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // until it has ended
		printed.WriteString(lines.Text() + "\n")
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	for _, secret := range []string{"hunter2", "-token-0123456789", "-value"} {
		if strings.Contains(printed.String(), secret) {
			t.Errorf("%s is in the log:\n%s", secret, &printed)
		}
	}
}
