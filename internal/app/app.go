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
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/config"
	"outline-mcp/internal/workspace"
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
	Log     *slog.Logger  // nil discards
	NewID   func() string // makes the UUIDs of what is created; nil means random ones
	// Transport overrides how Outline is reached; nil makes one from Config.
	Transport http.RoundTripper
}

// App is the MCP server with its tools.
type App struct {
	config  config.Config
	version string
	log     *slog.Logger
	bound   []tools.Bound
	server  *server.MCPServer
}

// New builds the server. It reaches no network, and reports a configuration
// that cannot work and tools whose schemas are broken.
func New(o Options) (*App, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = slog.New(shortened{o.Log.Handler()})
	outlineClient, err := newOutlineClient(o)
	if err != nil {
		return nil, err
	}
	deps := tools.Deps{
		Outline: func(context.Context) (*outline.Client, error) { return outlineClient, nil },
		Render:  output.Renderer{Structured: o.Config.StructuredOutput, MaxChars: o.Config.MaxResponseChars, Log: o.Log},
		Log:     o.Log,

		BatchConcurrency: o.Config.BatchConcurrency,
		RequestTimeout:   o.Config.RequestTimeout,
		NewID:            o.NewID,
	}
	chosen, err := accessOf(o.Config).Choose(tools.All())
	if err != nil {
		return nil, err
	}
	bound, err := tools.Bind(chosen, deps)
	if err != nil {
		return nil, err
	}
	return &App{config: o.Config, version: o.Version, log: o.Log, bound: bound, server: newServer(o, bound)}, nil
}

// Tools returns the tools that the server offers, in documentation order.
func (a *App) Tools() []tools.Bound { return a.bound }

// Connect returns an initialized MCP client of the server in this process. The
// caller closes it.
func (a *App) Connect(ctx context.Context) (*client.Client, error) {
	c, err := client.NewInProcessClient(a.server)
	if err != nil {
		return nil, fmt.Errorf("connect a client: %w", err)
	}
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

func accessOf(c config.Config) tools.Access {
	return tools.Access{ReadOnly: c.ReadOnly, NoDelete: c.DisableDelete, NoAI: c.DisableAITools, Only: c.Tools, Except: c.ExcludeTools}
}

func newOutlineClient(o Options) (*outline.Client, error) {
	options := outline.Options{
		Key:            o.Config.APIKey.Reveal(),
		UserAgent:      "outline-mcp/" + o.Version,
		Transport:      o.Transport,
		RequestTimeout: o.Config.RequestTimeout,
		MaxRetries:     o.Config.MaxRetries,
		MaxRetryWait:   o.Config.MaxRetryWait,
		MaxAnswerBytes: int64(o.Config.MaxAnswerBytes),
		Log:            o.Log,
	}
	if o.Demo {
		demo, err := workspace.New(workspace.Options{})
		if err != nil {
			return nil, err
		}
		options.BaseURL, options.Key, options.Transport = workspace.BaseURL, workspace.AdminKey, demo.Transport()
		return outline.New(options)
	}
	base, err := outline.ParseBaseURL(o.Config.APIURL)
	if err != nil {
		return nil, fmt.Errorf("OUTLINE_API_URL: %w", err)
	}
	options.BaseURL = base
	if options.Transport == nil {
		transport, err := outline.NewTransport(outline.TransportOptions{CAFile: o.Config.CAFile, SkipVerify: !o.Config.VerifySSL})
		if err != nil {
			return nil, fmt.Errorf("OUTLINE_CA_FILE: %w", err)
		}
		options.Transport = transport
	}
	return outline.New(options)
}

func newServer(o Options, bound []tools.Bound) *server.MCPServer {
	position := map[string]int{}
	for i, b := range bound {
		position[b.Name] = i
	}
	s := server.NewMCPServer(Name, o.Version,
		server.WithTitle("Outline"),
		server.WithInstructions(tools.Instructions(bound)),
		server.WithToolCapabilities(false), // the list never changes while the server runs
		server.WithLogger(o.Log),           // one line for each request and call, without arguments
		server.WithToolHandlerMiddleware(deadline(o.Config.CallTimeout)),
		server.WithToolFilter(func(_ context.Context, list []mcp.Tool) []mcp.Tool {
			slices.SortFunc(list, func(a, b mcp.Tool) int { return cmp.Compare(position[a.Name], position[b.Name]) })
			return list
		}),
	)
	for _, b := range bound {
		s.AddTools(b.ServerTool)
	}
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
