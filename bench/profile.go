package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// shares are the parts of a profile's time by owner; they add up to 1.
type shares map[string]float64

// owners own the time of a sample by the first of them in its stack, from the
// innermost function on: the time of a package of the standard library or the
// runtime counts for the owner that it works for.
var owners = []struct{ prefix, name string }{
	{"encoding/json", "encoding/json"},
	{"github.com/go-json-experiment/json", "go-json-experiment/json"},
	{"github.com/yuin/goldmark", "goldmark"},
	{"github.com/go-resty", "resty"},
	{"github.com/santhosh-tekuri/jsonschema", "JSON Schema validator"},
	{"github.com/prometheus", "Prometheus client"},
	{"log/slog", "log/slog"},
	{"net/http", "net/http"},
	{"github.com/mark3labs/mcp-go", "mcp-go"},
	{"outline-mcp/internal/", "outline-mcp: transport, wiring, Markdown"},
	{"outline-mcp/outline", "outline-mcp: Outline client"},
	{"outline-mcp/tools", "outline-mcp: tools, rendering"},
	{"outline-mcp/output", "outline-mcp: tools, rendering"},
	{"outline-mcp/bench/bare", "the minimal tool"},
	{"runtime.gcBgMarkWorker", "garbage collection"},
}

// readShares summarizes a CPU profile.
func readShares(raw []byte) (shares, error) {
	p, err := profile.ParseData(raw)
	if err != nil {
		return nil, fmt.Errorf("read a profile: %w", err)
	}
	total, s := 0.0, shares{}
	for _, sample := range p.Sample {
		value := float64(sample.Value[len(sample.Value)-1])
		total += value
		s[ownerOf(sample)] += value
	}
	for name := range s {
		s[name] /= total
	}
	return s, nil
}

func ownerOf(sample *profile.Sample) string {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			for _, owner := range owners {
				if strings.HasPrefix(line.Function.Name, owner.prefix) {
					return owner.name
				}
			}
		}
	}
	return "runtime: scheduling, network polling"
}

// sharesTable shows shares side by side, each of a whole, largest first.
func sharesTable(unit unit, names []string, wholes []float64, all []shares) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| where the time goes | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	owned := map[string]float64{}
	for i, s := range all {
		for name, share := range s {
			owned[name] = max(owned[name], share*wholes[i])
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(owned), func(a, b string) int { return cmp.Compare(owned[b], owned[a]) }) {
		if owned[name] < wholes[0]/100 {
			continue
		}
		fmt.Fprintf(&b, "| %s |", name)
		for i, s := range all {
			fmt.Fprintf(&b, " %s |", unit.format(s[name]*wholes[i]))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// profileServers reports the processor time of a call in both HTTP servers
// under load. The profiles stay in a folder.
func profileServers(ctx context.Context, l *lab, dir string) (string, error) {
	workspace, base, err := l.workspace(ctx, 0)
	if err != nil {
		return "", err
	}
	defer workspace.end()
	var wholes []float64
	var all []shares
	for _, which := range []struct{ name, tool string }{{product, "read_document"}, {"bare", "title"}} {
		file := filepath.Join(dir, which.name+".pprof")
		server, err := l.serveHTTP(ctx, profiled, base, nil, which.name, file)
		if err != nil {
			return "", err
		}
		w, failed := load(ctx, server, server.target(which.tool), clients, pick(l, 20*time.Second, 3*time.Second))
		if err := cmp.Or(failed, server.end()); err != nil {
			return "", err
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		s, err := readShares(raw)
		if err != nil {
			return "", err
		}
		wholes, all = append(wholes, w.cpu), append(all, s)
	}
	return sharesTable(inSeconds, []string{"outline-mcp, a call", "minimal server, a call"}, wholes, all), nil
}

// profileHere reports where the time goes of something in this process whose
// typical cost is whole.
func profileHere(name string, whole float64, run func() error) (string, error) {
	var raw bytes.Buffer
	if err := pprof.StartCPUProfile(&raw); err != nil {
		return "", err
	}
	var failed error
	for begin := time.Now(); failed == nil && time.Since(begin) < 2*time.Second; {
		failed = run()
	}
	pprof.StopCPUProfile()
	if failed != nil {
		return "", failed
	}
	s, err := readShares(raw.Bytes())
	if err != nil {
		return "", err
	}
	return sharesTable(inSeconds, []string{name}, []float64{whole}, []shares{s}), nil
}
