package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"outline-mcp/internal/hostile"
)

// What is sent: so many requests a second, each twentieth of them hostile.
const (
	abuseRate    = 100
	abuseCallers = 32
)

// runAbuse measures what honest callers notice of hostile ones, and whether the
// server's memory goes back.
func runAbuse(ctx context.Context, l *lab) (result, error) {
	length := pick(l, l.length, min(l.length, 15*time.Second))
	workspace, base, err := l.workspace(ctx, 10*time.Millisecond)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = workspace.end() }()
	s, err := l.serveHTTP(ctx, product, base, nil)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = s.end() }()
	honest := s.target("read_document")
	if err := honest.call(ctx, http.DefaultClient, userKey(0)); err != nil {
		return result{}, err
	}
	idle, _, err := hostile.Memory(s.cmd.Process.Pid)
	if err != nil {
		return result{}, err
	}
	sent := abuse(ctx, s, honest, length)
	_, most, err := hostile.Memory(s.cmd.Process.Pid)
	if err != nil {
		return result{}, err
	}
	if err := honest.call(ctx, http.DefaultClient, userKey(0)); err != nil {
		return result{}, fmt.Errorf("afterwards: %w", err)
	}
	end, _, err := hostile.Memory(s.cmd.Process.Pid)
	if err != nil {
		return result{}, err
	}
	if sent.failure != nil {
		fmt.Fprintln(l.log, "an honest call failed:", sent.failure)
	}
	const mib = 1 << 20
	above, kept := float64(most-idle)/mib, float64(end-idle)/mib
	return result{rows: []row{
		{what: "length", ours: single(length.Seconds(), inSeconds)},
		{what: "honest calls", ours: single(float64(len(sent.latencies)), plain)},
		{what: "hostile requests", ours: single(float64(sent.hostile), plain)},
		{what: "honest calls that failed", ours: single(float64(sent.failed), plain), goal: atMost(0, plain), judged: float64(sent.failed)},
		{what: "an honest call", ours: sent.latencies.figure(inSeconds)},
		{what: "memory above idle, the most", ours: single(above, inMiB), goal: atMost(150, inMiB), judged: above},
		{what: "memory above idle, at the end", ours: single(kept, inMiB), goal: atMost(150, inMiB), judged: kept},
	}, notes: []string{fmt.Sprintf("The hostile requests were answered %s (0: closed while they were sent).", sent.answers)}}, nil
}

// abused is what happened.
type abused struct {
	mu        sync.Mutex
	latencies sample // of honest calls, in seconds
	failed    int
	failure   error // one of them
	hostile   int
	answers   hostile.Sent
}

func abuse(ctx context.Context, s *httpServer, honest target, length time.Duration) *abused {
	var bodies [][]byte
	for _, shape := range hostile.Shapes() {
		bodies = append(bodies, shape.Body(8<<20-1024), shape.Body(250<<10))
	}
	client := newClient(abuseCallers)
	defer client.CloseIdleConnections()
	until, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	sent := &abused{answers: hostile.Sent{}}
	numbers := make(chan int)
	go func() {
		defer close(numbers)
		pace := time.NewTicker(time.Second / abuseRate)
		defer pace.Stop()
		for n := range int(length.Seconds() * abuseRate) {
			select {
			case <-pace.C:
				numbers <- n
			case <-until.Done():
				return
			}
		}
	}()
	each(abuseCallers, func() {
		for n := range numbers {
			if n%20 == 0 {
				key := func(int) string { return hostile.Key(n) }
				if n%60 == 0 {
					key = func(int) string { return userKey(0) } // one that Outline accepts
				}
				sent.attacked(hostile.Flood(ctx, s.url+"/mcp", bodies[n/20%len(bodies):][:1], 1, 1, key))
				continue
			}
			begin := time.Now()
			err := honest.call(ctx, client, userKey(int64(n)))
			sent.called(time.Since(begin), err)
		}
	})
	return sent
}

func (s *abused) attacked(answers hostile.Sent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hostile++
	for status, number := range answers {
		s.answers[status] += number
	}
}

func (s *abused) called(took time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latencies = append(s.latencies, took.Seconds())
	if err != nil {
		s.failed++
		s.failure = err
	}
}
