package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

func runLeave(ctx context.Context, l *lab) (result, error) {
	const leaving = 200
	slow, base, err := l.workspace(ctx, 2*time.Second)
	if err != nil {
		return result{}, err
	}
	defer slow.end()
	server, err := l.serveHTTP(ctx, product, base, nil)
	if err != nil {
		return result{}, err
	}
	defer server.end()
	// One call that is answered, for what stays in any case: a connection to
	// Outline.
	first := newClient(1)
	if err := server.target("read_document").call(ctx, first, userKey(0)); err != nil {
		return result{}, err
	}
	first.CloseIdleConnections()
	http.DefaultClient.CloseIdleConnections()
	before, err := server.settled(ctx, "go_goroutines", 0)
	if err != nil {
		return result{}, err
	}

	impatient, leave := context.WithCancel(ctx)
	defer leave()
	client := newClient(leaving)
	var all sync.WaitGroup
	for n := range int64(leaving) {
		all.Go(func() { _ = server.target("read_document").call(impatient, client, userKey(n)) })
	}
	running, err := server.reaches(ctx, "outline_mcp_tool_calls_in_flight", leaving)
	if err != nil {
		return result{}, err
	}
	leave()
	all.Wait()
	client.CloseIdleConnections() // a connection that was not ready in time for its call stays open otherwise
	if running < leaving/2 {
		return result{}, fmt.Errorf("only %.0f of %d calls were running", running, leaving)
	}
	after, err := server.settled(ctx, "go_goroutines", before)
	if err != nil {
		return result{}, err
	}
	left := max(0, after-before)
	return result{rows: []row{
		{what: fmt.Sprintf("goroutines 2 s after %d clients left, above idle", leaving), ours: single(after, plain), floor: single(before, plain), goal: atMost(0, plain), judged: left},
	}}, nil
}

// metric returns a value of /metrics.
func (s *httpServer) metric(ctx context.Context, name string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), name+" "); found {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("/metrics has no %s", name)
}

// settled returns a metric when it is at most limit, or after 2 s. Without a
// limit, it returns the minimum within a second.
func (s *httpServer) settled(ctx context.Context, name string, limit float64) (float64, error) {
	length := 2 * time.Second
	if limit == 0 {
		length = time.Second
	}
	least := 1e9
	for deadline := time.Now().Add(length); time.Now().Before(deadline) && least > limit; time.Sleep(50 * time.Millisecond) {
		value, err := s.metric(ctx, name)
		if err != nil {
			return 0, err
		}
		least = min(least, value)
	}
	return least, nil
}

// reaches returns a metric when it is at least goal, or after a second.
func (s *httpServer) reaches(ctx context.Context, name string, goal float64) (float64, error) {
	most := 0.0
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline) && most < goal; time.Sleep(10 * time.Millisecond) {
		value, err := s.metric(ctx, name)
		if err != nil {
			return 0, err
		}
		most = max(most, value)
	}
	return most, nil
}
