package app

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/pipeline"
	"outline-mcp/internal/suggest"
)

// completions complete the arguments of prompts and resource templates. Somebody is
// typing, so a completion that fails is empty.
type completions struct {
	source *suggest.Source
	pipe   pipeline.Pipeline
	items  map[string]pipeline.Item // of the tools offered, by name
}

func newCompletions(source *suggest.Source, pipe pipeline.Pipeline, offered []mcptool.Bound) completions {
	c := completions{source, pipe, make(map[string]pipeline.Item, len(offered))}
	for _, tool := range offered {
		c.items[tool.Name] = tool.Item()
	}
	return c
}

// options make the server complete arguments.
func (c completions) options() []server.ServerOption {
	return []server.ServerOption{
		server.WithCompletions(),
		server.WithPromptCompletionProvider(pipeline.CompletionFunc(func(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(ctx, suggest.KindOf(argument.Name), argument)
		})),
		server.WithResourceCompletionProvider(pipeline.CompletionFunc(func(ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
			return c.complete(ctx, kindOfResource(uri), argument)
		})),
	}
}

// kindOfResource returns what the id in a template such as outline://documents/{id}
// identifies.
func kindOfResource(template string) suggest.Kind {
	path, _ := strings.CutPrefix(template, "outline://")
	noun, _, _ := strings.Cut(path, "/")
	return suggest.KindOf(noun)
}

// complete completes an argument as long as the request may use one of the tools
// that tell the same. Logs and metrics name that tool.
func (c completions) complete(ctx context.Context, kind suggest.Kind, argument mcp.CompleteArgument) (*mcp.Completion, error) {
	for _, tool := range kind.Tools() {
		item, offered := c.items[tool]
		if !offered || !c.pipe.Allows(ctx, item) {
			continue
		}
		complete := c.pipe.Completion(item, func(ctx context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
			return c.source.Complete(ctx, kind, argument.Value)
		})
		if completion, err := complete(ctx, "", argument, mcp.CompleteContext{}); err == nil {
			return completion, nil
		}
		break
	}
	return &mcp.Completion{}, nil
}
