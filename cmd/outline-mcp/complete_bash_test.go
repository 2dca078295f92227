//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// bash is a shell on a terminal, in which outline-mcp is this program and its
// completion is loaded.
type bash struct {
	t        *testing.T
	terminal *os.File
	shown    chan []byte
}

// startBash starts a shell. The setup runs before the completion is loaded.
func startBash(t *testing.T, setup string) *bash {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	folder := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(folder, "outline-mcp")); err != nil {
		t.Skipf("no links here: %s", err)
	}
	writeFile(t, filepath.Join(folder, "page.md"), "")
	rc := filepath.Join(folder, "bashrc")
	script := setup + "\nPS1='ready> '\nbind 'set bell-style none' 'set enable-bracketed-paste off' 'set page-completions off' 'set completion-query-items 0'\nsource <(outline-mcp completion bash)\n"
	writeFile(t, rc, script)
	cmd := exec.CommandContext(t.Context(), path, "--noprofile", "--rcfile", rc, "-i")
	cmd.Dir = folder
	cmd.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH"), "TERM=xterm", "HOME=" + folder, "INPUTRC=/dev/null", "LC_ALL=C.UTF-8",
		"OUTLINE_MCP_TEST_PROGRAM=1", "GORACE=atexit_sleep_ms=0"}
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 200, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	b := &bash{t, terminal, make(chan []byte, 1024)}
	go func() {
		defer close(b.shown)
		for {
			part := make([]byte, 4096)
			n, err := terminal.Read(part)
			if err != nil {
				return
			}
			b.shown <- part[:n]
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		terminal.Close()
		for range b.shown { // until the reader has ended
		}
	})
	b.until("ready> ")
	return b
}

// until returns what the terminal shows up to and with a text.
func (b *bash) until(text string) string {
	b.t.Helper()
	var all []byte
	late := time.After(20 * time.Second)
	for {
		select {
		case part, ok := <-b.shown:
			if all = append(all, part...); bytes.Contains(all, []byte(text)) {
				return string(all)
			}
			if !ok {
				b.t.Fatalf("bash ended; it showed %q", all)
			}
		case <-late:
			b.t.Fatalf("%q does not come; bash showed %q", text, all)
		}
	}
}

// complete types a line, presses Tab, and returns the words that the line then
// has, each in braces.
func (b *bash) complete(typed string) string {
	b.t.Helper()
	// Ctrl-A goes to the beginning, where a command that prints words is put.
	fmt.Fprintf(b.terminal, "%s\t\x01printf '{%%s}' \n", typed)
	shown := b.until("}ready> ")
	return strings.TrimSuffix(shown[strings.LastIndexByte(shown, '\n')+1:], "ready> ")
}

// offered types a line, at which there is more than one way to continue, presses
// Tab twice, and returns the lines that bash shows below it.
func (b *bash) offered(typed string) []string {
	b.t.Helper()
	fmt.Fprintf(b.terminal, "%s\t\t", typed)
	shown := b.until("ready> ")
	fmt.Fprint(b.terminal, "\x15\n") // deletes the line
	b.until("\nready> ")
	lines := strings.Split(shown, "\r\n")
	return lines[1 : len(lines)-1]
}

// bashes are the ways to have bash set up: as it comes and, where that is
// installed, with the package bash-completion.
func bashes() map[string]string {
	const installed = "/usr/share/bash-completion/bash_completion"
	setups := map[string]string{"alone": "unset -f _get_comp_words_by_ref _init_completion"}
	if _, err := os.Stat(installed); err == nil {
		setups["with bash-completion"] = "source " + installed
	}
	return setups
}

func TestABashCompletesLines(t *testing.T) {
	for name, setup := range bashes() {
		t.Run(name, func(t *testing.T) {
			b := startBash(t, setup)
			for typed, want := range map[string]string{
				"outline-mcp ca":             "{outline-mcp}{call}",
				"outline-mcp call archive_d": "{outline-mcp}{call}{archive_document}",
				"outline-mcp --demo call read_document document_id=friday":     "{outline-mcp}{--demo}{call}{read_document}{document_id=friday-soup-1wPyxUCdt9}",
				"outline-mcp call search_documents query='a b' detail_level=s": "{outline-mcp}{call}{search_documents}{query=a b}{detail_level=summary}",
				"outline-mcp call update_document text@=pa":                    "{outline-mcp}{call}{update_document}{text@=page.md}",
			} {
				if got := b.complete(typed); got != want {
					t.Errorf("%s completes to %s, want %s", typed, got, want)
				}
			}
		})
	}
}

func TestABashShowsWhatThereIs(t *testing.T) {
	for name, setup := range bashes() {
		t.Run(name, func(t *testing.T) {
			b := startBash(t, setup)
			for typed, want := range map[string]string{
				"outline-mcp call search_documents detail_level=":               "ids summary full",
				"outline-mcp --demo call read_document document_id=onboarding-": "(Onboarding (Handbook)) onboarding-",
			} {
				if got := strings.Join(strings.Fields(strings.Join(b.offered(typed), " ")), " "); !strings.Contains(got, want) {
					t.Errorf("%s offers %s, want %s", typed, got, want)
				}
			}
		})
	}
}
