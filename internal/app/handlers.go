package app

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/app/mcptool"

	"outline-mcp/internal/app/suggest"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcp/jsonrpc"
	"outline-mcp/prompts"
	"outline-mcp/resources"
	"outline-mcp/views"
)

// completions complete the arguments of prompts and resource templates.
type completions struct {
	offer
	source *suggest.Source
}

// options make the server complete arguments.
func (c completions) options() []server.ServerOption {
	return []server.ServerOption{
		server.WithCompletions(),
		server.WithPromptCompletionProvider(mcptool.CompletionFunc(func(ctx context.Context, prompt string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(suggest.KindOf(argument.Name))(ctx, prompt, argument, given)
		})),
		server.WithResourceCompletionProvider(mcptool.CompletionFunc(func(ctx context.Context, uri string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(kindOfResource(uri, argument.Name))(ctx, uri, argument, given)
		})),
	}
}

// kindOfResource returns what the id in a URI template such as
// outline://documents/{id}{?start_line} identifies.
func kindOfResource(template, argument string) suggest.Kind {
	path, ours := strings.CutPrefix(template, "outline://")
	if !ours || argument != "id" {
		return ""
	}
	noun, _, _ := strings.Cut(path, "/")
	return suggest.KindOf(noun)
}

// complete returns the function that completes values of a kind. It suggests nothing
// unless a tool is offered that returns the same information.
func (c completions) complete(kind suggest.Kind) mcptool.CompletionFunc {
	for _, tool := range kind.Tools() {
		if _, offered := c.position[tool]; offered {
			return c.pipe.Completion(mcptool.Item{Name: string(kind), Tool: tool}, func(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
				return c.source.Complete(ctx, kind, argument.Value)
			})
		}
	}
	return func(context.Context, string, mcp.CompleteArgument, mcp.CompleteContext) (*mcp.Completion, error) {
		return &mcp.Completion{}, nil
	}
}

// newPrompts returns the prompts that the server offers. permitted may be nil.
func newPrompts(o Options, bound []mcptool.Bound, deps mcptool.Deps, permitted *permitted) *prompts.Offered {
	options := prompts.Options{Env: deps.Env, Tools: bound, Pipeline: deps.Pipeline, Collection: o.Config.PromptsCollection, Log: o.Log}
	if permitted != nil {
		options.Permitted = permitted.tools
	}
	return prompts.New(options)
}

// newResources returns the resources of the tools that are offered.
func newResources(o Options, deps mcptool.Deps, offered []mcptool.Tool, permitted *permitted, who *callers) *resources.Server {
	options := resources.Options{Env: deps.Env, Pipeline: deps.Pipeline, MaxChars: deps.Render.MaxChars, Tools: offered, SkillsCollection: o.Config.SkillsCollection, Log: o.Log, HasGuidance: func(ctx context.Context) bool { return who.guidance(ctx) != "" }}
	if deps.ShowsViews != nil {
		options.Views = viewsOf(offered)
	}
	if permitted != nil {
		options.Permitted = func(ctx context.Context) func(string) bool { return permitted.tools(ctx) }
	}
	return resources.New(options)
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

// answerUnreadable answers requests that the library cannot read with a sentence. The
// library repeats what the decoders of Go say, with the names of its own types.
func answerUnreadable(hooks *server.Hooks) {
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, _ any, err error) {
		if _, ok := errors.AsType[base64.CorruptInputError](err); ok {
			jsonrpc.Fail(ctx, jsonrpc.Failure{Code: mcp.INVALID_PARAMS, Message: string(method) + ": unknown cursor. Ask for the first page without a cursor."})
			return
		}
		if _, ok := errors.AsType[*server.UnparsableMessageError](err); !ok {
			return
		}
		about := "its parameters"
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			_, parameter, _ := strings.Cut(wrong.Field, "params.")
			about = cmp.Or(strings.TrimPrefix(parameter, "Alias."), about) // a type of the library
		}
		jsonrpc.Fail(ctx, jsonrpc.Failure{Code: mcp.INVALID_PARAMS, Message: string(method) + ": wrong type of " + about + ". Send what the MCP specification says."})
	})
}
