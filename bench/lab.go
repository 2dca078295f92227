package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/prometheus/procfs"
)

// A lab has what all parts need to measure.
type lab struct {
	dir   string // of the binaries, temporary
	quick bool
	table *tabwriter.Writer
}

// The programs that are measured.
const (
	product = "outline-mcp"
	bare    = "bare"
)

// buildAll builds the programs, all in the same way: static, stripped, without
// paths.
func (l *lab) buildAll(ctx context.Context) error {
	for _, b := range []struct{ name, in, source string }{
		{product, "..", "./cmd/outline-mcp"}, // with the versions of its own go.mod
		{bare, ".", "./bare"},
	} {
		if err := l.build(ctx, b.name, b.in, b.source); err != nil {
			return err
		}
	}
	return nil
}

// build builds a program, as seen from a folder with a go.mod.
func (l *lab) build(ctx context.Context, name, in, source string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", l.binary(name), source)
	cmd.Dir = in
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	return nil
}

func (l *lab) binary(name string) string { return filepath.Join(l.dir, name) }

// turns returns a number of measurements, a fifth of it for a quick run.
func (l *lab) turns(full int) int {
	if l.quick {
		return max(1, full/5)
	}
	return full
}

// row adds a row to the table.
func (l *lab) row(what string, ours, beside, note any) {
	fmt.Fprintf(l.table, "%s\t%v\t%v\t%v\n", what, ours, beside, note)
}

// compare adds a row with the medians of two samples and their ratio.
func compare[N number](l *lab, what string, ours, beside []N, unit func(N) string) {
	l.row(what, unit(quantile(ours, 0.5)), unit(quantile(beside, 0.5)), fmt.Sprintf("%.2f×", float64(quantile(ours, 0.5))/float64(quantile(beside, 0.5))))
}

type number interface {
	cmp.Ordered
	~int64 | ~float64
}

// quantile returns the value below which a share q of a sample lies, 0 if the
// sample is empty.
func quantile[N number](sample []N, q float64) N {
	if len(sample) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(sample))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// duration writes a duration with three or four digits.
func duration(d time.Duration) string {
	switch {
	case d.Abs() < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d.Abs() < time.Second:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}

func mebibytes(n float64) string { return fmt.Sprintf("%.1f MiB", n) }

// A process is a running program. Its log is discarded.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	serves bool // until it is told to end; others end with their input
}

// start starts one of the lab's programs with only the given environment.
func (l *lab) start(ctx context.Context, name string, environ []string, args ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, l.binary(name), args...)
	cmd.Env = environ
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return &process{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

// end ends the process: by closing its input, or with the signal for
// termination, after which a server finishes its calls.
func (p *process) end() error {
	p.in.Close()
	if p.serves {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
	}
	late := time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGTERM {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s ends with %w", p.cmd.Path, err)
	}
	return nil
}

// ask sends a line and returns the one that answers it.
func (p *process) ask(line string) ([]byte, error) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		return nil, err
	}
	return p.out.ReadSlice('\n')
}

// resident returns the process's memory in MiB.
func (p *process) resident() (float64, error) {
	proc, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return 0, fmt.Errorf("measure a process, which needs Linux: %w", err)
	}
	stat, err := proc.Stat()
	return float64(stat.ResidentMemory()) / (1 << 20), err
}

// workspace starts the embedded workspace in a separate process, and returns
// the address of its API.
func (l *lab) workspace(ctx context.Context, latency time.Duration) (p *process, base string, err error) {
	p, err = l.start(ctx, product, nil, "workspace", "--listen", "127.0.0.1:0", "--latency", latency.String())
	if err != nil {
		return nil, "", err
	}
	p.serves = true
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, "", fmt.Errorf("start the workspace: %w", err)
	}
	_, base, _ = strings.Cut(strings.TrimSpace(line), "=")
	return p, base, nil
}

// A httpServer is a process that serves MCP over HTTP.
type httpServer struct {
	*process
	url string // without a path
}

// serveHTTP starts a server for a team on a port of loopback and returns when it
// answers.
func (l *lab) serveHTTP(ctx context.Context, name, port string, environ ...string) (*httpServer, error) {
	p, err := l.start(ctx, name, append(environ, "MCP_TRANSPORT=http", "MCP_PORT="+port))
	if err != nil {
		return nil, err
	}
	p.serves = true
	s := &httpServer{p, "http://127.0.0.1:" + port}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		response, err := http.Get(s.url + "/health")
		if err == nil {
			response.Body.Close()
			return s, nil
		}
		if time.Now().After(deadline) {
			return nil, errors.Join(fmt.Errorf("%s does not serve: %w", name, err), s.end())
		}
	}
}

func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}
