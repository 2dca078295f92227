package pipeline

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// Resource returns a handler that reads a resource through the pipeline. It
// serves as a server.ResourceHandlerFunc, too. A failure is a JSON-RPC error with
// a sentence for the reader.
func (p Pipeline) Resource(i Item, read server.ResourceTemplateHandlerFunc) server.ResourceTemplateHandlerFunc {
	i.Method = mcp.MethodResourcesRead
	return func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return plain(ctx, p, Request{i, request.Header, request.Params.Meta}, request, read, func(contents []mcp.ResourceContents) int {
			return sum(contents, resourceChars)
		})
	}
}

// Prompt returns a handler that gets a prompt through the pipeline. A failure is
// a JSON-RPC error with a sentence for the reader.
func (p Pipeline) Prompt(i Item, get server.PromptHandlerFunc) server.PromptHandlerFunc {
	i.Method = mcp.MethodPromptsGet
	return func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return plain(ctx, p, Request{i, request.Header, request.Params.Meta}, request, get, func(result *mcp.GetPromptResult) int {
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

// Completion returns a function that completes arguments through the pipeline.
// The library does not tell it the trace of a request.
func (p Pipeline) Completion(i Item, complete CompletionFunc) CompletionFunc {
	i.Method = mcp.MethodCompletionComplete
	return func(ctx context.Context, of string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
		return plain(ctx, p, Request{Item: i}, of, func(ctx context.Context, of string) (*mcp.Completion, error) {
			return complete(ctx, of, argument, given)
		}, func(c *mcp.Completion) int { return sum(c.Values, utf8.RuneCountInString) })
	}
}

// Subscription subscribes to a resource through the pipeline. A failure is an error with
// a sentence for the reader.
func (p Pipeline) Subscription(ctx context.Context, i Item, meta *mcp.Meta, subscribe func(context.Context) error) error {
	_, err := plain(ctx, p, Request{Item: i, Meta: meta}, struct{}{}, func(ctx context.Context, _ struct{}) (struct{}, error) {
		return struct{}{}, subscribe(ctx)
	}, nil)
	return err
}

// plain runs a request whose failures are errors. They begin with the item's
// name, like those of tools, and contain no key.
func plain[Q, R any](ctx context.Context, p Pipeline, r Request, request Q, handle func(context.Context, Q) (R, error), chars func(R) int) (R, error) {
	answer, err := Do(ctx, p, r, func(ctx context.Context) (R, output.Code, error) {
		answer, err := handle(ctx, request)
		return answer, "", err
	}, chars)
	if err != nil {
		if failure, ok := errors.AsType[output.Failure](err); ok {
			err = failure.Advised(p.Names(ctx))
		}
		return answer, errors.New(outline.Redact(r.Name + ": " + err.Error()))
	}
	return answer, nil
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

func messageChars(message mcp.PromptMessage) int {
	switch content := message.Content.(type) {
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
