package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"outline-mcp/internal/hostile"
)

// A flood is the requests that a server gets while its memory is measured.
type flood struct {
	what    string
	bodies  [][]byte
	key     func(int) string
	atATime int

	connections int // with a header that does not end
}

// floods returns those of the report: each shape just below MCP_MAX_BODY, with
// made-up keys, and then all of them at once.
func floods() []flood {
	const large, small = 8<<20 - 1024, 250 << 10
	known := func(int) string { return userKey(0) }
	mixed := func(n int) string {
		if n%3 == 0 {
			return userKey(0)
		}
		return hostile.Key(n)
	}
	var list []flood
	var larges, smalls [][]byte
	for _, shape := range hostile.Shapes() {
		body := shape.Body(large)
		larges, smalls = append(larges, body), append(smalls, shape.Body(small))
		list = append(list, flood{shape.Name, [][]byte{body}, hostile.Key, 8, 0})
	}
	text := hostile.Shapes()[3]
	return append(list,
		flood{"all of them, 64 at a time", larges, hostile.Key, 64, 0},
		flood{"all of them, of 250 KiB, 64 at a time", smalls, hostile.Key, 64, 0},
		flood{"all of them, with a key that Outline accepts", larges, known, 8, 0},
		flood{"texts of 8 MiB, with a key that Outline accepts", [][]byte{text.Body(large)}, known, 8, 0},
		flood{"texts of 1 MiB, with a key that Outline accepts", [][]byte{text.Body(1 << 20)}, known, 64, 0},
		flood{"lists and emphasis of 190 KiB, with a key that Outline accepts", [][]byte{hostile.Shapes()[6].Body(190 << 10), hostile.Shapes()[7].Body(190 << 10)}, known, 64, 0},
		flood{"texts of 250 KiB, with a key that Outline accepts", [][]byte{text.Body(small)}, known, 64, 0},
		flood{"everything, 64 at a time", append(larges, smalls...), mixed, 64, 0},
		flood{"5,000 connections with a header of 15 KB that does not end", smalls[:1], hostile.Key, 1, 5000},
		flood{"everything beside 5,000 connections", append(larges, smalls...), mixed, 64, 5000},
	)
}

// runHostile measures the maximum memory of a server, one for each flood.
func runHostile(ctx context.Context, l *lab) (result, error) {
	workspace, base, err := l.workspace(ctx, 300*time.Millisecond)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = workspace.end() }()
	var rows []row
	for _, f := range floods() {
		above, sent, err := l.peak(ctx, base, f)
		if err != nil {
			return result{}, fmt.Errorf("%s: %w", f.what, err)
		}
		fmt.Fprintf(l.log, "%s: %.1f MiB, answers %s\n", f.what, above, sent)
		rows = append(rows, row{what: f.what, ours: single(above, inMiB), goal: atMost(150, inMiB), judged: above})
	}
	return result{rows: rows}, nil
}

// peak returns how much more memory than when idle a server took at most during
// a flood, in MiB, and what it answered.
func (l *lab) peak(ctx context.Context, base string, f flood) (above float64, sent hostile.Sent, err error) {
	s, err := l.serveHTTP(ctx, product, base, nil)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = s.end() }()
	if err := s.target("read_document").call(ctx, http.DefaultClient, userKey(0)); err != nil { // so that its key is known
		return 0, nil, err
	}
	idle, _, err := hostile.Memory(s.cmd.Process.Pid)
	if err != nil {
		return 0, nil, err
	}
	closeAll := hostile.Connect(ctx, strings.TrimPrefix(s.url, "http://"), f.connections, 15_000)
	defer closeAll()
	sent = hostile.Flood(ctx, s.url+"/mcp", f.bodies, pick(l, 8, 2)*max(f.atATime, len(f.bodies)), f.atATime, f.key)
	_, most, err := hostile.Memory(s.cmd.Process.Pid)
	return float64(most-idle) / (1 << 20), sent, err
}
