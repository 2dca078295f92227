package app

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/pipeline"
	"outline-mcp/internal/suggest"
)

// completions complete the arguments of prompts and resource templates.
type completions struct {
	offer
	source *suggest.Source
}

// options make the server complete arguments.
func (c completions) options() []server.ServerOption {
	return []server.ServerOption{
		server.WithCompletions(),
		server.WithPromptCompletionProvider(pipeline.CompletionFunc(func(ctx context.Context, prompt string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(suggest.KindOf(argument.Name))(ctx, prompt, argument, given)
		})),
		server.WithResourceCompletionProvider(pipeline.CompletionFunc(func(ctx context.Context, uri string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(kindOfResource(uri, argument.Name))(ctx, uri, argument, given)
		})),
	}
}

// kindOfResource returns what the id in a URI template such as
// outline://documents/{id}{?start_line} identifies.
func kindOfResource(template, argument string) suggest.Kind {
	path, ours := strings.CutPrefix(template, "outline://")
	if !ours || argument != "id" {
		return ""
	}
	noun, _, _ := strings.Cut(path, "/")
	return suggest.KindOf(noun)
}

// complete returns the function that completes values of a kind. It suggests nothing
// unless a tool is offered that returns the same information.
func (c completions) complete(kind suggest.Kind) pipeline.CompletionFunc {
	for _, tool := range kind.Tools() {
		if _, offered := c.position[tool]; offered {
			return c.pipe.Completion(pipeline.Item{Name: string(kind), Tool: tool}, func(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
				return c.source.Complete(ctx, kind, argument.Value)
			})
		}
	}
	return func(context.Context, string, mcp.CompleteArgument, mcp.CompleteContext) (*mcp.Completion, error) {
		return &mcp.Completion{}, nil
	}
}
