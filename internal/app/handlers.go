package app

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/config"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/mcptool"
	"outline-mcp/prompts"
	"outline-mcp/resources"
	"outline-mcp/views"
)

// completions complete the arguments of prompts and resource templates.
type completions struct {
	offer
	source *mcptool.Suggestions
}

// options make the server complete arguments.
func (c completions) options() []server.ServerOption {
	return []server.ServerOption{
		server.WithCompletions(),
		server.WithPromptCompletionProvider(mcptool.CompletionFunc(func(ctx context.Context, prompt string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(mcptool.ValueKindOf(argument.Name))(ctx, prompt, argument, given)
		})),
		server.WithResourceCompletionProvider(mcptool.CompletionFunc(func(ctx context.Context, uri string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(kindOfResource(uri, argument.Name))(ctx, uri, argument, given)
		})),
	}
}

// kindOfResource returns what the id in a URI template such as
// outline://documents/{id}{?start_line} identifies.
func kindOfResource(template, argument string) mcptool.ValueKind {
	path, ours := strings.CutPrefix(template, "outline://")
	if !ours || argument != "id" {
		return ""
	}
	noun, _, _ := strings.Cut(path, "/")
	return mcptool.ValueKindOf(noun)
}

// complete returns the function that completes values of a kind. It suggests nothing
// unless a tool is offered that returns the same information.
func (c completions) complete(kind mcptool.ValueKind) mcptool.CompletionFunc {
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

// prompts returns the prompts that the server offers. permitted may be nil.
func (w wiring) prompts(permitted *permittedTools) *prompts.Offered {
	o := prompts.Options{
		Env: w.deps.Env, Tools: w.bound, Pipeline: w.deps.Pipeline, Collection: w.options.Config.PromptsCollection, Log: w.options.Log,
	}
	if permitted != nil {
		o.Permitted = permitted.tools
	}
	return prompts.New(o)
}

// resources returns the resources of the tools that are offered. permitted may be nil.
func (w wiring) resources(permitted *permittedTools) *resources.Server {
	o := resources.Options{
		Env: w.deps.Env, Pipeline: w.deps.Pipeline, MaxChars: w.deps.Pipeline.MaxChars, Tools: w.chosen,
		SkillsCollection: w.options.Config.SkillsCollection, Log: w.options.Log,
		HasGuidance: func(ctx context.Context) bool { return w.callers.guidance(ctx) != "" },
	}
	if w.deps.ShowsViews != nil {
		o.Views = viewsOf(w.chosen)
	}
	if permitted != nil {
		o.Permitted = func(ctx context.Context) func(string) bool { return permitted.tools(ctx) }
	}
	return resources.New(o)
}

// withResources returns the options of a server with resources, and adds what they
// need to its hooks.
func withResources(r *resources.Server, hooks *server.Hooks, shows func(context.Context) bool) []server.ServerOption {
	if !r.Offered() {
		return nil
	}
	r.Listen(hooks)
	if r.OnlyViews() {
		announceViews(hooks, shows)
	}
	return append(resources.CacheHints(), server.WithResourceCapabilities(false, false)) // no notifications of changes
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
			wire.Fail(ctx, wire.Failure{Code: mcp.INVALID_PARAMS, Message: string(method) + ": unknown cursor. Ask for the first page without a cursor."})
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
		wire.Fail(ctx, wire.Failure{Code: mcp.INVALID_PARAMS, Message: string(method) + ": wrong type of " + about + ". Send what the MCP specification says."})
	})
}

// A wiring is what the MCP server is made of.
type wiring struct {
	options     Options
	chosen      []mcptool.Tool // by the operator
	bound       []mcptool.Bound
	upstream    upstreamClient
	callers     *callers
	deps        mcptool.Deps
	suggestions *mcptool.Suggestions
	noAI        *withoutAI
}

// server returns the MCP server, and the methods that it does not know itself.
func (w wiring) server() (*server.MCPServer, wire.Methods) {
	o, pipe := w.options, w.deps.Pipeline
	offer := newOffer(w.bound, pipe)
	hooks := &server.Hooks{}
	answerUnreadable(hooks)
	offer.explain(hooks, AccessOf(o.Config))
	newIdentity(o, w.upstream).introduce(hooks)
	pipe.RecordUnknown(hooks)
	offer.define(hooks)
	w.noAI.list(hooks, offer)
	offer.show(hooks, w.deps.ShowsViews)
	var permitted *permittedTools
	if o.Config.DynamicToolList {
		permitted = newPermitted(w.bound, w.upstream, o.Log)
		permitted.list(hooks)
	}
	readable := w.resources(permitted)
	offer.instruct(hooks, w.callers, !readable.OnlyViews())
	offered := w.prompts(permitted)
	offered.Hook(hooks)
	options := []server.ServerOption{
		server.WithTitle(title),
		server.WithToolCapabilities(false), // the list never changes while the server runs
		server.WithHooks(hooks),
		server.WithToolFilter(offer.choose),
		prompts.CacheHint(),
		server.WithMethodCacheHints(mcp.MethodToolsList, 60_000, mcp.CacheScopePrivate),
	}
	options = append(options, completions{offer, w.suggestions}.options()...)
	if o.Log.Enabled(context.Background(), slog.LevelDebug) {
		options = append(options, server.WithLogger(slog.New(debugHandler{o.Log.Handler()}))) // one line for each request, without arguments
	}
	options = append(options, withResources(readable, hooks, w.deps.ShowsViews)...)
	var methods wire.Methods
	if !readable.OnlyViews() {
		methods = skillMethods(readable)
		options = append(options, server.WithExtensions(map[string]any{resources.SkillsExtension: struct{}{}}))
	}
	s := server.NewMCPServer(Name, o.Version, options...)
	if readable.Offered() {
		readable.AddTo(s)
	}
	all := make([]server.ServerTool, len(w.bound))
	for i, b := range w.bound {
		// The library reads the schema. Lists get the whole definition from offer.define.
		all[i] = server.ServerTool{Tool: mcp.Tool{Name: b.Name, RawInputSchema: json.RawMessage("{}")}, Handler: b.Handler}
	}
	s.AddTools(all...) // in one call, because the library copies its table each time
	offered.Register(s)
	return s, methods
}

// An identity is what clients show of the server.
type identity mcp.Implementation

// newIdentity returns the identity of a server. Its website is the wiki that it opens:
// the program has none. The embedded workspace has no pages.
func newIdentity(o Options, to upstreamClient) identity {
	i := identity{Name: Name, Title: title, Version: o.Version}
	if !o.Demo {
		i.WebsiteURL = to.client.AbsoluteURL("/")
	}
	return i
}

// introduce makes the identity part of the first answer of the server. As options of
// the library, website and icons would be part of every answer from protocol version
// 2026-07-28 on.
func (i identity) introduce(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(_ context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.ServerInfo = i.withIcons()
	})
	hooks.AddAfterDiscover(func(_ context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.EnsureResultMeta().SetServerInfo(i.withIcons())
	})
}

// withIcons makes the icons when a client asks, not at every start.
func (i identity) withIcons() mcp.Implementation {
	i.Icons = mcptool.ServerIcons()
	return mcp.Implementation(i)
}

// iconsOf returns the function that gives each tool the icon of its group, or nil
// unless the operator asks for icons, which take up room in tools/list.
func iconsOf(wanted bool) func(mcptool.Group) []mcp.Icon {
	if !wanted {
		return nil
	}
	return func(group mcptool.Group) []mcp.Icon { return mcptool.Icons(string(group)) }
}
