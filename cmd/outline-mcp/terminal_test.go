//go:build unix

package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
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
	for _, args := range [][]string{{"--help"}, {"install", "--help"}, {"tools"}, {"tools", "read_document"}, {"doctor", "--demo"}, {"demo"}} {
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
