//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"outline-mcp/internal/fakeoutline"
)

// screen is what a terminal shows.
type screen struct {
	mu    sync.Mutex
	shown bytes.Buffer
	more  chan struct{}
}

// watch collects what is shown until the terminal is closed.
func watch(terminal *os.File) *screen {
	s := &screen{more: make(chan struct{}, 1)}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := terminal.Read(buffer)
			s.mu.Lock()
			s.shown.Write(buffer[:n])
			s.mu.Unlock()
			select {
			case s.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// until waits for a text that was not shown before.
func (s *screen) until(t *testing.T, text string, times int) {
	t.Helper()
	late := time.After(time.Minute)
	for strings.Count(s.String(), text) < times {
		select {
		case <-s.more:
		case <-late:
			t.Fatalf("%q was not shown %d times:\n%s", text, times, s)
		}
	}
}

// session is a command line with a person at a terminal.
type session struct {
	*screen
	keyboard *os.File
	tty      *os.File
	stdout   *bytes.Buffer
	ended    chan int
}

func atTerminal(ctx context.Context, t *testing.T, environ []string, args ...string) session {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Skipf("there are no terminals here: %s", err)
	}
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: 160}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tty.Close()
		keyboard.Close()
	})
	s := session{watch(keyboard), keyboard, tty, &bytes.Buffer{}, make(chan int, 1)}
	go func() {
		s.ended <- run(ctx, args, process{stdin: tty, stdout: s.stdout, stderr: tty, environ: environ})
	}()
	return s
}

func (s session) enter(t *testing.T, line string) {
	t.Helper()
	if _, err := s.keyboard.WriteString(line); err != nil {
		t.Fatal(err)
	}
}

const (
	addressQuestion = "Address of your Outline"
	keyQuestion     = "API key, created in Outline"
)

func TestAPersonIsAskedAndTheKeyIsNotShown(t *testing.T) {
	home, environ := here(t)
	s := atTerminal(t.Context(), t, environ, installing("cursor")...)
	s.until(t, addressQuestion, 1)
	s.enter(t, "wiki\r")
	s.until(t, "write https:// in front of it", 1)
	s.until(t, addressQuestion, 2)
	s.enter(t, "wiki.example.com/below/doc/soup-1wPyxUCdt9\r")
	s.until(t, keyQuestion, 1)
	s.enter(t, "ol_api_fake two\r")
	s.until(t, "the key contains spaces", 1)
	s.until(t, keyQuestion, 2)
	s.enter(t, " ol_api_fake \r")
	if code := <-s.ended; code != 0 {
		t.Fatalf("exit code %d\n%s", code, s)
	}
	if shown := s.String(); strings.Contains(shown, "ol_api_fake") || !strings.Contains(shown, "wiki.example.com/below/doc") {
		t.Errorf("the terminal shows\n%s", shown)
	}
	content, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	if err != nil || !strings.Contains(string(content), `"OUTLINE_API_KEY": "ol_api_fake"`) || !strings.Contains(string(content), `"OUTLINE_API_URL": "https://wiki.example.com/below"`) {
		t.Errorf("%v\n%s", err, content)
	}
	if !strings.Contains(s.stdout.String(), "was added") {
		t.Errorf("standard output %q", s.stdout)
	}
}

func TestOnlyWhatIsMissingIsAskedFor(t *testing.T) {
	_, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
	s := atTerminal(t.Context(), t, environ, installing("cursor")...)
	s.until(t, addressQuestion, 1)
	s.enter(t, "\r") // the default
	if code := <-s.ended; code != 0 || strings.Contains(s.String(), keyQuestion) || !strings.Contains(s.stdout.String(), "https://app.getoutline.com") {
		t.Errorf("exit code %d\n%s\n%s", code, s, s.stdout)
	}
	for _, args := range [][]string{
		installing("cursor", "--print"),
		append([]string{"--demo"}, installing("cursor")...),
		append(installing("vscode"), "--outline-url", "https://wiki.example.com"),
	} {
		_, environ := here(t)
		s := atTerminal(t.Context(), t, environ, args...)
		if code := <-s.ended; code != 0 || strings.Contains(s.String(), "?") || strings.Contains(s.String(), keyQuestion) {
			t.Errorf("%v: exit code %d\n%s", args, code, s)
		}
	}
}

func TestWithoutARightAnswerNothingIsWritten(t *testing.T) {
	home, environ := here(t, "OUTLINE_API_URL=https://wiki.example.com")
	for name, test := range map[string]struct {
		typed string
		code  int
		says  string
	}{
		"wrong three times":   {"a b\r\rc d\r", 2, "no valid answer in three attempts"},
		"Ctrl-D":              {"\x04", 1, "the question was not answered"},
		"Ctrl-C":              {"\x03", 1, "the question was not answered"},
		"an empty key thrice": {"\r\r\r", 2, "the key is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			s := atTerminal(t.Context(), t, environ, installing("cursor")...)
			s.until(t, keyQuestion, 1)
			for i, part := range strings.SplitAfter(test.typed, "\r") {
				if part != "" {
					s.until(t, keyQuestion, i+1)
					s.enter(t, part)
				}
			}
			if code := <-s.ended; code != test.code {
				t.Errorf("exit code %d\n%s", code, s)
			}
			s.until(t, test.says, 1)
			if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
				t.Errorf("%d files, %v", len(entries), err)
			}
		})
	}
}

func TestCtrlCAtOneQuestionDoesNotShowTheOneBeforeAgain(t *testing.T) {
	_, environ := here(t)
	s := atTerminal(t.Context(), t, environ, installing("cursor")...)
	s.until(t, addressQuestion, 1)
	s.enter(t, "\r")
	s.until(t, keyQuestion, 1)
	s.enter(t, "\x03")
	if code := <-s.ended; code != 1 {
		t.Errorf("exit code %d\n%s", code, s)
	}
	s.until(t, "the question was not answered", 1)
	if strings.Count(s.String(), addressQuestion) != 1 {
		t.Errorf("the terminal shows\n%s", s)
	}
}

func TestAnInterruptEndsTheQuestionAndTheTerminalShowsWhatIsTypedAgain(t *testing.T) {
	home, environ := here(t, "OUTLINE_API_URL=https://wiki.example.com")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s := atTerminal(ctx, t, environ, installing("cursor")...)
	s.until(t, keyQuestion, 1)
	interrupt()
	if code := <-s.ended; code != 1 {
		t.Errorf("exit code %d\n%s", code, s)
	}
	s.until(t, "nothing was changed: interrupted", 1)
	s.enter(t, "shown again\n") // by the terminal itself
	s.until(t, "shown again", 1)
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("%d files, %v", len(entries), err)
	}
}

// TestEnterLogsInAndTheEntryHasNoKey installs the entry as the user does who has nothing,
// and starts the server as the client does.
func TestEnterLogsInAndTheEntryHasNoKey(t *testing.T) {
	d := newDesktop(t, fakeoutline.Options{})
	s := atTerminal(t.Context(), t, d.environ, "install", "claude-desktop", "--command", thisProgram(t))
	s.until(t, addressQuestion, 1)
	s.enter(t, d.address+"/home\r")
	s.until(t, "Press Enter to log in with your browser, or paste an API key", 1)
	s.enter(t, "\r")
	if code := <-s.ended; code != 0 || !strings.Contains(s.stdout.String(), "Logged in: Isla Renwick") ||
		!strings.Contains(s.stdout.String(), "the login on this computer is valid and belongs to Isla Renwick") {
		t.Fatalf("exit code %d\n%s\n%s", code, s, s.stdout)
	}
	files, err := filepath.Glob(filepath.Join(d.home, "*", "*", "claude_desktop_config.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(content), "ol_") || strings.Contains(string(content), "OUTLINE_API_KEY") {
		t.Errorf("%v\n%s", err, content)
	}
	if answer := d.serve(t, "{}").call(2); strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, `"result"`) {
		t.Error(answer)
	}

	// Another client takes the login that is there, without a question about keys.
	again := atTerminal(t.Context(), t, d.environ, "install", "vscode", "--outline-url", d.address, "--command", thisProgram(t))
	if code := <-again.ended; code != 0 || !strings.Contains(again.stdout.String(), "none: the server acts with your login") {
		t.Errorf("exit code %d\n%s\n%s", code, again, again.stdout)
	}
}

// TestInstallOnAFullDiskLeavesTheConfigurationAsItWas limits how long files may be
// until the new one fits. The umask would let everybody read and write.
func TestInstallOnAFullDiskLeavesTheConfigurationAsItWas(t *testing.T) {
	servers := map[string]any{}
	for i := range 40 {
		servers[fmt.Sprint("server", i)] = map[string]string{"command": strings.Repeat("x", 80)}
	}
	before, err := json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	failed, done := 0, 0
	for blocks := 1; blocks <= 16; blocks++ { // of 512 or 1,024 bytes
		home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
		file := filepath.Join(home, "mcp.json")
		if err := os.WriteFile(file, before, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := confined(t.Context(), fmt.Sprintf("umask 000; ulimit -f %d", blocks), environ, installing("cursor", "--file", file)...)
		said, err := cmd.CombinedOutput()
		after, readErr := os.ReadFile(file)
		if readErr != nil {
			t.Fatal(readErr)
		}
		entries, readErr := os.ReadDir(home)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			failed++
			if string(after) != string(before) || len(entries) != 1 || !strings.Contains(string(said), file+" was not changed: cannot write the new file next to it") {
				t.Errorf("with %d blocks: %d files, %s", blocks, len(entries), said)
			}
			continue
		}
		done++
		if !json.Valid(after) || !strings.Contains(string(after), "ol_api_fake") || len(entries) != 2 {
			t.Errorf("with %d blocks: %d files, %s", blocks, len(entries), after)
		}
		for _, entry := range entries {
			if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %s: %v", entry.Name(), info.Mode(), err)
			}
		}
	}
	if failed == 0 || done == 0 {
		t.Errorf("%d failed and %d were done", failed, done)
	}
}

func TestAUmaskOfNothingLeavesTheKeyToItsOwner(t *testing.T) {
	for _, client := range strings.Split(clientNames(), ", ") {
		home, environ := here(t, "OUTLINE_API_KEY=ol_api_fake")
		for range 2 { // the second makes no backup, as nothing changes
			if said, err := confined(t.Context(), "umask 000", environ, installing(client)...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", client, err, said)
			}
		}
		err := filepath.WalkDir(home, func(path string, entry os.DirEntry, err error) error {
			if err != nil || path == home {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %s has mode %s", client, path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// confined returns the command that runs the program after a line of the shell.
func confined(ctx context.Context, line string, environ []string, args ...string) *exec.Cmd {
	run := program(ctx, environ, args...)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", line + `; exec "$0" "$@"`, run.Path}, args...)...)
	cmd.Env = run.Env
	return cmd
}
