package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outline-mcp/internal/app"
	"outline-mcp/internal/fakeoutline"
)

// TestClientsAreAnsweredWhatTheyExpect sends what AI clients have sent, which test/clients
// recorded.
func TestClientsAreAnsweredWhatTheyExpect(t *testing.T) {
	files, err := filepath.Glob("testdata/clients/*.jsonl")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	outline := newWorkspace(t).Transport()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			answer := clientOverStdio
			if strings.HasSuffix(file, "-http.jsonl") {
				answer = clientOverHTTP
			}
			send := answer(t, outline)
			calls := 0
			for line := range bytes.Lines(text) {
				var sent struct {
					Method  string
					Header  http.Header
					Message json.RawMessage
				}
				var message struct {
					ID     any
					Method string
				}
				if err := json.Unmarshal(line, &sent); err != nil {
					t.Fatal(err)
				}
				if sent.Message != nil {
					if err := json.Unmarshal(sent.Message, &message); err != nil {
						t.Fatal(err)
					}
				}
				got := send(sent.Method, sent.Header, sent.Message, message.ID != nil)
				if message.ID == nil {
					continue
				}
				if got.Error != nil || got.Result.IsError || got.status >= 300 {
					t.Errorf("%s is answered with %d %s", sent.Message, got.status, got.body)
				}
				switch message.Method {
				case "tools/list":
					if len(got.Result.Tools) != 42 {
						t.Errorf("%d tools are listed", len(got.Result.Tools))
					}
				case "tools/call":
					if wanted := []string{"Friday soup", "## What went well", "+* Budget: €75 a pot"}[calls]; !strings.Contains(got.text(), wanted) {
						t.Errorf("%s is answered without %q: %s", sent.Message, wanted, got.text())
					}
					calls++
				}
			}
			if calls != 3 {
				t.Errorf("%d calls are recorded", calls)
			}
		})
	}
}

type sender func(method string, header http.Header, message []byte, answered bool) reply

func clientOverStdio(t *testing.T, outline http.RoundTripper) sender {
	c := onLines(t, outline, "OUTLINE_TOOLS=default")
	return func(_ string, _ http.Header, message []byte, answered bool) (r reply) {
		if _, err := c.in.Write(append(bytes.TrimSpace(message), '\n')); err != nil {
			t.Fatal(err)
		}
		if !answered {
			return r
		}
		for c.read(t).Method != "" { // what the server asks the client
		}
		r.body = c.lines.Text()
		if err := json.Unmarshal(c.lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func clientOverHTTP(t *testing.T, outline http.RoundTripper) sender {
	s := serveTeam(t, app.Options{Transport: outline}, "OUTLINE_API_URL="+fakeoutline.BaseURL)
	return func(method string, header http.Header, message []byte, answered bool) (r reply) {
		request, err := http.NewRequestWithContext(t.Context(), method, s.url, bytes.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = header
		request.Header.Set("X-Outline-Api-Key", fakeoutline.AdminKey)
		request.Header.Set("Accept-Encoding", "identity")
		response, err := s.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		r.status = response.StatusCode
		if method == http.MethodGet { // a client that wants to listen for more goes without
			if r.status != http.StatusMethodNotAllowed {
				t.Errorf("GET is answered with %d", r.status)
			}
			return r
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		r.body = string(body)
		if !answered {
			if r.status != http.StatusAccepted {
				t.Errorf("%s is answered with %d %s", message, r.status, body)
			}
			return r
		}
		for line := range bytes.Lines(body) {
			_ = json.Unmarshal(bytes.TrimPrefix(line, []byte("data: ")), &r)
		}
		return r
	}
}
