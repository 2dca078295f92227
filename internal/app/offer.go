package app

import (
	"cmp"
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/pipeline"
	"outline-mcp/tools"
)

// An offer is the part of the server's tools that a request may use, in the
// order of the documentation. The operator's settings decide which tools there
// are; a request can only have fewer.
type offer struct {
	pipe         pipeline.Pipeline
	bound        []mcptool.Bound
	position     map[string]int // in bound, by the tool's name
	instructions string         // for requests that are limited to reading
}

func newOffer(bound []mcptool.Bound, pipe pipeline.Pipeline) offer {
	o := offer{pipe: pipe, bound: bound, position: map[string]int{}}
	var reading []mcptool.Bound
	for i, b := range bound {
		o.position[b.Name] = i
		if b.Effect == mcptool.Reads {
			reading = append(reading, b)
		}
	}
	o.instructions = tools.Instructions(reading)
	return o
}

// choose leaves a request the tools that it may use. The library applies it to
// lists and to calls.
func (o offer) choose(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	list = slices.DeleteFunc(list, func(tool mcp.Tool) bool {
		return !o.pipe.Allows(ctx, o.bound[o.position[tool.Name]].Item())
	})
	slices.SortFunc(list, func(a, b mcp.Tool) int { return cmp.Compare(o.position[a.Name], o.position[b.Name]) })
	return list
}

// instruct gives requests that are limited to reading instructions that name no
// other tools.
func (o offer) instruct(hooks *server.Hooks) {
	instructions := func(ctx context.Context, all string) string {
		if principal, _ := auth.FromContext(ctx); principal.ReadOnly {
			return o.instructions
		}
		return all
	}
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.Instructions = instructions(ctx, result.Instructions)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.Instructions = instructions(ctx, result.Instructions)
	})
}
