package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// smallCollection is the collection of the small document.
const smallCollection = "jXipYDGoQz"

func runListeners(ctx context.Context, l *lab) (result, error) {
	const listeners, subjects = 500, 100
	length := pick(l, 2*time.Minute, 20*time.Second)
	workspace, base, err := l.workspace(ctx, 0)
	if err != nil {
		return result{}, err
	}
	defer workspace.end()
	server, err := l.serveHTTP(ctx, product, base, nil)
	if err != nil {
		return result{}, err
	}
	defer server.end()
	if err := server.target("read_document").call(ctx, newClient(1), userKey(0)); err != nil {
		return result{}, err
	}
	idle, err := server.resident()
	if err != nil {
		return result{}, err
	}
	listening, leave := context.WithCancel(ctx)
	defer leave()
	client := &http.Client{Transport: &http.Transport{}}
	for n := range int64(listeners) {
		if err := server.listen(listening, client, userKey(n%subjects)); err != nil {
			return result{}, fmt.Errorf("listener %d: %w", n, err)
		}
	}
	before, err := server.outlineRequests(ctx)
	if err != nil {
		return result{}, err
	}
	most := 0.0
	begun := time.Now()
	for time.Since(begun) < length {
		time.Sleep(time.Second)
		resident, err := server.resident()
		if err != nil {
			return result{}, err
		}
		most = max(most, resident)
	}
	took := time.Since(begun).Seconds()
	after, err := server.outlineRequests(ctx)
	if err != nil {
		return result{}, err
	}
	// A subject whose listeners need three lists of Outline is polled every 7/3 s.
	const interval = 7.0 / 3
	rate := (after - before) / took
	return result{rows: []row{
		{what: fmt.Sprintf("memory with %d listeners, above that when idle", listeners), ours: single(most-idle, inMiB), goal: atMost(60, inMiB), judged: most - idle},
		{what: fmt.Sprintf("requests to Outline for %d subjects", subjects), ours: single(rate, perSecond), floor: single(subjects/interval, perSecond), ratio: rate / (subjects / interval), goal: ratioAtMost(1.05), judged: rate / (subjects / interval)},
	}}, nil
}

// listen opens a stream for changes to four resources, which lasts as long as ctx, and
// returns when it is acknowledged.
func (s *httpServer) listen(ctx context.Context, client *http.Client, key string) error {
	const document = `"outline://documents/` + smallDocument
	body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":[` +
		document + `",` + document + `/outline",` + document + `/comments","outline://collections/` + smallCollection + `"]},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/mcp", strings.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "text/event-stream, application/json",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen", "X-Outline-API-Key": key} {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	stream := bufio.NewReader(response.Body)
	for {
		line, err := stream.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the stream ends with %w", err)
		}
		if bytes.HasPrefix(line, []byte("data: ")) {
			if bytes.Count(line, []byte("outline://")) != 4 {
				return fmt.Errorf("the stream begins with %.300s", line)
			}
			break
		}
	}
	go func() {
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, stream)
	}()
	return nil
}

// outlineRequests returns how many requests to Outline the server has made.
func (s *httpServer) outlineRequests(ctx context.Context) (total float64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "outline_mcp_outline_requests_total{") {
			fields := strings.Fields(lines.Text())
			value, err := strconv.ParseFloat(fields[len(fields)-1], 64)
			if err != nil {
				return 0, err
			}
			total += value
		}
	}
	return total, lines.Err()
}
