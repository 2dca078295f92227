package app

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/pipeline"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// An offer is the part of the server's tools that a request may use, in the
// order of the documentation. The operator's settings decide which tools there
// are; a request can only have fewer.
type offer struct {
	pipe     pipeline.Pipeline
	bound    []mcptool.Bound
	position map[string]int // in bound, by the tool's name
}

func newOffer(bound []mcptool.Bound, pipe pipeline.Pipeline) offer {
	o := offer{pipe: pipe, bound: bound, position: map[string]int{}}
	for i, b := range bound {
		o.position[b.Name] = i
	}
	return o
}

// namesOf returns the tools of a list that texts may name in the answer to a
// request. If the request is limited to reading, these are the tools that read.
func namesOf(list []mcptool.Tool, access mcptool.Access) func(context.Context) output.Offers {
	all := access.Offers(list)
	access.ReadOnly = true
	reading := access.Offers(list)
	return func(ctx context.Context) output.Offers {
		if principal, _ := auth.FromContext(ctx); principal.ReadOnly {
			return reading
		}
		return all
	}
}

// choose returns the tools that a request may use. The library applies it to
// lists and to calls.
func (o offer) choose(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	list = slices.DeleteFunc(list, func(tool mcp.Tool) bool {
		return !o.pipe.Allows(ctx, o.bound[o.position[tool.Name]].Item())
	})
	sort.Slice(list, func(i, j int) bool { return o.position[list[i].Name] < o.position[list[j].Name] })
	return list
}

// define puts the definitions of tools into lists. The tools of the server have only names,
// because the definitions of all of them would delay every start.
func (o offer) define(hooks *server.Hooks) {
	hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		for i, tool := range result.Tools {
			result.Tools[i] = o.bound[o.position[tool.Name]].Definition()
		}
	})
}

// suggest adds the tool that a client probably means to a name that no tool has. The
// library's error repeats the name. A tool that writes is left out of what a login to read
// may use; the client is told to ask for more.
func (o offer) suggest(hooks *server.Hooks) {
	hooks.AddBeforeCallTool(func(ctx context.Context, _ any, request *mcp.CallToolRequest) {
		name := request.Params.Name
		if position, known := o.position[name]; known {
			if who, _ := auth.FromContext(ctx); who.Upgradable && o.bound[position].Item().Writes {
				auth.ChallengeFrom(ctx).NeedsWrite()
			}
			return
		}
		var offered []string
		for _, b := range o.bound {
			if o.pipe.Allows(ctx, b.Item()) {
				offered = append(offered, b.Name)
			}
		}
		if nearest := config.Nearest(name, offered); nearest != "" {
			request.Params.Name = fmt.Sprintf("%s (did you mean %s?)", name, nearest)
		}
	})
}

// instruct sends each client instructions that name only the tools offered to
// it.
func (o offer) instruct(hooks *server.Hooks) {
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.Instructions = tools.Instructions(o.pipe.Names(ctx))
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.Instructions = tools.Instructions(o.pipe.Names(ctx))
	})
}
