package app

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/config"
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/mcptool"
)

// MCPOf returns the server of an app, for tests of how it is reached.
func MCPOf(a *App) *server.MCPServer { return a.server }

// PipelineOf returns the pipeline of the requests of an app with these settings.
func PipelineOf(c config.Config) mcptool.Pipeline {
	return newPipeline(Options{Config: c}, AccessOf(c), nil)
}

// HandlerOf returns the HTTP handler of an app.
func HandlerOf(a *App) (http.Handler, error) {
	server, err := httpd.New(a.httpOptions())
	if err != nil {
		return nil, err
	}
	return server.Handler(true), nil
}

// Ready returns an error if Outline does not answer, as /health reports it.
func (a *App) Ready(ctx context.Context) error { return a.outline.reachable(ctx) }
