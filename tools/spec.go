// Package tools declares what this server offers to AI clients: each tool is
// one Spec, from which its schemas, hints, argument checks, both renderings
// and its documentation follow. Registry order is documentation order.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// Spec declares one tool. In is a struct of its arguments, Out the result of a
// success; their fields and tags give the schemas (see output.SchemaOf).
type Spec[In any, Out output.Result] struct {
	Name        string // snake_case, at most 32 characters
	Title       string // for people
	Description string // for the model: what it returns, when to use it instead of its neighbour
	Group       Group
	// Endpoints are the Outline endpoints a call needs. An API key must have
	// the scopes of all of them, unless AnyEndpoint says that one is enough.
	Endpoints   []string
	AnyEndpoint bool
	Effect      Effect
	// NotIdempotent says that a tool which reads starts something anew with
	// each call.
	NotIdempotent bool
	// Shapes lists a value of each type that a success can have, where Out is
	// an interface.
	Shapes []output.Result
	// Problems lists a value of each type of failure that carries more than
	// output.Failure does.
	Problems []output.Problem
	// Run does the work. An error that is an output.Problem is answered as it
	// is, any other is explained to the caller.
	Run func(ctx context.Context, env Env, in In) (Out, error)
}

// Env is what a running tool may use. It belongs to one call.
type Env struct {
	Outline          *outline.Client // acts with the caller's key
	BatchConcurrency int             // items of a batch at a time
	RequestTimeout   time.Duration   // the longest that one request to Outline takes
	NewID            func() string   // a UUID for something that is about to be created
	// Progress tells the client how far a call is; nil if it did not ask.
	Progress func(ctx context.Context, done, total int)
}

// Deps are what tools need to be offered by a server.
type Deps struct {
	// Outline returns the client that acts for the caller of ctx.
	Outline func(ctx context.Context) (*outline.Client, error)
	Render  output.Renderer
	Log     *slog.Logger // nil discards
	// Begin is told of each call as it begins, and the function that it
	// returns of its end: with "" for a success, else the failure's code. The
	// call goes on with the returned context. nil: nobody is told.
	Begin func(ctx context.Context, tool string) (context.Context, func(output.Code))

	BatchConcurrency int           // items of a batch at a time; below 1 means 1
	RequestTimeout   time.Duration // the longest that one request to Outline takes
	NewID            func() string // makes the UUIDs of what is created; nil means random ones
}

// Tool is a Spec without its type parameters.
type Tool interface {
	// Info tells what the tool is, without its schemas.
	Info() Info
	// Bind makes the tool ready for a server. It fails when a schema is broken.
	Bind(Deps) (Bound, error)
}

// Info is what documentation and access rules need to know of a tool.
type Info struct {
	Name, Title, Description string
	Group                    Group
	Endpoints                []string
	AnyEndpoint              bool
	Effect                   Effect
}

// Bound is a tool ready for a server.
type Bound struct {
	Info
	server.ServerTool
	// OutputSchema returns what the tool declares when structured output is on.
	OutputSchema func() (json.RawMessage, error)
}

// Info implements Tool.
func (s Spec[In, Out]) Info() Info {
	return Info{s.Name, s.Title, s.Description, s.Group, s.Endpoints, s.AnyEndpoint, s.Effect}
}

// Bind implements Tool.
func (s Spec[In, Out]) Bind(d Deps) (Bound, error) {
	arguments, err := newDecoder[In]()
	if err != nil {
		return Bound{}, fmt.Errorf("tool %s: %w", s.Name, err)
	}
	contract := s.contract(arguments.object.PropertyOrder)
	hints := s.Effect.hints()
	if s.NotIdempotent {
		hints.IdempotentHint = new(false)
	}
	tool := mcp.Tool{
		Name:           s.Name,
		Title:          s.Title,
		Description:    s.Description,
		Annotations:    hints,
		RawInputSchema: arguments.schema,
	}
	if d.Render.Structured {
		if tool.RawOutputSchema, err = contract.Schema(); err != nil {
			return Bound{}, err
		}
	}
	if d.NewID == nil {
		d.NewID = uuid.NewString
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	call := call[In, Out]{spec: s, deps: d, arguments: arguments, contract: contract}
	return Bound{
		Info:         s.Info(),
		ServerTool:   server.ServerTool{Tool: tool, Handler: call.handle},
		OutputSchema: contract.Schema,
	}, nil
}

func (s Spec[In, Out]) contract(arguments []string) *output.Contract {
	successes := []reflect.Type{reflect.TypeFor[Out]()}
	if len(s.Shapes) > 0 {
		successes = successes[:0]
		for _, shape := range s.Shapes {
			successes = append(successes, reflect.TypeOf(shape))
		}
	}
	var failures []reflect.Type
	for _, problem := range s.Problems {
		failures = append(failures, reflect.TypeOf(problem))
	}
	return output.NewContract(s.Name, s.Effect != Reads, arguments, successes, failures)
}

// call is the way of one tool's calls: decode, run, render.
type call[In any, Out output.Result] struct {
	spec      Spec[In, Out]
	deps      Deps
	arguments *decoder[In]
	contract  *output.Contract
}

// handle never returns an error: to the library that would be a protocol
// error, which models do not get to see.
func (c call[In, Out]) handle(ctx context.Context, request mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
	code := output.Internal
	if c.deps.Begin != nil {
		var end func(output.Code)
		ctx, end = c.deps.Begin(ctx, c.spec.Name)
		defer func() { end(code) }()
	}
	defer func() {
		if p := recover(); p != nil {
			c.deps.Log.ErrorContext(ctx, "tool panicked", "tool", c.spec.Name, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			result = c.deps.Render.Failure(c.contract, withIDs(explainOther(nil), c.spec.Name, request))
		}
	}()
	out, err := c.run(ctx, request)
	if err != nil {
		problem := c.problem(ctx, request, err)
		code = problem.FailureCode()
		return c.deps.Render.Failure(c.contract, problem), nil
	}
	code = ""
	if batch, ok := any(out).(interface{ FailureCode() output.Code }); ok {
		code = batch.FailureCode()
	}
	return c.deps.Render.Success(c.contract, out), nil
}

func (c call[In, Out]) run(ctx context.Context, request mcp.CallToolRequest) (out Out, err error) {
	in, err := c.arguments.decode(request)
	if err != nil {
		return out, err
	}
	client, err := c.deps.Outline(ctx)
	if err != nil {
		return out, err
	}
	return c.spec.Run(ctx, Env{
		Outline:          client,
		BatchConcurrency: max(1, c.deps.BatchConcurrency),
		RequestTimeout:   c.deps.RequestTimeout,
		NewID:            c.deps.NewID,
		Progress:         progressTo(request),
	}, in)
}

// progressTo returns what tells the caller of a request how far it is, if it
// asked to know (MCP specification, basic/utilities/progress).
func progressTo(request mcp.CallToolRequest) func(ctx context.Context, done, total int) {
	if request.Params.Meta == nil || request.Params.Meta.ProgressToken == nil {
		return nil
	}
	return func(ctx context.Context, done, total int) {
		s := server.ServerFromContext(ctx)
		if s == nil {
			return
		}
		// Progress is a courtesy: a client that is slow to read misses some.
		_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": request.Params.Meta.ProgressToken, "progress": done, "total": total,
		})
	}
}
