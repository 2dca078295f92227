package app

import "github.com/mark3labs/mcp-go/server"

// MCPOf returns the server of an app, for tests of how it is reached.
func MCPOf(a *App) *server.MCPServer { return a.server }
