//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"outline-mcp/internal/fakeoutline"
)

// onNarrowTerminal runs a command with standard output on a terminal of 60 columns
// and returns what it shows.
func onNarrowTerminal(t *testing.T, environ []string, args ...string) string {
	t.Helper()
	_, shown := screened(t, io.Discard, func(tty *os.File) int {
		if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 60}); err != nil {
			t.Error(err)
		}
		return run(t.Context(), args, process{strings.NewReader(""), tty, io.Discard, environ})
	})
	return strings.ReplaceAll(shown, "\r\n", "\n")
}

func TestLinesBreakBetweenWordsAtTheWidthOfATerminal(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"install", "--help"}, {"call", "--help"}, {"tools"}, {"tools", "read_document"}, {"doctor", "--demo"}, {"demo"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			shown := ansi.Strip(onNarrowTerminal(t, nil, args...))
			for line := range strings.Lines(shown) {
				if words := strings.Fields(line); ansi.StringWidth(strings.TrimSuffix(line, "\n")) > 60 && len(words) > 1 && !strings.Contains(line, "https://") {
					t.Errorf("more than 60 columns: %q", line)
				}
			}
			_, piped, _ := command(t, nil, args...)
			if words(piped) != words(shown) {
				t.Errorf("the terminal shows other words than a pipe:\n%s", shown)
			}
		})
	}
}

// words returns the words of a text, with one length of time in place of all.
func words(text string) string {
	return regexp.MustCompile(`[\d.]+[µm]s`).ReplaceAllString(strings.Join(strings.Fields(text), " "), "1ms")
}

func TestColorsAreShownOnATerminalThatWantsThem(t *testing.T) {
	escape := regexp.MustCompile(`\x1b\[\d*m`)
	for _, c := range []struct {
		environ string
		want    bool
	}{
		{"TERM=xterm", true}, {"NO_COLOR=1", false}, {"NO_COLOR=", true}, {"CLICOLOR=0", false}, {"TERM=dumb", false},
	} {
		if got := escape.MatchString(onNarrowTerminal(t, []string{c.environ}, "demo")); got != c.want {
			t.Errorf("with %s: colors are %t, not %t", c.environ, got, c.want)
		}
	}
	for environ, want := range map[string]bool{"TERM=xterm": false, "CLICOLOR_FORCE=1": true, "CLICOLOR_FORCE=0": false} {
		var printed strings.Builder
		run(t.Context(), []string{"demo"}, process{strings.NewReader(""), &printed, io.Discard, []string{environ}})
		if got := escape.MatchString(printed.String()); got != want {
			t.Errorf("in a pipe with %s: colors are %t, not %t", environ, got, want)
		}
	}
	for _, line := range []string{"\x1b[33mYou:\x1b[m Can", "\x1b[31m    -* Budget", "\x1b[32m    +* Budget"} {
		if shown := onNarrowTerminal(t, nil, "demo"); !strings.Contains(shown, line) {
			t.Errorf("no %q in\n%s", line, shown)
		}
	}
	if shown := onNarrowTerminal(t, nil, "doctor", "--demo"); !strings.Contains(shown, "\x1b[32m✓\x1b[m outline:") {
		t.Errorf("no green sign in\n%s", shown)
	}
}

func TestAPushAtATerminalCreatesAPageAndItsPictureOnce(t *testing.T) {
	w := newWiki(t, nil)
	w.run(0, "pull")
	const page = "Handbook/At a terminal.md"
	w.write("Handbook/dot.png", onePixel)
	w.write(page, "![](dot.png)\n")
	code, shown := screened(t, io.Discard, func(tty *os.File) int {
		return run(t.Context(), []string{"push", w.dir, "--yes"}, process{tty, io.Discard, tty, w.settings})
	})
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, shown)
	}
	if out := w.run(0, "push", "--yes"); out != "Nothing has changed.\n" {
		t.Errorf("the next push says %q", out)
	}
	if text := w.text(w.id(page)); !strings.Contains(text, "/api/attachments.redirect?id=") {
		t.Errorf("Outline holds %q", text)
	}
	if found := w.call("list_documents", map[string]any{"title_contains": "At a terminal"}); found["count"] != 1.0 {
		t.Errorf("%v pages", found["count"])
	}
}

// onTerminal runs call with standard error on a terminal and returns what is
// printed there.
func onTerminal(t *testing.T, environ []string, stdin string, args ...string) (code int, terminal string) {
	t.Helper()
	return watchTerminal(t, io.Discard, environ, stdin, args...)
}

// watchTerminal is onTerminal, and copies to watcher what is printed.
func watchTerminal(t *testing.T, watcher io.Writer, environ []string, stdin string, args ...string) (code int, terminal string) {
	t.Helper()
	return screened(t, watcher, func(tty *os.File) int {
		return run(t.Context(), append([]string{"call"}, args...), process{strings.NewReader(stdin), io.Discard, tty, environ})
	})
}

// screened runs a command that has a terminal and returns what is printed there,
// which it copies to watcher, too.
func screened(t *testing.T, watcher io.Writer, command func(tty *os.File) int) (code int, terminal string) {
	t.Helper()
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	shown := make(chan string, 1)
	go func() {
		var all bytes.Buffer
		_, _ = io.Copy(io.MultiWriter(&all, watcher), screen) // on Linux it ends with an input/output error
		shown <- all.String()
	}()
	code = command(tty)
	tty.Close()
	return code, <-shown
}

// A notice is a Writer that is called with each write.
type notice func()

// Write implements io.Writer.
func (n notice) Write(p []byte) (int, error) {
	n()
	return len(p), nil
}

func TestThePersonAtTheTerminalConfirmsACall(t *testing.T) {
	const asked = `Move the document "Friday soup 🍲" in the collection "Handbook" to the trash?`
	for name, test := range map[string]struct {
		enter  string
		code   int
		stdout string
		stderr string
	}{
		"agrees":              {"y\r", 0, "Moved to the trash", ""},
		"agrees in a word":    {" YES \r", 0, "Moved to the trash", ""},
		"presses Enter":       {"\r", 3, "", "the user declined"},
		"says something":      {"what?\r", 3, "", "the user declined"},
		"closes the question": {"\x04", 1, "", "the user closed the question"},
	} {
		t.Run(name, func(t *testing.T) {
			s := atTerminal(t.Context(), t, []string{"OUTLINE_CONFIRM=deletes"}, "call", "delete_document", "document_id=1wPyxUCdt9", "--demo")
			s.until(t, "[y/N]", 1)
			s.enter(t, test.enter)
			if code := <-s.ended; code != test.code {
				t.Errorf("exit code %d", code)
			}
			if test.stderr != "" {
				s.until(t, test.stderr, 1)
			}
			if shown := s.String(); !strings.Contains(shown, asked) || !strings.HasPrefix(s.stdout.String(), test.stdout) {
				t.Errorf("on the terminal:\n%s\nprinted:\n%s", shown, s.stdout)
			}
		})
	}
}

func TestABatchShowsItsProgressOnATerminalOnly(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The second item waits until the first is shown.
	var moved atomic.Int32
	shown := make(chan struct{})
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/documents.move" && moved.Add(1) == 2 {
			select {
			case <-shown:
			case <-r.Context().Done():
			}
		}
		sample.ServeHTTP(w, r)
	}))
	defer outline.Close()
	settings := []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_BATCH_CONCURRENCY=1"}
	batch := []string{"batch_move_documents", "document_ids=1wPyxUCdt9", "document_ids=k7cHQqmWTH", "document_ids=A5wBbNFfLQ", "collection_id=8441e5d2-7545-4078-bd93-c21942e16c7f"}
	code, terminal := watchTerminal(t, notice(sync.OnceFunc(func() { close(shown) })), settings, "", batch...)
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

// TestDocumentsDoNotControlTheTerminal prints a document that would color, clear
// and reverse what is on the screen, and ring its bell.
func TestDocumentsDoNotControlTheTerminal(t *testing.T) {
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outline := httptest.NewServer(sample)
	defer outline.Close()
	settings := []string{"OUTLINE_API_URL=" + outline.URL, "OUTLINE_API_KEY=" + fakeoutline.AdminKey}
	const hostile = "red \x1b[31m, clear \u009b2J, bell \a, clipboard \x1b]52;c;eA==\a, reversed \u202egpj.exe\u202c, delete \x7f"
	const escaped = `red \u001b[31m, clear \u009b2J, bell \u0007, clipboard \u001b]52;c;eA==\u0007, reversed \u202egpj.exe\u202c, delete \u007f`
	code, id, stderr := command(t, settings, "call", "create_document", "title=Hostile", "collection_id=8441e5d2-7545-4078-bd93-c21942e16c7f", "--jq", ".document_id", "--raw")
	if id = strings.TrimSpace(id); code != 0 {
		t.Fatal(stderr)
	}
	change := httptest.NewRequest(http.MethodPost, "/api/documents.update", strings.NewReader(`{"id":"`+id+`","text":`+quoted(t, hostile)+`}`))
	change.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
	change.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	if sample.ServeHTTP(answer, change); answer.Code != http.StatusOK {
		t.Fatal(answer.Body)
	}
	for name, test := range map[string]struct {
		shown, piped string
		args         []string
	}{
		"as text": {escaped, hostile, []string{"read_document", "document_id=" + id}},
		"as JSON": {escaped, quoted(t, hostile), []string{"read_document", "document_id=" + id, "--json"}},
		"raw":     {escaped, hostile, []string{"read_document", "document_id=" + id, "--jq", ".text", "--raw"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"call"}, test.args...)
			code, terminal := screened(t, io.Discard, func(tty *os.File) int {
				return run(t.Context(), args, process{strings.NewReader(""), tty, io.Discard, settings})
			})
			if code != 0 || strings.ContainsAny(strings.ReplaceAll(terminal, "\r\n", "\n"), "\x00\x07\x1b\r\x7f\u009b\u202e") || !strings.Contains(terminal, test.shown) {
				t.Errorf("on a terminal: exit code %d, %q", code, terminal)
			}
			var stdout bytes.Buffer
			if code := run(t.Context(), args, process{strings.NewReader(""), &stdout, io.Discard, settings}); code != 0 || !strings.Contains(stdout.String(), test.piped) {
				t.Errorf("in a pipe: exit code %d, %q", code, &stdout)
			}
		})
	}
	if _, terminal := onTerminal(t, settings, "", "read_document", "document_id=\x1b[31m"); strings.Contains(terminal, "\x1b") || !strings.Contains(terminal, "31m") {
		t.Errorf("a failure: %q", terminal)
	}
	if _, terminal := onTerminal(t, settings, "", "read_\x1b[31m"); strings.Contains(terminal, "\x1b") || !strings.Contains(terminal, "31m") {
		t.Errorf("wrong use: %q", terminal)
	}
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
