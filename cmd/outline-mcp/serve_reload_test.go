//go:build unix

package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// A gate lets those into Outline who have its header and certificate.
type gate struct {
	outline http.Handler
	mu      sync.Mutex
	open    map[string]bool // values of X-Gate
	last    string          // the certificate that was last shown
	refused int
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	in := g.open[r.Header.Get("X-Gate")] && len(r.TLS.PeerCertificates) == 1
	if in {
		g.last = string(r.TLS.PeerCertificates[0].Raw)
	} else {
		g.refused++
	}
	g.mu.Unlock()
	if !in {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	g.outline.ServeHTTP(w, r)
}

// replaceFile replaces a file in one step by the content of another.
func replaceFile(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", []byte(content), 0o600), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestFilesAreReplacedUnderLoadWithoutAFailedCall(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	front := &gate{outline: sample, open: map[string]bool{"header-number-0": true}}
	outline := httptest.NewUnstartedServer(front)
	outline.Config.ErrorLog = log.New(io.Discard, "", 0)
	outline.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	outline.EnableHTTP2 = true
	outline.StartTLS()
	t.Cleanup(outline.Close)

	serverCert, serverKey := certify(t)
	clientCert, clientKey := certify(t)
	tokens, headers := filepath.Join(t.TempDir(), "tokens"), filepath.Join(t.TempDir(), "headers")
	const kept = "kept-token-0123456789"
	replaceFile(t, tokens, kept+"\nleaving-token-0123456789\n")
	replaceFile(t, headers, "X-Gate: header-number-0\n")
	cmd := program(t.Context(), []string{
		"MCP_PORT=0", "LOG_FORMAT=text", "OUTLINE_API_URL=" + outline.URL, "OUTLINE_VERIFY_SSL=false", "OUTLINE_MAX_RETRIES=0", "OUTLINE_API_KEY=" + fakeoutline.MemberKey,
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
	printed, told := new(strings.Builder), make(chan string, 1000)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			printed.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "address=") || strings.Contains(lines.Text(), "reloaded") {
				told <- lines.Text()
			}
		}
	}()
	// until returns the first line that contains a text, of those that are told.
	until := func(text string) string {
		for {
			select {
			case line := <-told:
				if strings.Contains(line, text) {
					return line
				}
			case <-ended:
				t.Fatalf("the log ends without %q:\n%s", text, printed)
			}
		}
	}
	_, address, _ := strings.Cut(until("address="), "address=")
	url := "https://" + strings.Fields(address)[0] + "/mcp"

	call := func(client *http.Client, token string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(toolsCall(1, "list_collections", "{}")))
		if err != nil {
			return 0, err.Error()
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-MCP-Token", token)
		response, err := client.Do(request)
		if err != nil {
			return 0, err.Error()
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		return response.StatusCode, fmt.Sprint(string(body), err)
	}
	newClient := func() *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	}
	stop, calls := make(chan struct{}), atomic.Int64{}
	var load sync.WaitGroup
	for range 3 {
		load.Go(func() {
			client := newClient()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if status, body := call(client, kept); status != http.StatusOK || !strings.Contains(body, "Engineering") {
					t.Errorf("a call failed with status %d: %s", status, body)
					return
				}
				calls.Add(1)
			}
		})
	}
	for step := range 4 {
		value := fmt.Sprintf("header-number-%d", step+1)
		front.mu.Lock()
		front.open[value] = true
		front.mu.Unlock()
		for _, pair := range [][2]string{{clientCert, clientKey}, {serverCert, serverKey}} {
			newCert, newKey := certify(t)
			replaceFile(t, pair[0], contentOf(t, newCert))
			replaceFile(t, pair[1], contentOf(t, newKey))
		}
		replaceFile(t, headers, "X-Gate: "+value+"\n")
		replaceFile(t, tokens, fmt.Sprintf("%s\nentering-token-%d-0123456789\n", kept, step))
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for range 4 { // or more, as each is also read at its next use
			until("reloaded")
		}
	}
	close(stop)
	load.Wait()
	if calls.Load() == 0 {
		t.Error("no calls were made meanwhile")
	}

	// What is used now is what was written last.
	front.mu.Lock()
	front.open = map[string]bool{"header-number-4": true}
	front.mu.Unlock()
	client := newClient()
	if status, body := call(client, "entering-token-3-0123456789"); status != http.StatusOK || !strings.Contains(body, "Engineering") {
		t.Errorf("with the new token: status %d: %s", status, body)
	}
	for _, token := range []string{"leaving-token-0123456789", "entering-token-2-0123456789"} {
		if status, body := call(client, token); status != http.StatusUnauthorized || strings.Contains(body, token) {
			t.Errorf("with %s: status %d: %s", token, status, body)
		}
	}
	pair, err := tls.LoadX509KeyPair(clientCert, clientKey)
	if err != nil {
		t.Fatal(err)
	}
	lastClient := string(pair.Certificate[0])
	if pair, err = tls.LoadX509KeyPair(serverCert, serverKey); err != nil {
		t.Fatal(err)
	}
	lastServer := string(pair.Certificate[0])
	connection, err := tls.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "https://"), "/mcp"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	shown := string(connection.ConnectionState().PeerCertificates[0].Raw)
	connection.Close()
	front.mu.Lock()
	if front.refused > 0 || front.last != lastClient || shown != lastServer {
		t.Errorf("%d requests were refused; the last client certificate %t, the last server certificate %t", front.refused, front.last == lastClient, shown == lastServer)
	}
	front.mu.Unlock()

	// Nothing usable in them: everything continues as before, and the log says so once.
	for _, path := range []string{tokens, headers, clientKey, serverCert} {
		replaceFile(t, path, "broken secret hunter2")
	}
	for range 2 {
		if status, body := call(client, kept); status != http.StatusOK || !strings.Contains(body, "Engineering") {
			t.Errorf("with broken files: status %d: %s", status, body)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	<-ended
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGHUP or SIGTERM ended it badly: %v", err)
	}
	if n := strings.Count(printed.String(), "file; keeping the old one") + strings.Count(printed.String(), "file for Outline; keeping the old one"); n != 2 || strings.Contains(printed.String(), "hunter2") || strings.Contains(printed.String(), "header-number") {
		t.Errorf("%d warnings about tokens and headers:\n%s", n, printed.String())
	}
}
