package app

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcptool"
	"outline-mcp/tools"
)

// An offer is what of the server's tools a request may use. The operator's
// settings say which tools there are; a request can only have fewer.
type offer struct {
	reading      map[string]bool
	instructions string // for those who only read
}

func newOffer(bound []mcptool.Bound) offer {
	o := offer{reading: map[string]bool{}}
	var reading []mcptool.Bound
	for _, b := range bound {
		if b.Effect == mcptool.Reads {
			reading = append(reading, b)
			o.reading[b.Name] = true
		}
	}
	o.instructions = tools.Instructions(reading)
	return o
}

func onlyReads(ctx context.Context) bool {
	principal, _ := auth.FromContext(ctx)
	return principal.ReadOnly
}

// narrow leaves a request that asked to only read the tools that do. The
// library applies it to lists and to calls.
func (o offer) narrow(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	if !onlyReads(ctx) {
		return list
	}
	return slices.DeleteFunc(list, func(tool mcp.Tool) bool { return !o.reading[tool.Name] })
}

// instruct gives those who only read instructions that name no other tools.
func (o offer) instruct(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		if onlyReads(ctx) {
			result.Instructions = o.instructions
		}
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		if onlyReads(ctx) {
			result.Instructions = o.instructions
		}
	})
}
