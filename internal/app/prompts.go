package app

import (
	"outline-mcp/internal/mcptool"
	"outline-mcp/prompts"
)

// newPrompts returns the prompts that the server offers. permitted may be nil.
func newPrompts(o Options, bound []mcptool.Bound, deps mcptool.Deps, permitted *permitted) *prompts.Offered {
	options := prompts.Options{Env: deps.Env, Tools: bound, Pipeline: deps.Pipeline, Collection: o.Config.PromptsCollection, Log: o.Log}
	if permitted != nil {
		options.Permitted = permitted.tools
	}
	return prompts.New(options)
}
