package main

import (
	"strings"
	"testing"
)

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
		"presses Enter":       {"\r", 3, "", "the person declined"},
		"says something":      {"what?\r", 3, "", "the person declined"},
		"closes the question": {"\x04", 1, "", "the person closed the question"},
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

func TestWithoutATerminalNobodyConfirmsACall(t *testing.T) {
	code, stdout, stderr := command(t, []string{"OUTLINE_CONFIRM=deletes"}, "call", "delete_document", "document_id=1wPyxUCdt9", "--demo")
	if code != 3 || stdout != "" || !strings.Contains(stderr, "nothing was written: the operator of this server has a person confirm it") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}
