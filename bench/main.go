// Command bench measures what takes whole processes: the start, memory, one call
// beside the same call to Outline, a team of clients, and batches. The floor is a
// minimal server with the same MCP library, built and measured in the same way, in turns
// with outline-mcp.
//
//	go -C bench run . [-only PART] [-quick]
//
// What one process can measure is in the benchmarks beside the code, which
// benchstat compares.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
)

func main() {
	quick := flag.Bool("quick", false, "fewer and shorter measurements")
	only := flag.String("only", "", "run one part: "+strings.Join(names(), ", "))
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *only, *quick)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A part measures one thing and adds rows to the table of the lab.
type part struct {
	name string
	run  func(context.Context, *lab) error
}

func parts() []part {
	return []part{
		{name: "start", run: runStart}, {name: "memory", run: runMemory}, {name: "calls", run: runCalls}, {name: "team", run: runTeam},
		{name: "batches", run: runBatches},
	}
}

func names() []string {
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

func run(ctx context.Context, only string, quick bool) error {
	dir, err := os.MkdirTemp("", "outline-mcp-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l := &lab{dir: dir, quick: quick}
	if err := l.buildAll(ctx); err != nil {
		return err
	}
	var failures []error
	found := false
	for _, p := range parts() {
		if only != "" && p.name != only {
			continue
		}
		found = true
		l.table = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		l.row(p.name, "outline-mcp", "beside", "")
		if err := p.run(ctx, l); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", p.name, err))
		}
		fmt.Fprintln(l.table)
		_ = l.table.Flush()
	}
	if !found {
		return fmt.Errorf("there is no part %q", only)
	}
	return errors.Join(failures...)
}
