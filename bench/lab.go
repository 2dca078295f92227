package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A lab has what all parts need to measure.
type lab struct {
	dir    string // of the binaries, temporary
	quick  bool
	length time.Duration // of the parts abuse and soak
	log    io.Writer     // what goes on

	profiles string // folder that CPU profiles are written into
}

// The programs that are measured.
const (
	product   = "outline-mcp"
	bareStdio = "bare-stdio"
	bareHTTP  = "bare-http"
	profiled  = "profiled"
)

// newLab builds the programs, all in the same way: static, stripped, without
// paths.
func newLab(ctx context.Context, quick bool, log io.Writer) (*lab, error) {
	dir, err := os.MkdirTemp("", "outline-mcp-bench-")
	if err != nil {
		return nil, err
	}
	l := &lab{dir: dir, quick: quick, log: log}
	for _, b := range []struct{ name, in, source string }{
		{product, "..", "./cmd/outline-mcp"}, // with the versions of its own go.mod
		{bareStdio, ".", "./bare/stdio"},
		{bareHTTP, ".", "./bare/http"},
		{profiled, ".", "./profiled"},
	} {
		if err := build(ctx, l.binary(b.name), b.in, b.source, "-s -w"); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

// build builds a program, as seen from a folder with a go.mod.
func build(ctx context.Context, file, in, source, ldflags string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", ldflags, "-o", file, source)
	cmd.Dir = in
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	return nil
}

func (l *lab) close() { _ = os.RemoveAll(l.dir) }

func (l *lab) binary(name string) string { return filepath.Join(l.dir, name) }

// pick returns one of two values, the second for a quick run.
func pick[T any](l *lab, full, quick T) T {
	if l.quick {
		return quick
	}
	return full
}
