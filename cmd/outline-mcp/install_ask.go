package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/term"
)

// person is somebody who can be asked at a terminal. Questions go to standard
// error, so that standard output can be a file.
type person struct {
	file     int // descriptor of the terminal
	terminal *term.Terminal
	shown    io.Writer // what the terminal shows
}

// personAt returns the person at the terminal of standard input, or nil.
func personAt(p process) *person {
	file, ok := p.stdin.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &person{int(file.Fd()), term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{p.stdin, p.stderr}, ""), p.stderr}
}

// attempts is how often a person is asked for one thing.
const attempts = 3

// ask asks until the answer is right, a few times. What is typed for a secret
// is never shown: the terminal stops showing it before the question appears.
func (q *person) ask(ctx context.Context, question string, secret bool, check func(line string) (string, error)) (string, error) {
	before, err := term.MakeRaw(q.file)
	if err != nil {
		return "", exitError{exitFailure, fmt.Sprintf("the terminal cannot be read: %s", err)}
	}
	defer func() { _ = term.Restore(q.file, before) }()
	if width, height, err := term.GetSize(q.file); err == nil && width > 0 && height > 0 {
		_ = q.terminal.SetSize(width, height) // for lines that are longer
	}
	for range attempts {
		line, err := q.line(ctx, question, secret)
		if err != nil {
			return "", exitError{exitFailure, "nothing was changed: " + err.Error()}
		}
		answer, err := check(line)
		if err == nil {
			return answer, nil
		}
		fmt.Fprintln(q.terminal, err)
	}
	return "", exitError{exitUsage, "nothing was changed: the answer was not right"}
}

// line reads a line. Ctrl-C, Ctrl-D and signals end it at once.
func (q *person) line(ctx context.Context, question string, secret bool) (string, error) {
	type answer struct {
		line string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		if secret {
			a.line, a.err = q.terminal.ReadPassword(question)
		} else {
			q.terminal.SetPrompt(question)
			a.line, a.err = q.terminal.ReadLine()
		}
		answers <- a
	}()
	select {
	case a := <-answers:
		if errors.Is(a.err, io.EOF) {
			fmt.Fprint(q.shown, "\r\n") // by itself: the terminal would ask the question before
			return "", errors.New("the question was not answered")
		}
		return a.line, a.err
	case <-ctx.Done():
		return "", errors.New("interrupted")
	}
}
