package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/audit"
	"outline-mcp/internal/confirm"
	"outline-mcp/internal/jsonrpc"
	"outline-mcp/internal/pipeline"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/views"
)

// Run runs a tool with complete arguments, which have the names of its schema. They
// are not held against the schema and get no defaults from it.
func Run(ctx context.Context, tool Tool, env Env, arguments map[string]any) (output.Result, error) {
	encoded, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("encode the arguments: %w", err)
	}
	return tool.declaration().run(ctx, env, encoded)
}

// call carries out the calls of one tool: decode, run, render.
type call struct {
	declaration
	deps     *Deps                              // of all tools
	schema   func() (*jsonschema.Schema, error) // of the arguments; made with the first call
	contract *output.Contract
}

// A round is what a call ends with, or what it asks the person first.
type round struct {
	result *mcp.CallToolResult
	asked  *confirm.Asked
	err    error // a protocol error, which models do not see
}

// Answered returns the result for the audit trail, or nil if there is none.
func (r round) Answered() any {
	if r.result == nil {
		return nil
	}
	return r.result
}

// characters returns the number of characters of text in the result.
func (r round) characters() int {
	if r.result == nil {
		return 0
	}
	total := 0
	for _, content := range r.result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			total += utf8.RuneCountInString(text.Text)
		}
	}
	return total
}

// handle returns an error only if the client sent a state that cannot be trusted.
func (c *call) handle(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for {
		r := c.round(ctx, request)
		if r.asked == nil {
			return r.result, r.err
		}
		if asks := r.asked.Result(ctx); asks != nil {
			return asks, nil
		}
		request.Params.MultiRoundTripParams = r.asked.Put(ctx)
	}
}

func (c *call) round(ctx context.Context, request mcp.CallToolRequest) round {
	var given givenArguments
	requested := pipeline.Request{Item: c.Item(), Header: request.Header, Meta: request.Params.Meta, Shortened: true}
	r, err := pipeline.Do(ctx, c.deps.Pipeline, requested, func(ctx context.Context) (round, output.Code, error) {
		out, asked, err := c.answer(ctx, request, &given)
		switch {
		case asked != nil:
			return round{asked: asked}, pipeline.InputRequired, nil
		case errors.Is(err, confirm.ErrState): // a protocol error (MCP 2026-07-28, basic/patterns/mrtr)
			jsonrpc.Fail(ctx, jsonrpc.Failure{Code: mcp.INVALID_PARAMS, Message: c.Name + ": " + err.Error()})
			return round{err: err}, output.InvalidArguments, nil
		case err != nil:
			problem := c.problem(ctx, given, err)
			return round{result: c.render(ctx).Failure(c.contract, problem)}, problem.FailureCode(), nil
		}
		code := output.Code("")
		if batch, ok := out.(interface{ FailureCode() output.Code }); ok {
			code = batch.FailureCode()
		}
		if batch, ok := out.(interface {
			Items() (succeeded, failed int)
		}); ok {
			succeeded, failed := batch.Items()
			audit.CountItems(ctx, succeeded, failed)
		}
		return round{result: c.render(ctx).Success(c.contract, out)}, code, nil
	}, round.characters)
	if err != nil {
		if given == nil { // it was refused before its arguments were decoded
			_, given, _ = c.decode(ctx, request)
		}
		r.result = c.render(ctx).Failure(c.contract, c.problem(ctx, given, err))
	}
	return r
}

// answer runs the tool and returns its result, or the question that comes first. It
// sets given to the arguments.
func (c *call) answer(ctx context.Context, request mcp.CallToolRequest, given *givenArguments) (output.Result, *confirm.Asked, error) {
	arguments, decoded, err := c.decode(ctx, request)
	*given = decoded
	if err != nil {
		return nil, nil, err
	}
	person, err := c.deps.Desk.Begin(ctx, confirm.Subject{
		Tool: c.Name, Title: c.Title, Deletes: c.Effect == Deletes, Writes: c.Effect != Reads,
		Arguments: arguments, Given: request.Params.MultiRoundTripParams,
	})
	if err != nil {
		return nil, nil, err
	}
	env := c.deps.Env
	env.Offers, env.Progress, env.Person, env.NewID = c.deps.Pipeline.Names(ctx), progressTo(request), person, person.IDs(env.NewID)
	if person != nil {
		ctx = outline.WithCallOptions(ctx, outline.BeforeCommands(person.MayWrite))
	}
	out, err := c.run(ctx, env, arguments)
	if asked, refusal := person.Ended(); asked != nil || refusal != nil {
		return nil, asked, refusal
	}
	return out, nil, err
}

// render returns the renderer for the request of the context.
func (c *call) render(ctx context.Context) output.Renderer {
	r := c.deps.Render
	r.Structured = r.Structured || c.Structured
	r.Offers = c.deps.Pipeline.Names(ctx)
	if shows := c.deps.ShowsViews; shows != nil && shows(ctx) {
		r.MetaKey = views.StructuredContent // of all tools, because views call others, too
	}
	return r
}

func (c *call) decode(ctx context.Context, request mcp.CallToolRequest) (json.RawMessage, givenArguments, error) {
	object, err := c.schema()
	if err != nil {
		return nil, nil, err
	}
	return decode(ctx, object, request)
}

// progressTo returns a function that reports progress to the client, or nil if
// the request did not ask for it (MCP specification, basic/utilities/progress).
func progressTo(request mcp.CallToolRequest) func(ctx context.Context, done, total int) {
	if request.Params.Meta == nil || request.Params.Meta.ProgressToken == nil {
		return nil
	}
	return func(ctx context.Context, done, total int) {
		s := server.ServerFromContext(ctx)
		if s == nil {
			return
		}
		// A client that is slow to read misses some, which does no harm.
		_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": request.Params.Meta.ProgressToken, "progress": done, "total": total,
		})
	}
}
