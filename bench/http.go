package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
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
