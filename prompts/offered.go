package prompts

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

// Options hold what a server needs to offer prompts.
type Options struct {
	Env      mcptool.Env
	Tools    []mcptool.Bound // that the server offers
	Pipeline mcptool.Pipeline
	// Permitted returns which tools the credential of the caller allows; nil means all.
	// Prompts neither use nor name the others.
	Permitted func(ctx context.Context) func(tool string) bool
	// Collection is that of which each document is a prompt, by its name or any form of
	// its ID; "" for none.
	Collection string
	Log        *slog.Logger
}

// Offered are the prompts of a server.
type Offered struct {
	Options
	tools   map[string]*mcptool.Bound
	specs   []Spec
	written *writtenBy
}

// New returns the prompts whose tools are offered, and those of the collection.
func New(o Options) *Offered {
	if o.Env.Now == nil {
		o.Env.Now = time.Now
	}
	offered := &Offered{Options: o, tools: make(map[string]*mcptool.Bound, len(o.Tools)), written: &writtenBy{client: o.Env.Outline, given: o.Collection, log: o.Log}}
	for i := range o.Tools {
		offered.tools[o.Tools[i].Name] = &o.Tools[i]
	}
	for _, s := range All() {
		if s.needs(offered.tools) {
			offered.specs = append(offered.specs, s)
		}
	}
	if _, reads := offered.tools[readsWritten]; !reads {
		offered.written.given = ""
	}
	return offered
}

// needs reports whether all tools of a prompt are among those that are offered.
func (s Spec) needs(offered map[string]*mcptool.Bound) bool {
	return !slices.ContainsFunc(s.Tools, func(tool string) bool {
		_, ok := offered[tool]
		return !ok
	})
}

// readsWritten is the tool that reads documents as a written prompt does.
const readsWritten = "read_document"

// other is the name under which the library, logs and metrics know all prompts that are
// not declared. A client cannot use it, because Hook replaces it, too.
const other = "team_prompt"

// none reports whether there are no prompts for anyone. The server does not announce
// that it has prompts then.
func (o *Offered) none() bool { return len(o.specs) == 0 && o.written.given == "" }

// CacheHint tells clients of MCP 2026-07-28 and later that the list stays true for a
// minute, for one caller.
func CacheHint() server.ServerOption {
	return server.WithMethodCacheHints(mcp.MethodPromptsList, 60_000, mcp.CacheScopePrivate)
}

// Register adds the prompts to a server, whose hooks Hook must have changed.
func (o *Offered) Register(s *server.MCPServer) {
	if o.none() {
		return
	}
	for _, spec := range o.specs {
		item := mcptool.Item{Name: spec.Name, Tool: spec.Tools[0]}
		s.AddPrompt(mcp.Prompt{Name: spec.Name}, o.Pipeline.Prompt(item, func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return o.get(ctx, spec, request.Params.Arguments)
		}))
	}
	item := mcptool.Item{Name: other}
	s.AddPrompt(mcp.Prompt{Name: other}, o.Pipeline.Prompt(item, func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		given := maps.Clone(request.Params.Arguments)
		name := given[nameArgument]
		delete(given, nameArgument)
		return o.getOther(ctx, name, given)
	}))
}

// nameArgument holds the name of a prompt that is not declared, on the way through the
// library. No argument of a prompt has this name.
const nameArgument = ""

// Hook lets a server list and get the prompts that depend on the caller. The library
// itself has the same prompts for everyone.
func (o *Offered) Hook(hooks *server.Hooks) {
	if o.none() {
		return
	}
	hooks.AddBeforeGetPrompt(func(_ context.Context, _ any, request *mcp.GetPromptRequest) {
		if slices.ContainsFunc(o.specs, func(s Spec) bool { return s.Name == request.Params.Name }) {
			return
		}
		given := map[string]string{}
		maps.Copy(given, request.Params.Arguments)
		given[nameArgument] = request.Params.Name
		request.Params.Name, request.Params.Arguments = other, given
	})
	hooks.AddAfterListPrompts(func(ctx context.Context, _ any, request *mcp.ListPromptsRequest, result *mcp.ListPromptsResult) {
		result.Prompts = o.list(ctx, request)
	})
}

// list returns the prompts of a caller, in documentation order: those of the collection
// last. If the collection cannot be read, they are missing.
func (o *Offered) list(ctx context.Context, request *mcp.ListPromptsRequest) []mcp.Prompt {
	ctx, cancel := o.Pipeline.InTime(ctx)
	defer cancel()
	tools := o.toolsOf(ctx)
	all := []mcp.Prompt{}
	for _, s := range o.specs {
		if s.needs(tools) {
			all = append(all, s.prompt())
		}
	}
	if o.written.given == "" {
		return all
	}
	asked := mcptool.Request{Item: mcptool.Item{Method: mcp.MethodPromptsList, Name: "list"}, Meta: request.Params.Meta}
	found, _ := mcptool.Do(ctx, o.Pipeline, asked, func(ctx context.Context) ([]Written, output.Code, error) {
		found, err := o.written.find(ctx)
		return found, "", err
	}, nil)
	for _, w := range found {
		all = append(all, w.prompt())
	}
	return all
}

// toolsOf returns the tools that are for the caller of a context.
func (o *Offered) toolsOf(ctx context.Context) map[string]*mcptool.Bound {
	if o.Permitted == nil {
		return o.tools
	}
	permitted, tools := o.Permitted(ctx), maps.Clone(o.tools)
	maps.DeleteFunc(tools, func(name string, _ *mcptool.Bound) bool { return !permitted(name) })
	return tools
}

// get returns what a declared prompt says.
func (o *Offered) get(ctx context.Context, s Spec, given map[string]string) (*mcp.GetPromptResult, error) {
	in, err := read(s.Arguments, given)
	if err != nil {
		return nil, err
	}
	env, tools := o.Env, o.toolsOf(ctx)
	if !s.needs(tools) {
		return nil, output.Failure{Code: output.Forbidden, Sentence: "the role or the scopes of your key do not allow what it takes."}
	}
	names := o.Pipeline.Names(ctx)
	env.Available = func(word string) bool {
		_, isTool := o.tools[word]
		_, offered := tools[word]
		return (offered || !isTool) && (names == nil || names(word))
	}
	p := newPage(env, tools, in, o.Pipeline.MaxChars)
	if err := s.write(ctx, p, in); err != nil {
		return nil, err
	}
	return p.result(s.Description), nil
}

// getOther returns what a prompt of the collection says.
func (o *Offered) getOther(ctx context.Context, name string, given map[string]string) (*mcp.GetPromptResult, error) {
	var names []string
	for _, s := range o.specs {
		names = append(names, s.Name)
	}
	if o.written.given != "" {
		found, err := o.written.find(ctx)
		if err != nil {
			return nil, err
		}
		for _, w := range found {
			if w.Name == name {
				return o.written.get(ctx, w, given, o.Pipeline.MaxChars)
			}
			names = append(names, w.Name)
		}
	}
	return nil, output.Failure{Code: output.NotFound, Sentence: fmt.Sprintf("no prompt is called %s. There are %s.",
		output.Quote(output.Excerpt(name, longestName)), strings.Join(names[:min(20, len(names))], ", "))}
}
