package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

func TestTheWorkspaceAnswersAsLateAsItIsTold(t *testing.T) {
	const latency = 100 * time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	printed, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"workspace", "--listen", "127.0.0.1:0", "--latency", latency.String()}, process{stdin: strings.NewReader(""), stdout: out, stderr: io.Discard})
		out.Close()
		ended <- code
	}()
	defer func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}()
	var settings []string
	for lines := bufio.NewScanner(printed); len(settings) < 2 && lines.Scan(); {
		settings = append(settings, lines.Text())
	}
	start := time.Now()
	code, _, stderr := command(t, settings, "call", "list_collections")
	if took := time.Since(start); code != 0 || took < latency {
		t.Errorf("exit code %d after %s: %s", code, took, stderr)
	}
}
