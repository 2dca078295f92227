package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	smallDocument = "1wPyxUCdt9" // of the sample workspace, 550 characters
	smallTitle    = "Friday soup"

	smallCollection  = "jXipYDGoQz"                           // the one of the small document
	sampleCollection = "8441e5d2-7545-4078-bd93-c21942e16c7f" // another one

	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
)

type arguments = map[string]any

// toolsCall is the request that calls a tool.
func toolsCall(id int, tool string, given arguments) string {
	request, err := json.Marshal(arguments{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": arguments{"name": tool, "arguments": given}})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return string(request)
}

// A target is a server that is called over HTTP, and the call.
type target struct {
	url  string
	body []byte
}

func (s *httpServer) target(tool string) target {
	return target{s.url + "/mcp", []byte(toolsCall(1, tool, arguments{"document_id": smallDocument}))}
}

// userKey is the key of one of a thousand users.
func userKey(n int64) string { return fmt.Sprintf("ol_api_demo_user_%d", n%1000+1) }

// call makes one call over HTTP and returns an error for a wrong answer.
func (t target) call(ctx context.Context, client *http.Client, key string) error {
	return answered(t.ask(ctx, client, key))
}

// ask makes one call over HTTP and returns the body of the answer.
func (t target) ask(ctx context.Context, client *http.Client, key string) ([]byte, error) {
	return send(ctx, client, t.url, t.body, map[string]string{
		"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2025-11-25", "X-Outline-API-Key": key,
	})
}

// post requests the small document directly from Outline.
func post(ctx context.Context, client *http.Client, base string) error {
	return answered(askOutline(ctx, client, base, "documents.info", userKey(0), `{"id":"`+smallDocument+`"}`))
}

func answered(body []byte, err error) error {
	if err != nil {
		return err
	}
	return checkSmall(body)
}

// askOutline calls an endpoint of Outline's API and returns the answer.
func askOutline(ctx context.Context, client *http.Client, base, endpoint, key, body string) ([]byte, error) {
	return send(ctx, client, base+"/"+endpoint, []byte(body), map[string]string{"Accept": "application/json", "Authorization": "Bearer " + key})
}

// send posts JSON with additional headers and returns the answer, which must
// have status 200.
func send(ctx context.Context, client *http.Client, url string, body []byte, headers map[string]string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.200s", url, response.StatusCode, answer)
	}
	return answer, err
}

// checkSmall checks that an answer is the small document or its title.
func checkSmall(answer []byte) error {
	if !bytes.Contains(answer, []byte(smallTitle)) || bytes.Contains(answer, []byte(`"isError":true`)) {
		return fmt.Errorf("the answer is %.300s", answer)
	}
	return nil
}

// newClient returns an HTTP client for that many concurrent callers.
func newClient(callers int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers, MaxIdleConns: callers}, Timeout: 60 * time.Second}
}

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
	compare(l, "the slowest 1 % of calls", p99, floorP99, duration)
	l.row("peak memory with 1,000 keys", mebibytes(quantile(memory, 1)), "", "")
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
