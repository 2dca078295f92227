// Command stdio is the least that the MCP library makes of a server on
// standard input and output: one tool with a constant answer.
package main

import (
	"context"
	"log"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("bare", "1")
	s.AddTool(mcp.NewTool("title"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("constant"), nil
	})
	if err := server.ServeStdio(s); err != nil {
		log.Fatal(err)
	}
}
