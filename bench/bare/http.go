package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// handler returns the server over HTTP: the MCP endpoint at /mcp, and /health. The
// address of Outline's API is base; each request brings its key in
// X-Outline-API-Key.
func handler(base string) http.Handler {
	s := server.NewMCPServer("bare", "1", server.WithToolCapabilities(false))
	o := outline{
		url:    base + "/documents.info",
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}},
	}
	s.AddTool(mcp.NewTool("title", mcp.WithString("document_id", mcp.Required())), o.title)
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.NewStreamableHTTPServer(s, server.WithStateLess(true), server.WithDisableStreaming(true)))
	mux.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	return mux
}

type outline struct {
	url    string
	client *http.Client
}

func (o outline) title(ctx context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	body, err := json.Marshal(map[string]string{"id": call.GetString("document_id", "")})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+call.Header.Get("X-Outline-API-Key"))
	response, err := o.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("outline answers with status %d", response.StatusCode)
	}
	var answer struct {
		Data struct {
			Title string `json:"title"`
		} `json:"data"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, err
	}
	return mcp.NewToolResultText(answer.Data.Title), nil
}
