//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestAStreamWhoseReaderIsGoneSaysSo(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer writer.Close()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), os.Args[0], "--demo", "call", "--stream", "-")
	cmd.Env = []string{"OUTLINE_MCP_TEST_PROGRAM=1", "GORACE=atexit_sleep_ms=0"}
	cmd.Stdin = strings.NewReader(strings.Repeat(`{"tool":"list_collections"}`+"\n", 3))
	cmd.Stdout, cmd.Stderr = writer, &stderr
	_ = cmd.Run() // the exit code is below
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "broken pipe: 0 calls are answered") || !strings.Contains(stderr.String(), "look before you repeat") {
		t.Errorf("%s: %s", cmd.ProcessState, &stderr)
	}
}
