package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

// contenders builds the program and the bare one, stripped, and returns their
// paths.
func contenders(b *testing.B) (program, bare string) {
	b.Helper()
	dir := b.TempDir()
	build := func(name, source string) string {
		path := filepath.Join(dir, name)
		out, err := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source).CombinedOutput()
		if err != nil {
			b.Fatalf("build %s: %s\n%s", source, err, out)
		}
		return path
	}
	return build("outline-mcp", "."), build("bare", "./testdata/bare")
}

// server is a process that serves on its standard input and output.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(b *testing.B, path string, args ...string) *server {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), path, args...)
	cmd.Env = []string{"OUTLINE_API_KEY=ol_api_fake"}
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return &server{cmd, in, bufio.NewReaderSize(out, 1<<20)}
}

// ask sends a request and waits for the line that answers it.
func (s *server) ask(b *testing.B, request string) {
	b.Helper()
	if _, err := io.WriteString(s.in, request+"\n"); err != nil {
		b.Fatal(err)
	}
	if _, err := s.out.ReadBytes('\n'); err != nil {
		b.Fatal(err)
	}
}

func (s *server) stop(b *testing.B) {
	b.Helper()
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		b.Fatal(err)
	}
}

func median[T int | float64 | time.Duration](values []T) float64 {
	slices.Sort(values)
	return float64(values[len(values)/2])
}

// BenchmarkStart measures from the start of the process to its answer to
// initialize, alternating with the bare program.
func BenchmarkStart(b *testing.B) {
	program, bare := contenders(b)
	measure := func(path string) time.Duration {
		begin := time.Now()
		s := start(b, path)
		s.ask(b, initialize)
		took := time.Since(begin)
		s.stop(b)
		return took
	}
	var ours, floor []time.Duration
	for b.Loop() {
		ours, floor = append(ours, measure(program)), append(floor, measure(bare))
	}
	b.ReportMetric(median(ours)/1e6, "ms")
	b.ReportMetric(median(floor)/1e6, "bare-ms")
	b.ReportMetric(median(ours)/median(floor), "ratio")
}

// BenchmarkMemory measures resident memory after 1,000 calls of a tool. That
// of the program includes the embedded workspace.
func BenchmarkMemory(b *testing.B) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		b.Skip("resident memory is read from /proc, which is not here")
	}
	program, bare := contenders(b)
	measure := func(path, tool, arguments string, args ...string) float64 {
		s := start(b, path, args...)
		s.ask(b, initialize)
		for id := range 1000 {
			s.ask(b, toolsCall(id+2, tool, arguments))
		}
		memory := resident(b, s.cmd.Process.Pid)
		s.stop(b)
		return memory
	}
	var ours, floor []float64
	for b.Loop() {
		ours = append(ours, measure(program, "read_document", `{"document_id":"1wPyxUCdt9"}`, "--demo"))
		floor = append(floor, measure(bare, "bare", `{}`))
	}
	b.ReportMetric(median(ours), "MiB")
	b.ReportMetric(median(floor), "bare-MiB")
	b.ReportMetric(median(ours)/median(floor), "ratio")
}

// resident returns a process's resident memory in MiB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	match := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	kib, err := strconv.Atoi(string(match[1]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kib) / 1024
}
