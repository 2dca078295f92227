package main

import (
	"context"
	"os"
	"time"

	"outline-mcp/internal/fakeoutline"
)

// runStart measures the time from the start of a process to its answer to
// initialize, and the size of the binaries.
func runStart(ctx context.Context, l *lab) error {
	var floor, plain, structured, demo []time.Duration
	for range l.turns(100) {
		for _, c := range []struct {
			took    *[]time.Duration
			program string
			environ []string
			args    []string
		}{
			{&floor, bare, nil, nil},
			{&plain, product, nil, nil},
			{&structured, product, []string{"OUTLINE_STRUCTURED_OUTPUT=true"}, nil},
			{&demo, product, nil, []string{"--demo"}},
		} {
			took, err := l.timeToInitialize(ctx, c.program, c.environ, c.args)
			if err != nil {
				return err
			}
			*c.took = append(*c.took, took)
		}
	}
	compare(l, "start to the answer of initialize, beside the minimal server", plain, floor, duration)
	compare(l, "the same with structured output", structured, floor, duration)
	compare(l, "the same with --demo", demo, floor, duration)
	var sizes [][]float64
	for _, name := range []string{product, bare} {
		info, err := os.Stat(l.binary(name))
		if err != nil {
			return err
		}
		sizes = append(sizes, []float64{float64(info.Size()) / (1 << 20)})
	}
	compare(l, "size of the binary, beside the minimal server over HTTP", sizes[0], sizes[1], mebibytes)
	return nil
}

func (l *lab) timeToInitialize(ctx context.Context, name string, environ, args []string) (time.Duration, error) {
	begin := time.Now()
	p, err := l.start(ctx, name, append(environ, "OUTLINE_API_KEY="+fakeoutline.AdminKey), args...)
	if err != nil {
		return 0, err
	}
	_, err = p.ask(initialize)
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	return took, p.end()
}
