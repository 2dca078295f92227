// Package app wires the program together: configuration, Outline client,
// tools, MCP server and transports.
package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// Name is how the server introduces itself to clients. Clients set it before
// the names of tools, so it is short.
const Name = "outline"

// Options are what an App is made of.
type Options struct {
	Config  config.Config
	Demo    bool          // use the embedded workspace, whatever Config says of URL and key
	Version string        // of this program
	Log     *slog.Logger  // see NewLogger; nil discards
	NewID   func() string // makes the UUIDs of what is created; nil means random ones
	// Transport overrides how Outline is reached; nil makes one from Config.
	Transport http.RoundTripper
}

// App is the MCP server with its tools.
type App struct {
	config  config.Config
	demo    bool
	version string
	log     *slog.Logger
	bound   []mcptool.Bound
	server  *server.MCPServer
	outline upstream
	// operator acts with the server's own API key, if there is one.
	operator auth.Principal

	observer *observer
}

// New builds the server. It reaches no network, and reports a configuration
// that cannot work and tools whose schemas are broken.
func New(o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	watch := &observer{log: o.Log}
	to, err := newUpstream(o, watch.attempt)
	if err != nil {
		return nil, err
	}
	deps := mcptool.Deps{
		Outline: func(context.Context) (*outline.Client, error) { return to.client, nil },
		Render:  output.Renderer{Structured: o.Config.StructuredOutput, MaxChars: o.Config.MaxResponseChars, Log: o.Log},
		Log:     o.Log,
		Schemas: tools.Schemas(),
		Begin:   watch.begin,

		BatchConcurrency: o.Config.BatchConcurrency,
		RequestTimeout:   o.Config.RequestTimeout,
		NewID:            o.NewID,
	}
	if problems := CheckTools(o.Config); len(problems) > 0 {
		return nil, &config.Error{Problems: problems}
	}
	chosen, err := AccessOf(o.Config).Choose(tools.All())
	if err != nil {
		return nil, err
	}
	bound, err := mcptool.Bind(chosen, deps)
	if err != nil {
		return nil, err
	}
	if o.Config.Transport == config.HTTP {
		watch.metrics = newMetrics(o.Version, bound)
	}
	return &App{config: o.Config, demo: o.Demo, version: o.Version, log: o.Log, bound: bound, server: newServer(o, bound, to, watch), outline: to, operator: auth.ForOperator(auth.APIKey(to.Key.Reveal())), observer: watch}, nil
}

// Tools returns the tools that the server offers, in documentation order.
func (a *App) Tools() []mcptool.Bound { return a.bound }

// AsOperator returns a context whose calls act for the operator: with the
// server's own API key.
func (a *App) AsOperator(ctx context.Context) context.Context {
	return auth.NewContext(ctx, a.operator)
}

// Connect returns an initialized MCP client of the server in this process,
// which acts for the operator. The caller closes it.
func (a *App) Connect(ctx context.Context) (*client.Client, error) {
	c := client.NewClient(inProcess{transport.NewInProcessTransport(a.server), a})
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "outline-mcp", Version: a.version}
	if err := c.Start(ctx); err != nil {
		return nil, fmt.Errorf("start the client: %w", err)
	}
	if _, err := c.Initialize(ctx, request); err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return c, nil
}

// inProcess is a connection within this process, which acts for the operator.
type inProcess struct {
	*transport.InProcessTransport
	app *App
}

// SendRequest implements transport.Interface.
func (c inProcess) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return c.InProcessTransport.SendRequest(c.app.AsOperator(ctx), request)
}

func newServer(o Options, bound []mcptool.Bound, to upstream, watch *observer) *server.MCPServer {
	position := map[string]int{}
	for i, b := range bound {
		position[b.Name] = i
	}
	offer := newOffer(bound)
	hooks := &server.Hooks{}
	offer.instruct(hooks)
	watch.unknownTool(hooks)
	if o.Config.DynamicToolList {
		newPermitted(bound, to, o.Log).list(hooks)
	}
	options := []server.ServerOption{
		server.WithTitle("Outline"),
		server.WithInstructions(tools.Instructions(bound)),
		server.WithToolCapabilities(false), // the list never changes while the server runs
		server.WithHooks(hooks),
		server.WithToolHandlerMiddleware(deadline(o.Config.CallTimeout)),
		server.WithToolHandlerMiddleware(traced),
		server.WithToolFilter(offer.narrow),
		server.WithToolFilter(func(_ context.Context, list []mcp.Tool) []mcp.Tool {
			slices.SortFunc(list, func(a, b mcp.Tool) int { return cmp.Compare(position[a.Name], position[b.Name]) })
			return list
		}),
	}
	if o.Log.Enabled(context.Background(), slog.LevelDebug) {
		options = append(options, server.WithLogger(slog.New(demoted{o.Log.Handler()}))) // one line for each request, without arguments
	}
	s := server.NewMCPServer(Name, o.Version, options...)
	all := make([]server.ServerTool, len(bound))
	for i, b := range bound {
		all[i] = b.ServerTool
	}
	s.AddTools(all...) // together: the library copies its table each time
	return s
}

// deadline bounds a whole tool call, so that an answer comes before the
// client gives up waiting for one.
func deadline(limit time.Duration) server.ToolHandlerMiddleware {
	return func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
		return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			return next(ctx, request)
		}
	}
}
