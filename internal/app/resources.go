package app

import (
	"context"

	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/resources"
)

// newResources returns the resources of the tools that are offered.
func newResources(deps mcptool.Deps, offered []mcptool.Tool, permitted *permitted) *resources.Server {
	o := resources.Options{Env: deps.Env, Pipeline: deps.Pipeline, MaxChars: deps.Render.MaxChars, Tools: offered}
	if deps.ShowsViews != nil {
		o.Views = viewsOf(offered)
	}
	if permitted != nil {
		o.Permitted = func(ctx context.Context) func(string) bool { return permitted.tools(ctx) }
	}
	return resources.New(o)
}

// withResources returns the options of a server with resources, and adds what they
// and subscriptions to them need to its hooks.
func withResources(r *resources.Server, changes *updates, transport config.Transport, hooks *server.Hooks, shows func(context.Context) bool) []server.ServerOption {
	if !r.Offered() {
		return nil
	}
	r.Listen(hooks)
	if r.OnlyViews() {
		announceViews(hooks, shows)
	}
	changes.serve(transport, hooks)
	return append(resources.CacheHints(), server.WithResourceCapabilities(true, false)) // without notifications of changes to the list
}
