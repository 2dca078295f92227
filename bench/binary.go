package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

func runBinary(ctx context.Context, l *lab) (result, error) {
	var sizes []float64 // in MiB
	for _, name := range []string{product, bareStdio, bareHTTP} {
		info, err := os.Stat(l.binary(name))
		if err != nil {
			return result{}, err
		}
		sizes = append(sizes, float64(info.Size())/(1<<20))
	}
	ours, stdio, http := sample{sizes[0]}, sample{sizes[1]}, sample{sizes[2]}
	code, err := codeByModule(ctx, l)
	return result{
		rows: []row{
			compared("size of the binary", pair{ours, stdio}, inMiB, ratioAtMost(1.8)).because("The program is also an HTTP server and client with TLS, which the linker leaves out of the floor. It has Prometheus metrics (whose library includes Protocol Buffers), parses Markdown and contains the sample workspace. The table below lists the code by module."),
			compared("the same, to the minimal server over HTTP", pair{ours, http}, inMiB, goal{}),
		},
		notes: []string{code},
	}, err
}

// codeByModule returns the size of the binary's machine code by module. What
// the linker adds for each function, such as line tables, takes about as much
// again.
func codeByModule(ctx context.Context, l *lab) (string, error) {
	whole := l.binary("outline-mcp-with-symbols")
	if err := build(ctx, whole, "..", "./cmd/outline-mcp", ""); err != nil {
		return "", err
	}
	symbols, err := exec.CommandContext(ctx, "go", "tool", "nm", "-size", whole).Output()
	if err != nil {
		return "", fmt.Errorf("list the symbols of the binary: %w", err)
	}
	owned := map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(symbols)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || strings.ToUpper(fields[2]) != "T" {
			continue
		}
		size, err := strconv.Atoi(fields[1])
		if err != nil {
			continue // a symbol without a size
		}
		owned[moduleOf(fields[3])] += float64(size)
	}
	var b strings.Builder
	b.WriteString("| machine code of | |\n|---|---|\n")
	largest := slices.SortedFunc(maps.Keys(owned), func(a, b string) int { return cmp.Compare(owned[b], owned[a]) })
	for _, name := range largest[:min(12, len(largest))] {
		fmt.Fprintf(&b, "| %s | %s |\n", name, inBytes.format(owned[name]))
	}
	return b.String(), nil
}

// moduleOf returns what a symbol belongs to: host, owner and name of a module,
// the first two parts of a path of the standard library or of our own.
func moduleOf(symbol string) string {
	name, _, _ := strings.Cut(symbol, "[") // type arguments have dots and slashes
	name = strings.TrimPrefix(strings.TrimPrefix(name, "type:.eq."), "vendor/")
	parts := strings.Split(name, "/")
	last := len(parts) - 1
	parts[last], _, _ = strings.Cut(parts[last], ".")
	depth := 2
	if strings.Contains(parts[0], ".") {
		depth = 3
	}
	return strings.Join(parts[:min(depth, len(parts))], "/")
}
