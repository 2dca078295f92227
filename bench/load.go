package main

import (
	"context"
	"fmt"
	"time"
)

const clients = 64

func runLoad(ctx context.Context, l *lab) (result, error) {
	c, err := l.contenders(ctx)
	if err != nil {
		return result{}, err
	}
	defer c.end()
	turns, length := pick(l, 12, 5), pick(l, 5*time.Second, time.Second)
	var (
		throughput, p99, processor pair
		memory                     sample
		growth                     []point
		failed                     int
		served                     time.Duration
	)
	for turn := range turns + 1 {
		ours, err := load(ctx, c.ours, c.ours.target("read_document"), clients, length)
		if err != nil {
			return result{}, err
		}
		floor, err := load(ctx, c.floor, c.floor.target("title"), clients, length)
		if err != nil {
			return result{}, err
		}
		failed += ours.failed
		if failed > 0 || floor.failed > 0 {
			fmt.Fprintln(l.log, "calls failed:", ours.failure, floor.failure)
		}
		resident, err := c.ours.resident()
		if err != nil {
			return result{}, err
		}
		served += length
		memory, growth = append(memory, resident), append(growth, point{served.Seconds(), resident})
		if turn == 0 {
			continue // both warm up
		}
		throughput.add(ours.perSecond, floor.perSecond)
		p99.add(quantile(ours.latencies, 0.99), quantile(floor.latencies, 0.99))
		processor.add(ours.cpu, floor.cpu)
	}
	where, err := profileServers(ctx, l, l.profiles)
	if err != nil {
		return result{}, err
	}
	most := quantile(memory, 1)
	flat := memory[len(memory)-1] / memory[1]
	if failed > 0 {
		err = fmt.Errorf("%d calls failed", failed)
	}
	return result{
		rows: []row{
			compared("calls a second", throughput, perSecond, ratioAtLeast(0.95)).because("The table below has the cost of a call in both servers. The program answers with the whole document, the minimal server with its title. The program also checks arguments against their schema, limits and logs each call, and counts metrics."),
			compared("the slowest hundredth of the calls, p99", p99, inSeconds, ratioAtMost(2)),
			{what: "calls that failed", ours: single(float64(failed), plain), goal: atMost(0, plain), judged: float64(failed)},
			compared("processor time of the server a call", processor, inSeconds, goal{}),
			{what: "memory with 1,000 keys, the most", ours: single(most, inMiB), goal: atMost(60, inMiB), judged: most},
			{what: "memory at the end, to that after the first turn", ours: single(memory[len(memory)-1], inMiB), floor: single(memory[1], inMiB), ratio: flat, goal: ratioAtMost(1.15), judged: flat},
		},
		notes:  []string{where},
		charts: []chart{{file: "performance-memory", title: "Memory of the HTTP server under load", x: "seconds of load", y: "MiB", lines: []line{{"outline-mcp", growth}}}},
	}, err
}

// contenders returns the server, with settings, and the minimal one, with one
// workspace behind them.
type contenders struct {
	ours, floor *httpServer
	workspace   *process
	base        string
}

func (l *lab) contenders(ctx context.Context, settings ...string) (c contenders, err error) {
	defer func() {
		if err != nil {
			c.end()
		}
	}()
	if c.workspace, c.base, err = l.workspace(ctx, 0); err != nil {
		return c, err
	}
	if c.ours, err = l.serveHTTP(ctx, product, c.base, settings); err != nil {
		return c, err
	}
	c.floor, err = l.serveHTTP(ctx, bareHTTP, c.base, nil)
	return c, err
}

func (c contenders) end() {
	if c.ours != nil {
		_ = c.ours.end()
	}
	if c.floor != nil {
		_ = c.floor.end()
	}
	if c.workspace != nil {
		_ = c.workspace.end()
	}
}
