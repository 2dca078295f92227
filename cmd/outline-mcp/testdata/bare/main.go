// Command bare is the least that the MCP library makes of a stdio server: one
// tool with a constant answer. It is the floor that the program is measured
// against.
package main

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("bare", "1")
	s.AddTool(mcp.NewTool("bare"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("constant"), nil
	})
	if err := server.ServeStdio(s); err != nil {
		panic(err)
	}
}
