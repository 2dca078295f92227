// Command bare is the least that the MCP library makes of a server, to measure the program
// beside it.
//
// On standard input and output, it has one tool with a constant answer. With
// MCP_TRANSPORT=http it is a server for a team on loopback, at MCP_PORT: streamable HTTP
// without sessions, and one tool that asks the Outline at OUTLINE_API_URL for a document
// with plain net/http and answers with its title.
package main

import (
	"context"
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
