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
	"outline-mcp/internal/httpd"
	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/observe"
	"outline-mcp/internal/observe/audit"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// Name is the server's name for clients. They put it in front of the names of
// tools, so it is short.
const Name = "outline"

// title is the name of the server for people.
const title = "Outline"

// Options configure an App.
type Options struct {
	Config  config.Config
	Demo    bool          // use the embedded workspace; ignore the URL and key of Config
	Version string        // of this program
	Log     *slog.Logger  // see NewLogger; nil discards
	NewID   func() string // returns the UUID for something to create; nil means random UUIDs
	// PlannedID returns the UUID of the document or file that the call under way creates, or
	// "". A question to the user, which makes its own UUIDs, does not change it.
	PlannedID func() string
	DryRun    *bool // whether create_document and update_document write nothing, and say what they would do; may be nil
	// Now is the clock that durations in arguments count back from; nil means
	// time.Now or, with Demo, the clock of the embedded workspace.
	Now func() time.Time
	// Transport overrides how Outline is reached; nil makes one from Config.
	Transport http.RoundTripper
	// PDFText returns the text of a PDF; nil reads none.
	PDFText func(ctx context.Context, data []byte) (string, error)
	// Traces sends traces; nil sends none.
	Traces *observe.Traces
	// RedisTimeout is how long Redis may take to answer; 0 means 250 ms.
	RedisTimeout time.Duration
	// ListTimeout is how long lists wait for Outline before they answer with what there is;
	// 0 means 1.2 s, or a minute with Demo or Transport.
	ListTimeout time.Duration
	// Person is the login on this computer. The server acts with it if it serves stdio and
	// the settings contain no key; nil if there is none.
	Person auth.Person
	// LoginPage lets a client show the page on which that person logs in; nil shows none.
	LoginPage elicit.Login
	// Files are those that a command lets calls name, beside those of the settings.
	Files mcptool.Folder
	// Stderr is where the audit trail goes if the settings say so; nil means os.Stderr.
	Stderr *observe.Lines
	// Unusable is the sentence that answers every request, because the settings
	// cannot be used; "" if they can.
	Unusable string
}

// App is the MCP server with its tools.
type App struct {
	config  config.Config
	demo    bool
	version string
	log     *slog.Logger
	bound   []mcptool.Bound
	server  *server.MCPServer
	methods wire.Methods // beside those of the server
	outline upstreamClient
	// operator acts with the server's own API key or login, if there is one.
	operator auth.Principal
	accepted *acceptedSubjects
	login    httpd.Login      // nil if nobody can log in
	metrics  *observe.Metrics // nil where nobody could read them
	audit    *audit.Trail     // nil if there is none
	commands mcptool.Pipeline // of what commands do without a tool

	suggestions *mcptool.Suggestions
}

// New builds the server, without using the network. It fails if the configuration
// cannot work or the schema of a tool is broken.
func New(o Options) (*App, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	var problems []config.Problem
	for _, check := range Checks(o.Demo) {
		problems = append(problems, check(o.Config)...)
	}
	if len(problems) > 0 {
		return nil, &config.Error{Problems: problems}
	}
	access := AccessOf(o.Config)
	all := tools.All()
	chosen, err := access.Choose(all)
	if err != nil {
		return nil, err
	}
	noAI := &withoutAI{}
	pipe := newPipeline(o, access, chosen)
	pipe.Ended, pipe.Named = noAI.learn, namesOf(all, access)
	known := newAccepted()
	pipe.Metrics.CountSubjects(known.Len)
	// The trail asks Outline who calls, and the client reports its requests to the trail.
	who := &callers{}
	pipe.Audit = newAudit(o, pipe.Metrics, who)
	shared, err := newReplicas(o, pipe.Metrics)
	if err != nil {
		return nil, err
	}
	to, err := newUpstreamClient(o, shared, known, func(ctx context.Context, attempt outline.Attempt) {
		known.note(ctx, attempt)
		if attempt.Endpoint != outline.FilesGet { // no token is sent there
			auth.ChallengeFrom(ctx).Answered(attempt.Status, attempt.Command)
		}
		pipe.OutlineAttempt(ctx, attempt)
	})
	if err != nil {
		return nil, err
	}
	who.client = to.client
	files, err := filesOf(o)
	if err != nil {
		return nil, err
	}
	deps := mcptool.Deps{
		Env: mcptool.Env{
			Outline:          to.client,
			Collections:      mcptool.NewCollections(to.client),
			Readings:         &mcptool.Readings{},
			BatchConcurrency: o.Config.BatchConcurrency,
			RequestTimeout:   o.Config.RequestTimeout,
			NewID:            o.NewID,
			PlannedID:        o.PlannedID,
			DryRun:           o.DryRun,
			Files:            files,
			PDFText:          o.PDFText,
			Now:              to.Now,
			MaxBytes:         o.Config.MaxResponseChars,
		},
		Pipeline: pipe,
		Desk: elicit.NewDesk(elicit.Options{
			When: elicit.When(o.Config.Confirm), Unasked: o.Config.ConfirmFallback == "allow", Secret: o.Config.StateSecret.Reveal(),
			Login: o.LoginPage,
		}),
		ClientLimits:   o.Config.ClientLimits,
		StructuredText: string(o.Config.StructuredText),
		Render:         output.Renderer{Structured: o.Config.StructuredOutput, MaxBytes: o.Config.MaxResponseChars, Log: o.Log},
		Log:            o.Log,
		Schemas:        tools.Schemas(),
		Icons:          iconsOf(o.Config.ToolIcons),

		ShowsViews: showsViews(o.Config.Views, chosen),
	}
	if AccessOf(o.Config).Short() {
		deps.Unlisted = tools.Unlisted()
	}
	bound, err := mcptool.Bind(chosen, deps)
	if err != nil {
		return nil, err
	}
	suggestions := mcptool.NewSuggestions(to.client, deps.Collections)
	if o.Demo {
		suggestions.Within = 10 * time.Second // no network is in between, only a machine that may be busy
	}
	commands := pipe
	commands.Timeout = 0
	w := wiring{options: o, chosen: chosen, bound: bound, upstream: to, callers: who, deps: deps, suggestions: suggestions, noAI: noAI}
	mcpServer, methods := w.server()
	return &App{
		commands: commands,
		config:   o.Config, demo: o.Demo, version: o.Version, log: o.Log, accepted: known, metrics: pipe.Metrics, audit: pipe.Audit,
		login: newLogin(o, to, chosen, pipe.Metrics),
		bound: bound, server: mcpServer, methods: methods, outline: to,
		operator: operatorOf(o, to), suggestions: suggestions,
	}, nil
}

// operatorOf returns whom the server acts for on stdio and in this process. A key that is
// set wins over a login, with which a server over HTTP never acts.
func operatorOf(o Options, to upstreamClient) auth.Principal {
	if o.Person != nil && to.Key == "" && o.Config.Transport != config.HTTP {
		return auth.ForPerson(o.Person)
	}
	return auth.ForOperator(auth.APIKey(to.Key.Reveal()))
}

// filesOf returns the files of this machine that callers may use: none over HTTP,
// where they are elsewhere.
func filesOf(o Options) (*mcptool.Folder, error) {
	if o.Config.Transport == config.HTTP {
		return nil, nil
	}
	folder := o.Files
	folder.Path = o.Config.FilesDir
	if err := folder.Check(); err != nil {
		return nil, &config.Error{Problems: []config.Problem{{Setting: "OUTLINE_FILES_DIR", Text: err.Error() + "; set the path of a folder"}}}
	}
	return &folder, nil
}

// Tools returns the tools that the server offers, in documentation order.
func (a *App) Tools() []mcptool.Bound { return a.bound }

// AsOperator returns a context whose calls act for the operator, with the server's
// own API key.
func (a *App) AsOperator(ctx context.Context) context.Context {
	return auth.NewContext(ctx, a.operator)
}

// Connect returns an initialized MCP client of the server in this process,
// which acts for the operator. The caller closes it.
func (a *App) Connect(ctx context.Context) (*client.Client, error) { return a.ConnectAsking(ctx, nil) }

// ConnectAsking is Connect for a client that lets a user answer questions. nil
// stands for a client that cannot ask.
func (a *App) ConnectAsking(ctx context.Context, person client.ElicitationHandler) (*client.Client, error) {
	var asking []client.ClientOption
	var answering []transport.InProcessOption
	if person != nil {
		asking = append(asking, client.WithElicitationHandler(person))
		answering = append(answering, transport.WithElicitationHandler(person))
	}
	c := client.NewClient(inProcess{transport.NewInProcessTransportWithOptions(a.server, answering...), a}, asking...)
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

// Outline returns the client that the server uses. It acts for the principal of
// the context of each call.
func (a *App) Outline() *outline.Client { return a.outline.client }

// Suggestions returns the suggestions for arguments, which are found for the principal of
// the context of each call.
func (a *App) Suggestions() *mcptool.Suggestions { return a.suggestions }

// Read lets a command of the terminal read documents without a tool, as the operator: in
// the steps of each request, but without a deadline.
func (a *App) Read(ctx context.Context, command string, run func(context.Context, *outline.Client) error) error {
	request := mcptool.Request{Item: mcptool.Item{Method: "commands/run", Name: command}}
	_, err := mcptool.Do(a.AsOperator(ctx), a.commands, request, func(ctx context.Context) (any, output.Code, error) {
		return nil, "", run(ctx, a.outline.client)
	}, nil)
	return err
}

// inProcess is a connection within this process, which acts for the operator.
type inProcess struct {
	*transport.InProcessTransport
	app *App
}

// SendRequest implements transport.Interface.
func (c inProcess) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	ctx, failure := wire.Failing(withoutGuidance(c.app.AsOperator(ctx)), nil)
	response, err := c.InProcessTransport.SendRequest(ctx, request)
	if err == nil && failure.Code != 0 {
		response.Result = nil
		response.Error = &mcp.JSONRPCErrorDetails{Code: failure.Code, Message: failure.Message, Data: failure.Data}
	}
	return response, err
}

// leastPrompt is the least that prompts and resources get, in characters: no client cuts
// them as it does the answers of tools.
const leastPrompt = 10_000

// newPipeline returns the pipeline of all requests.
func newPipeline(o Options, access mcptool.Access, offered []mcptool.Tool) mcptool.Pipeline {
	switch {
	case o.ListTimeout > 0:
	case o.Demo, o.Transport != nil: // no network is in between, only a machine that may be busy
		o.ListTimeout = time.Minute
	default:
		o.ListTimeout = 1200 * time.Millisecond
	}
	if o.Config.MaxResponseChars > 0 {
		o.Config.MaxResponseChars = max(leastPrompt, o.Config.MaxResponseChars)
	}
	p := mcptool.Pipeline{
		Timeout:  o.Config.CallTimeout,
		Patience: o.ListTimeout,
		MaxChars: o.Config.MaxResponseChars,
		Unusable: o.Unusable,
		Includes: func(i mcptool.Item) bool {
			isOffered := func(name string) bool {
				return slices.ContainsFunc(offered, func(tool mcptool.Tool) bool { return tool.Info().Name == name })
			}
			if i.Tool != "" || i.Group == "" { // no operator chooses what has no group, such as a list
				return i.Tool == "" || isOffered(i.Tool)
			}
			effect := mcptool.Reads
			if i.Writes {
				effect = mcptool.Changes
			}
			return isOffered(i.Name) || access.Allows(mcptool.Info{Name: i.Name, Group: mcptool.Group(i.Group), Effect: effect})
		},
		Log:    o.Log,
		Tracer: o.Traces.Tracer(),
	}
	if o.Config.Transport == config.HTTP {
		p.Metrics = newMetrics(o.Version, offered, o.Config.LoginEnabled(o.Demo))
	}
	return p
}
