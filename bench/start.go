package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"outline-mcp/internal/fakeoutline"
)

func runStart(ctx context.Context, l *lab) (result, error) {
	var text, structured, demo pair
	for range pick(l, 101, 31) {
		floor, err := l.timeToInitialize(ctx, bareStdio, nil)
		if err != nil {
			return result{}, err
		}
		ours, err := l.timeToInitialize(ctx, product, nil)
		if err != nil {
			return result{}, err
		}
		both, err := l.timeToInitialize(ctx, product, nil, "OUTLINE_STRUCTURED_OUTPUT=true")
		if err != nil {
			return result{}, err
		}
		sample, err := l.timeToInitialize(ctx, product, []string{"--demo"})
		if err != nil {
			return result{}, err
		}
		text.add(ours, floor)
		demo.add(sample, ours)
		structured.add(both, floor)
	}
	packages, err := l.packageStart(ctx)
	return result{notes: []string{packages}, rows: []row{
		compared("start to the answer of initialize", text, inSeconds, ratioAtMost(1.5)).because("Package initialization takes the times below. The rest above the floor is for the command line, the settings, creating the tools, and loading a larger binary."),
		compared("the same with structured output", structured, inSeconds, goal{}),
		compared("the same with --demo, to that without", demo, inSeconds, ratioAtMost(1.3)),
	}}, err
}

func (l *lab) timeToInitialize(ctx context.Context, name string, args []string, environ ...string) (float64, error) {
	begin := time.Now()
	p, err := l.start(ctx, name, append(environ, "OUTLINE_API_KEY="+fakeoutline.AdminKey), args...)
	if err != nil {
		return 0, err
	}
	_, err = p.ask(initialize)
	took := time.Since(begin).Seconds()
	if err != nil {
		return 0, err
	}
	return took, p.end()
}

// packageStart reports how long the initialization of packages takes before
// main begins, as the runtime reports it (GODEBUG=inittrace=1).
func (l *lab) packageStart(ctx context.Context) (string, error) {
	took := map[string]sample{}
	var all, main sample
	for range 11 {
		cmd := exec.CommandContext(ctx, l.binary(product))
		cmd.Env = []string{"GODEBUG=inittrace=1", "OUTLINE_API_KEY=" + fakeoutline.AdminKey}
		cmd.Stdin = strings.NewReader(initialize + "\n")
		var trace strings.Builder
		cmd.Stderr = &trace
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("trace the start: %w", err)
		}
		sum, begun := 0.0, 0.0
		for lines := bufio.NewScanner(strings.NewReader(trace.String())); lines.Scan(); {
			// init PACKAGE @AT ms, TOOK ms clock, ...
			fields := strings.Fields(lines.Text())
			if len(fields) < 6 || fields[0] != "init" {
				continue
			}
			at, _ := strconv.ParseFloat(strings.TrimPrefix(fields[2], "@"), 64)
			clock, err := strconv.ParseFloat(fields[4], 64)
			if err != nil {
				return "", fmt.Errorf("read the trace of the start: %w", err)
			}
			took[fields[1]] = append(took[fields[1]], clock/1e3)
			sum, begun = sum+clock/1e3, (at+clock)/1e3
		}
		all, main = append(all, sum), append(main, begun)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "main begins %s after the runtime; package initialization takes %s of it. The longest:\n\n| package | |\n|---|---|\n", inSeconds.format(median(main)), inSeconds.format(median(all)))
	longest := slices.SortedFunc(maps.Keys(took), func(a, b string) int { return cmp.Compare(median(took[b]), median(took[a])) })
	for _, name := range longest[:min(8, len(longest))] {
		fmt.Fprintf(&b, "| %s | %s |\n", name, inSeconds.format(median(took[name])))
	}
	return b.String(), nil
}
