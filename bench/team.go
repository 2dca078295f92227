package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const clients = 64

// runTeam lets 64 clients read a small document over HTTP, each again as soon as
// it has its answer, with the keys of 1,000 users in turn.
func runTeam(ctx context.Context, l *lab) error {
	c, err := l.contenders(ctx)
	if err != nil {
		return err
	}
	defer c.end()
	var rate, floorRate, memory []float64
	var p99, floorP99 []time.Duration
	for turn := range l.turns(10) + 1 {
		for _, server := range []struct {
			*httpServer
			tool string
			rate *[]float64
			p99  *[]time.Duration
		}{{c.ours, "read_document", &rate, &p99}, {c.floor, "title", &floorRate, &floorP99}} {
			took, err := load(ctx, server.target(server.tool), time.Duration(l.turns(5))*time.Second)
			if err != nil {
				return err
			}
			if turn > 0 { // the first warms up
				*server.rate = append(*server.rate, float64(len(took))/float64(l.turns(5)))
				*server.p99 = append(*server.p99, quantile(took, 0.99))
			}
		}
		resident, err := c.ours.resident()
		if err != nil {
			return err
		}
		memory = append(memory, resident)
	}
	compare(l, "calls a second of 64 clients, beside the minimal server", rate, floorRate, func(n float64) string { return fmt.Sprintf("%.0f", n) })
	compare(l, "the slowest hundredth of the calls", p99, floorP99, duration)
	l.row("memory with 1,000 keys, the most", mebibytes(quantile(memory, 1)), "", "")
	return nil
}

// load makes the clients call a server concurrently for a length of time, and
// returns what the calls took. A call that fails is an error.
func load(ctx context.Context, t target, length time.Duration) (took []time.Duration, err error) {
	client := newClient(clients)
	defer client.CloseIdleConnections()
	var next atomic.Int64
	var mu sync.Mutex
	var all errgroup.Group
	until := time.Now().Add(length)
	for range clients {
		all.Go(func() error {
			var own []time.Duration
			for time.Now().Before(until) {
				begin := time.Now()
				if err := t.call(ctx, client, userKey(next.Add(1))); err != nil {
					return err
				}
				own = append(own, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			took = append(took, own...)
			return nil
		})
	}
	err = all.Wait()
	return took, err
}

// contenders are the server, with settings, and the minimal one, with one
// workspace behind them.
type contenders struct {
	ours, floor *httpServer
	outline     *process
	base        string
}

func (l *lab) contenders(ctx context.Context) (c contenders, err error) {
	defer func() {
		if err != nil {
			c.end()
		}
	}()
	if c.outline, c.base, err = l.workspace(ctx, 0); err != nil {
		return c, err
	}
	for server, name := range map[**httpServer]string{&c.ours: product, &c.floor: bare} {
		port, err := freePort()
		if err != nil {
			return c, err
		}
		if *server, err = l.serveHTTP(ctx, name, port, "OUTLINE_API_URL="+c.base); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (c contenders) end() {
	if c.ours != nil {
		_ = c.ours.end()
	}
	if c.floor != nil {
		_ = c.floor.end()
	}
	if c.outline != nil {
		_ = c.outline.end()
	}
}
