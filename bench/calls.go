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
)

const (
	smallDocument = "1wPyxUCdt9" // of the sample workspace, 550 characters
	smallTitle    = "Friday soup"

	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
)

type arguments = map[string]any

// toolsCall is the request that calls a tool.
func toolsCall(id int, tool string, arguments map[string]any) string {
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments}})
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
	return target{s.url + "/mcp", []byte(toolsCall(1, tool, map[string]any{"document_id": smallDocument}))}
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

// A window is what happened while callers made calls, each as soon as it had
// its last answer.
type window struct {
	perSecond float64
	latencies sample  // in seconds
	cpu       float64 // seconds of the server's processor time a call
	failed    int
	failure   error // one of them
}

// load makes callers call a server concurrently, each as soon as it has its
// answer, with a thousand keys in turn.
func load(ctx context.Context, server *httpServer, t target, callers int, length time.Duration) (window, error) {
	client := newClient(callers)
	defer client.CloseIdleConnections()
	// First, each makes a call that does not count, to open the connections.
	var mu sync.Mutex
	var w window
	var next atomic.Int64
	each(callers, func() {
		if err := t.call(ctx, client, userKey(next.Add(1))); err != nil {
			mu.Lock()
			defer mu.Unlock()
			w.failed, w.failure = w.failed+1, err
		}
	})
	before, err := server.cpu()
	if err != nil {
		return window{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	begin := time.Now()
	each(callers, func() {
		var latencies sample
		var failures []error
		for ctx.Err() == nil {
			start := time.Now()
			err := t.call(context.WithoutCancel(ctx), client, userKey(next.Add(1)))
			latencies = append(latencies, time.Since(start).Seconds())
			if err != nil {
				failures = append(failures, err)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		w.latencies = append(w.latencies, latencies...)
		w.failed += len(failures)
		if len(failures) > 0 {
			w.failure = failures[0]
		}
	})
	after, err := server.cpu()
	if err != nil {
		return window{}, err
	}
	w.perSecond = float64(len(w.latencies)) / time.Since(begin).Seconds()
	w.cpu = (after - before) / float64(len(w.latencies))
	return w, nil
}

// each runs a function that many times concurrently, and waits for all.
func each(count int, run func()) {
	var all sync.WaitGroup
	for range count {
		all.Go(run)
	}
	all.Wait()
}
