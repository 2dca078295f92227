package budget_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

// A request is a call of a tool.
type request struct {
	outline   http.RoundTripper
	tool      string
	arguments map[string]any
}

func (r request) line() string {
	arguments, err := json.Marshal(r.arguments)
	if err != nil {
		panic(err) // made of strings and numbers
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, r.tool, arguments)
}

// A session is the server on standard input and output, in this process: what
// happens between a request's line and the line of the answer.
type session struct {
	t   *testing.T
	in  *io.PipeWriter
	out *lines
}

// lines takes the server's output, and tells when a line is complete.
type lines struct {
	line  []byte
	ready chan struct{}
}

// Write implements io.Writer.
func (l *lines) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	if bytes.HasSuffix(p, []byte("\n")) {
		l.ready <- struct{}{}
	}
	return len(p), nil
}

// load reads settings. The server of a session reaches no network.
func load(t testing.TB, settings ...string) config.Config {
	t.Helper()
	loaded, err := config.Load(append([]string{"OUTLINE_API_URL=" + fakeoutline.BaseURL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func newSession(t *testing.T, outline http.RoundTripper, settings ...string) *session {
	t.Helper()
	return newSessionOf(t, app.Options{Transport: outline}, settings...)
}

func newSessionOf(t *testing.T, options app.Options, settings ...string) *session {
	t.Helper()
	loaded := load(t, settings...)
	options.Config, options.Version, options.Log = loaded, "test", app.NewLogger(io.Discard, loaded)
	server, err := app.New(options)
	if err != nil {
		t.Fatal(err)
	}
	in, input := io.Pipe()
	s := &session{t: t, in: input, out: &lines{ready: make(chan struct{})}}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeStdio(context.Background(), in, s.out) }()
	t.Cleanup(func() {
		input.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	s.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	return s
}

// ask sends a line and returns the one that answers it, valid until the next.
func (s *session) ask(line string) []byte {
	s.t.Helper()
	s.out.line = s.out.line[:0]
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.out.ready:
		return s.out.line
	case <-time.After(time.Minute):
		s.t.Fatalf("no answer to %.300s", line)
		return nil
	}
}

// text returns the text that a call answers with, which must not fail. An image may
// follow.
func (s *session) text(r request) string {
	s.t.Helper()
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(s.ask(r.line()), &answer); err != nil {
		s.t.Fatal(err)
	}
	if len(answer.Result.Content) == 0 || answer.Result.IsError {
		s.t.Fatalf("%s answers %.300s", r.tool, s.out.line)
	}
	return answer.Result.Content[0].Text
}

func sampleWorkspace(t testing.TB) http.RoundTripper {
	t.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sample.Transport()
}

const (
	userID       = "6a9bed57-fbb3-40d2-aa9b-09de10784476"
	collectionID = "31bd1765-434e-4d1a-82a2-2674f972cc48"
)

func numbered(n int) string { return fmt.Sprintf("7c1e55d0-0000-4000-8000-%012d", n) }

// made is a workspace of so many documents, ten below each, the first of which
// has a text.
func made(t *testing.T, text []string, documents int) http.RoundTripper {
	t.Helper()
	day := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	seed := fakeoutline.Seed{
		Team:        fakeoutline.Team{ID: numbered(999_998), Name: "Lights"},
		Users:       []fakeoutline.User{{ID: userID, Name: "Hana Weissbach", Email: "hana@lights.example", Role: fakeoutline.Admin, CreatedAt: day}},
		Keys:        []fakeoutline.Key{{ID: numbered(999_999), Secret: fakeoutline.AdminKey, Name: "budget", UserID: userID, CreatedAt: day}},
		Collections: []fakeoutline.Collection{{ID: collectionID, URLID: "xVj43W43Sy", Name: "Engineering", Permission: fakeoutline.ReadWrite, CreatedAt: day, UpdatedAt: day}},
	}
	for n := range documents {
		d := fakeoutline.Document{
			ID: numbered(n), URLID: fmt.Sprintf("D%09d", n), Title: fmt.Sprintf("Service %d: what to do when it fails", n), Text: "Ask the watch.",
			CollectionID: collectionID, CreatedBy: userID, UpdatedBy: userID, Collaborators: []string{userID}, Revision: 1,
			CreatedAt: day, UpdatedAt: day, PublishedAt: day,
		}
		if n >= 10 {
			d.ParentID = numbered(n/10 - 1)
		}
		if n == 0 && text != nil {
			d.Text = strings.Join(text, "")
		}
		seed.Documents = append(seed.Documents, d)
		seed.Revisions = append(seed.Revisions, fakeoutline.Revision{
			ID: numbered(1_000_000 + n), DocumentID: d.ID, Title: d.Title, Text: d.Text, AuthType: "app", CreatedBy: userID, CreatedAt: day,
		})
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w.Transport()
}
