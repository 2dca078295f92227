package mcptool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/pipeline"
	"outline-mcp/output"
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
	deps     Deps
	schema   func() (*jsonschema.Schema, error) // of the arguments; made with the first call
	contract *output.Contract
}

// handle never returns an error: the library would make it a protocol error,
// which models do not see.
func (c *call) handle(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var given givenArguments
	asked := pipeline.Request{Item: c.Item(), Header: request.Header, Meta: request.Params.Meta}
	result, err := pipeline.Do(ctx, c.deps.Pipeline, asked, func(ctx context.Context) (*mcp.CallToolResult, output.Code, error) {
		result, code := c.answer(ctx, request, &given)
		return result, code, nil
	}, nil) // the renderer cuts what is too long
	if err != nil {
		if given == nil { // it was refused before its arguments were decoded
			_, given, _ = c.decode(ctx, request)
		}
		result = c.render(ctx).Failure(c.contract, c.problem(ctx, given, err))
	}
	return result, nil
}

// answer returns the rendered result of a call, and the code of its failure or
// of the failure of all items of a batch. It sets given to the arguments.
func (c *call) answer(ctx context.Context, request mcp.CallToolRequest, given *givenArguments) (*mcp.CallToolResult, output.Code) {
	arguments, decoded, err := c.decode(ctx, request)
	*given = decoded
	var out output.Result
	if err == nil {
		env := c.deps.Env
		env.Offers, env.Progress = c.deps.Pipeline.Names(ctx), progressTo(request)
		out, err = c.run(ctx, env, arguments)
	}
	if err != nil {
		problem := c.problem(ctx, *given, err)
		return c.render(ctx).Failure(c.contract, problem), problem.FailureCode()
	}
	code := output.Code("")
	if batch, ok := out.(interface{ FailureCode() output.Code }); ok {
		code = batch.FailureCode()
	}
	return c.render(ctx).Success(c.contract, out), code
}

// render returns the renderer for the request of the context.
func (c *call) render(ctx context.Context) output.Renderer {
	r := c.deps.Render
	r.Offers = c.deps.Pipeline.Names(ctx)
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
