package app

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/views"
)

// showsViews returns whether the client of a request gets views. It is nil if none does,
// or if no tool that is offered has a view.
func showsViews(v config.Views, offered []mcptool.Tool) func(context.Context) bool {
	switch {
	case len(viewsOf(offered)) == 0:
		return nil
	case v == "on":
		return func(context.Context) bool { return true }
	case v == "auto":
		return views.Shown
	}
	return nil
}

// viewsOf returns the views of tools.
func viewsOf(offered []mcptool.Tool) []views.View {
	return slices.DeleteFunc(views.All(), func(v views.View) bool {
		return !slices.ContainsFunc(offered, func(tool mcptool.Tool) bool { return tool.Info().View == v })
	})
}

// show adds the views of tools to lists, for clients that get them (SEP-1865, resource
// discovery).
func (o offer) show(hooks *server.Hooks, shows func(context.Context) bool) {
	if shows == nil {
		return
	}
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		if !shows(ctx) {
			return
		}
		for i, tool := range result.Tools {
			view := o.bound[o.position[tool.Name]].View
			if view == "" {
				continue
			}
			meta := map[string]any{"ui": map[string]any{"resourceUri": view.URI()}}
			if tool.Meta != nil { // all requests share it
				for key, value := range tool.Meta.AdditionalFields {
					meta[key] = value
				}
			}
			result.Tools[i].Meta = &mcp.Meta{AdditionalFields: meta}
		}
	})
}

// announceViews announces resources only to clients that get views, where views are the
// only resources.
func announceViews(hooks *server.Hooks, shows func(context.Context) bool) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		if !shows(ctx) {
			result.Capabilities.Resources = nil
		}
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		if !shows(ctx) {
			result.Capabilities.Resources = nil
		}
	})
}
