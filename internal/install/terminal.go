package install

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/term"
)

// Terminal asks the person at a terminal.
type Terminal struct {
	fd       int
	terminal *term.Terminal
	out      io.Writer
}

// OpenTerminal returns the terminal that in is, or nil if it is none. Questions
// are written to out: with standard error, standard output can be a file.
func OpenTerminal(in io.Reader, out io.Writer) *Terminal {
	file, ok := in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &Terminal{int(file.Fd()), term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{in, out}, ""), out}
}

// TerminalError reports that a question could not be asked or was not answered.
type TerminalError struct{ Reason string }

func (e TerminalError) Error() string { return e.Reason }

// attempts is how often one question is asked.
const attempts = 3

// Ask asks a question until check accepts the answer, at most three times, and
// returns what check returns. A secret is not shown while it is typed: echo is
// off before the question appears. Ctrl-C, Ctrl-D and the end of ctx are a
// [TerminalError].
func (t *Terminal) Ask(ctx context.Context, question string, secret bool, check func(line string) (string, error)) (string, error) {
	before, err := term.MakeRaw(t.fd)
	if err != nil {
		return "", TerminalError{fmt.Sprintf("cannot read the terminal: %s", err)}
	}
	defer func() { _ = term.Restore(t.fd, before) }()
	if width, height, err := term.GetSize(t.fd); err == nil && width > 0 && height > 0 {
		_ = t.terminal.SetSize(width, height) // for long lines
	}
	for range attempts {
		line, err := t.line(ctx, question, secret)
		if err != nil {
			return "", TerminalError{"nothing was changed: " + err.Error()}
		}
		answer, err := check(line)
		if err == nil {
			return answer, nil
		}
		fmt.Fprintln(t.terminal, err)
	}
	return "", errors.New("nothing was changed: no valid answer in three attempts")
}

// line reads one line, and stops at once when ctx is done.
func (t *Terminal) line(ctx context.Context, question string, secret bool) (string, error) {
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		if secret {
			a.line, a.err = t.terminal.ReadPassword(question)
		} else {
			t.terminal.SetPrompt(question)
			a.line, a.err = t.terminal.ReadLine()
		}
		answers <- a
	}()
	select {
	case a := <-answers:
		if errors.Is(a.err, io.EOF) {
			fmt.Fprint(t.out, "\r\n") // not through t.terminal, which would show the last prompt again
			return "", errors.New("the question was not answered")
		}
		return a.line, a.err
	case <-ctx.Done():
		return "", errors.New("interrupted")
	}
}
