package mcptool

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/explain"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// call is the way of one tool's calls: decode, run, render.
type call struct {
	name      string
	deps      Deps
	arguments *decoder
	prepare   prepare
	contract  *output.Contract
}

// handle never returns an error: to the library that would be a protocol
// error, which models do not get to see.
func (c *call) handle(ctx context.Context, request mcp.CallToolRequest) (result *mcp.CallToolResult, _ error) {
	code := output.Internal
	if c.deps.Begin != nil {
		var end func(output.Code)
		ctx, end = c.deps.Begin(ctx, c.name)
		defer func() { end(code) }()
	}
	defer func() {
		if p := recover(); p != nil {
			c.deps.Log.ErrorContext(ctx, "tool panicked", "tool", c.name, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
			result = c.deps.Render.Failure(c.contract, withIDs(explain.Other(nil), c.name, request))
		}
	}()
	out, err := c.run(ctx, request)
	if err != nil {
		problem := c.problem(ctx, request, err)
		code = problem.FailureCode()
		return c.deps.Render.Failure(c.contract, problem), nil
	}
	code = ""
	if batch, ok := out.(interface{ FailureCode() output.Code }); ok {
		code = batch.FailureCode()
	}
	return c.deps.Render.Success(c.contract, out), nil
}

func (c *call) run(ctx context.Context, request mcp.CallToolRequest) (output.Result, error) {
	arguments, err := c.arguments.decode(request)
	if err != nil {
		return nil, err
	}
	run, err := c.prepare(arguments)
	if err != nil {
		return nil, err
	}
	client, err := c.deps.Outline(ctx)
	if err != nil {
		return nil, err
	}
	return run(ctx, c.env(client, request))
}

func (c *call) env(client *outline.Client, request mcp.CallToolRequest) Env {
	return Env{
		Outline:          client,
		BatchConcurrency: max(1, c.deps.BatchConcurrency),
		RequestTimeout:   c.deps.RequestTimeout,
		NewID:            c.deps.NewID,
		Progress:         progressTo(request),
	}
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
