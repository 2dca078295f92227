package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcp/elicit"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/observe/audit"
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

// A round is what a call ends with, or what it asks the user first.
type round struct {
	result *mcp.CallToolResult
	asked  *elicit.Asked
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
	return sum(r.result.Content, contentChars)
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
	requested := Request{Item: c.Item(), Meta: request.Params.Meta, Shortened: true}
	r, err := Do(ctx, c.deps.Pipeline, requested, func(ctx context.Context) (round, output.Code, error) {
		out, asked, err := c.answer(ctx, request, &given)
		switch {
		case asked != nil:
			return round{asked: asked}, InputRequired, nil
		case errors.Is(err, elicit.ErrState): // a protocol error (MCP 2026-07-28, basic/patterns/mrtr)
			wire.Fail(ctx, wire.Failure{Code: mcp.INVALID_PARAMS, Message: c.Name + ": " + err.Error()})
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
func (c *call) answer(ctx context.Context, request mcp.CallToolRequest, given *givenArguments) (output.Result, *elicit.Asked, error) {
	arguments, decoded, err := c.decode(ctx, request)
	*given = decoded
	if err != nil {
		return nil, nil, err
	}
	env := c.deps.Env
	if env.Files != nil && decoded["path"] != nil {
		roots, asked := c.deps.Desk.Roots(ctx, &request.Params.MultiRoundTripParams)
		if asked != nil {
			return nil, asked, nil
		}
		files := *env.Files
		files.Roots = slices.Concat(files.Roots, roots)
		env.Files = &files
	}
	offered := c.deps.Desk.AwaitLogin(ctx, &request.Params.MultiRoundTripParams)
	ctx = auth.Current(ctx)
	person, err := c.deps.Desk.Begin(ctx, elicit.Subject{
		Tool: c.Name, Title: c.Title, Deletes: c.Effect == Deletes, Writes: c.Effect != Reads,
		Arguments: arguments, Given: request.Params.MultiRoundTripParams,
	})
	if err != nil {
		return nil, nil, err
	}
	env.MaxBytes, env.MaxImageBytes = c.deps.limits(ctx)
	env.Available, env.Progress, env.Person, env.NewID = c.deps.Pipeline.Names(ctx), progressTo(request), person, person.IDs(env.NewID)
	if person != nil {
		ctx = outline.WithCallOptions(ctx, outline.BeforeCommands(person.MayWrite))
	}
	out, err := c.run(ctx, env, arguments)
	if !offered {
		if asked := c.deps.Desk.OfferLogin(ctx, err); asked != nil {
			return nil, asked, nil
		}
	}
	if c.Effect != Reads && env.Collections != nil {
		env.Collections.trees.Forget(ctx)
	}
	if asked, refusal := person.Ended(); asked != nil || refusal != nil {
		return nil, asked, refusal
	}
	return out, nil, err
}

// render returns the renderer for the request of the context.
func (c *call) render(ctx context.Context) output.Renderer {
	r := c.deps.Render
	r.Brief = r.Structured && !c.Structured && c.deps.shortText(ctx)
	r.Structured = r.Structured || c.Structured
	r.MaxBytes, _ = c.deps.limits(ctx)
	r.Available = c.deps.Pipeline.Names(ctx)
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

// Answer is what a tool returns within another request.
type Answer struct {
	result output.Result
	render output.Renderer
}

// Answer runs the tool within another request, such as one for a prompt, which has
// passed the steps of the pipeline. arguments are those of a call. An error is that of
// the tool, without the tool's name.
func (b Bound) Answer(ctx context.Context, arguments map[string]any) (Answer, error) {
	var request mcp.CallToolRequest
	request.Params.Arguments = arguments
	decoded, _, err := b.call.decode(ctx, request)
	if err != nil {
		return Answer{}, err
	}
	env := b.call.deps.Env
	env.Available = b.call.deps.Pipeline.Names(ctx)
	result, err := b.call.run(ctx, env, decoded)
	return Answer{result, output.Renderer{Available: env.Available}}, err
}

// Text returns the text of the answer. If it is longer than maxBytes, it
// is cut as far as the tool can cut it; 0 means no limit.
func (a Answer) Text(maxBytes int) string {
	a.render.MaxBytes = maxBytes
	_, text := a.render.Fit(a.result)
	return text
}

// Decode reads the structured content of the whole answer into a value, as
// json.Unmarshal does.
func (a Answer) Decode(into any) error {
	structured, err := json.Marshal(a.result)
	if err == nil {
		err = json.Unmarshal(structured, into)
	}
	if err != nil {
		return fmt.Errorf("read the answer of a tool: %w", err)
	}
	return nil
}

// problem returns the answer for a failed call. Its sentence begins with the
// name of the tool, and the IDs in the arguments are added to it.
func (c *call) problem(ctx context.Context, given givenArguments, err error) output.Problem {
	complete := func(f output.Failure) output.Failure { return c.complete(f.Advised(c.deps.Pipeline.Names(ctx)), given) }
	var problem output.Problem
	if !errors.As(err, &problem) {
		failure := output.Error(err)
		if failure.Code == output.Internal {
			c.deps.Log.ErrorContext(ctx, "tool failed without an explanation", "tool", c.Name, "type", fmt.Sprintf("%T", err))
		}
		return complete(failure)
	}
	if partial, ok := problem.(interface {
		Completed(func(output.Failure) output.Failure) output.Problem
	}); ok {
		return partial.Completed(complete)
	}
	return problem
}

// complete adds the name of the tool to a failure, and the given IDs where it has none:
// UUIDs, and what could not be resolved.
func (c *call) complete(f output.Failure, given givenArguments) output.Failure {
	unresolved := f.Unresolved || f.Code == output.NotFound
	f.DocumentID = cmp.Or(f.DocumentID, given.id("document_id", c.deps.Outline.ParseDocumentID, unresolved))
	f.CollectionID = cmp.Or(f.CollectionID, given.id("collection_id", c.deps.Outline.ParseCollectionID, unresolved))
	f.CommentID = cmp.Or(f.CommentID, given.id("comment_id", nil, unresolved))
	f.Sentence = c.Name + ": " + f.Sentence
	// A caller may have passed a key in place of an ID or a number.
	for _, s := range []*string{&f.Sentence, &f.DocumentID, &f.CollectionID, &f.CommentID} {
		*s = outline.Redact(*s)
	}
	return f
}

// givenArguments are the arguments of a call as given, by name.
type givenArguments map[string]json.RawMessage

// id returns the ID in the named argument, as a UUID if parse finds one, and in another
// form if that was not resolved. The case of the name does not matter. It returns "" if
// the argument is not a string.
func (g givenArguments) id(name string, parse func(string) (string, error), unresolved bool) string {
	raw, ok := g[name]
	for given, value := range g {
		if !ok && strings.EqualFold(given, name) {
			raw = value
		}
	}
	given, _ := textOf(raw)
	if parse != nil {
		if id, err := parse(given); err == nil && outline.IsUUID(id) {
			return id
		}
	}
	if !unresolved && !outline.IsUUID(given) {
		return ""
	}
	return output.Excerpt(given, 200)
}
