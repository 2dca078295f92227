package main

import (
	"cmp"
	"context"
	"fmt"

	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

// A lab has what all parts need to measure.
type lab struct {
	dir    string // of the binaries, temporary
	quick  bool
	length time.Duration // of the soak
	table  *tabwriter.Writer
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
