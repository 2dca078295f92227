// Command bare is the least that the MCP library makes of a server, to measure the program
// beside it.
//
// On standard input and output, it has one tool with a constant answer. With
// MCP_TRANSPORT=http it is a server for a team on loopback, at MCP_PORT: streamable HTTP
// without sessions, and one tool that asks the Outline at OUTLINE_API_URL for a document
// with plain net/http and answers with its title.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	if os.Getenv("MCP_TRANSPORT") == "http" {
		log.Fatal(http.ListenAndServe(net.JoinHostPort("127.0.0.1", os.Getenv("MCP_PORT")), handler(os.Getenv("OUTLINE_API_URL"))))
	}
	s := server.NewMCPServer("bare", "1")
	s.AddTool(mcp.NewTool("title"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("constant"), nil
	})
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}

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
