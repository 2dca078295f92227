package mcptool

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/wire"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// Resource returns a handler that reads a resource through the pipeline. It
// serves as a server.ResourceHandlerFunc, too. A failure is a JSON-RPC error with
// a sentence for the reader.
func (p Pipeline) Resource(i Item, read server.ResourceTemplateHandlerFunc) server.ResourceTemplateHandlerFunc {
	return p.resource(Request{Item: i}, read)
}

// Page is Resource for what is part of the program: the limit on the size of answers does
// not apply to it.
func (p Pipeline) Page(i Item, read server.ResourceTemplateHandlerFunc) server.ResourceTemplateHandlerFunc {
	return p.resource(Request{Item: i, Shortened: true}, read)
}

func (p Pipeline) resource(r Request, read server.ResourceTemplateHandlerFunc) server.ResourceTemplateHandlerFunc {
	r.Method = mcp.MethodResourcesRead
	return func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		r := r
		r.Meta, r.URI = request.Params.Meta, request.Params.URI
		return runPlain(ctx, p, r, request, read, func(contents []mcp.ResourceContents) int {
			return sum(contents, resourceChars)
		})
	}
}

// ResourceList lists resources through the pipeline: those of the caller, where
// the library lists the same for all. ask returns a page. The library's own page
// goes to AfterListResources, a hook that cannot return an error, so that a failure
// answers the request by wire.Fail.
func (p Pipeline) ResourceList(ctx context.Context, i Item, request *mcp.ListResourcesRequest, ask func(context.Context) (mcp.ListResourcesResult, error)) mcp.ListResourcesResult {
	i.Method = mcp.MethodResourcesList
	page, _ := runPlain(ctx, p, Request{Item: i, Meta: request.Params.Meta}, request, func(ctx context.Context, _ *mcp.ListResourcesRequest) (mcp.ListResourcesResult, error) {
		return ask(ctx)
	}, nil)
	return page
}

// Prompt returns a handler that gets a prompt through the pipeline. A failure is
// a JSON-RPC error with a sentence for the reader.
func (p Pipeline) Prompt(i Item, get server.PromptHandlerFunc) server.PromptHandlerFunc {
	i.Method = mcp.MethodPromptsGet
	return func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return runPlain(ctx, p, Request{Item: i, Meta: request.Params.Meta}, request, get, func(result *mcp.GetPromptResult) int {
			return sum(result.Messages, messageChars)
		})
	}
}

// A CompletionFunc completes an argument of a prompt or of a resource template,
// which of names. It implements server.PromptCompletionProvider and
// server.ResourceCompletionProvider.
type CompletionFunc func(ctx context.Context, of string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error)

// CompletePromptArgument implements server.PromptCompletionProvider.
func (f CompletionFunc) CompletePromptArgument(ctx context.Context, prompt string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	return f(ctx, prompt, argument, given)
}

// CompleteResourceArgument implements server.ResourceCompletionProvider.
func (f CompletionFunc) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	return f(ctx, uri, argument, given)
}

// Completion returns a function that completes arguments through the pipeline. A
// failure is an empty completion, because the user is typing; logs and metrics have
// its code. The library does not tell the function the _meta of a request.
func (p Pipeline) Completion(i Item, complete CompletionFunc) CompletionFunc {
	i.Method = mcp.MethodCompletionComplete
	return func(ctx context.Context, of string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
		completion, err := Do(ctx, p, Request{Item: i}, func(ctx context.Context) (*mcp.Completion, output.Code, error) {
			completion, err := complete(ctx, of, argument, given)
			return completion, "", err
		}, func(c *mcp.Completion) int { return sum(c.Values, utf8.RuneCountInString) })
		if err != nil {
			completion = &mcp.Completion{}
		}
		return completion, nil
	}
}

// Ask answers a request of a method that the library does not know through the pipeline.
// A failure is an error with a sentence for the reader, and answers the request by
// wire.Fail.
func Ask[R any](ctx context.Context, p Pipeline, r Request, ask func(context.Context) (R, error)) (R, error) {
	return runPlain(ctx, p, r, struct{}{}, func(ctx context.Context, _ struct{}) (R, error) { return ask(ctx) }, nil)
}

// runPlain runs a request whose failures are errors. They begin with the item's
// name, like those of tools, and contain no key.
func runPlain[Q, R any](ctx context.Context, p Pipeline, r Request, request Q, handle func(context.Context, Q) (R, error), chars func(R) int) (R, error) {
	answer, err := Do(ctx, p, r, func(ctx context.Context) (R, output.Code, error) {
		answer, err := handle(ctx, request)
		return answer, "", err
	}, chars)
	if err == nil {
		return answer, nil
	}
	code := output.Internal
	if problem, ok := errors.AsType[output.Problem](err); ok {
		code = problem.FailureCode()
	}
	if failure, ok := errors.AsType[output.Failure](err); ok {
		err = failure.Advised(p.Names(ctx))
	}
	about := r.Name
	if r.Group == "" && r.Tool == "" { // an item without a name that clients know
		about = string(r.Method)
	}
	err = errors.New(outline.Redact(about + ": " + err.Error()))
	data := map[string]any{"code": code}
	if r.URI != "" {
		data["uri"] = outline.Redact(strings.ToValidUTF8(r.URI, "\uFFFD"))
	}
	wire.Fail(ctx, wire.Failure{Code: rpcCode(ctx, r.Method, code), Message: err.Error(), Data: data})
	return answer, err
}

// rpcCode returns the code of the JSON-RPC error for a failure. A resource that is
// not there, or not for this caller, has -32002 in MCP 2025-11-25 and earlier, and
// -32602 from 2026-07-28 on (server/resources, Error Handling). An unknown prompt, or
// one whose arguments name nothing, has -32602 in all versions (server/prompts).
func rpcCode(ctx context.Context, method mcp.MCPMethod, code output.Code) int {
	switch {
	case code == output.InvalidArguments, method == mcp.MethodPromptsGet && code == output.NotFound, method == "skills/get" && (code == output.NotFound || code == output.TooLarge):
		return mcp.INVALID_PARAMS
	case method == mcp.MethodResourcesRead && (code == output.NotFound || code == output.Forbidden):
		if server.IsModernRequest(ctx) {
			return mcp.INVALID_PARAMS
		}
		return mcp.RESOURCE_NOT_FOUND
	}
	return mcp.INTERNAL_ERROR
}

func sum[T any](items []T, chars func(T) int) int {
	total := 0
	for _, item := range items {
		total += chars(item)
	}
	return total
}

// resourceChars counts the characters of text. Other content is limited by the
// longest answer of Outline.
func resourceChars(contents mcp.ResourceContents) int {
	switch contents := contents.(type) {
	case mcp.TextResourceContents:
		return utf8.RuneCountInString(contents.Text)
	case *mcp.TextResourceContents:
		return utf8.RuneCountInString(contents.Text)
	}
	return 0
}

func messageChars(message mcp.PromptMessage) int { return contentChars(message.Content) }

func contentChars(content mcp.Content) int {
	switch content := content.(type) {
	case mcp.TextContent:
		return utf8.RuneCountInString(content.Text)
	case *mcp.TextContent:
		return utf8.RuneCountInString(content.Text)
	case mcp.EmbeddedResource:
		return resourceChars(content.Resource)
	case *mcp.EmbeddedResource:
		return resourceChars(content.Resource)
	}
	return 0
}
