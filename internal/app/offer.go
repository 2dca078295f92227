package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/boundary"
	"outline-mcp/internal/config"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/mcptool"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/outline/expiring"
	"outline-mcp/output"
	"outline-mcp/tools"
)

// An offer is the part of the server's tools that a request may use, in the
// order of the documentation. The operator's settings decide which tools there
// are; a request can only have fewer.
type offer struct {
	pipe     mcptool.Pipeline
	bound    []mcptool.Bound
	position map[string]int // in bound, by the tool's name
}

func newOffer(bound []mcptool.Bound, pipe mcptool.Pipeline) offer {
	o := offer{pipe: pipe, bound: bound, position: map[string]int{}}
	for i, b := range bound {
		o.position[b.Name] = i
	}
	return o
}

// namesOf returns the tools of a list that texts may name in the answer to a
// request. If the request is limited to reading, these are the tools that read.
func namesOf(list []mcptool.Tool, access mcptool.Access) func(context.Context) output.Available {
	all := access.Available(list)
	access.ReadOnly = true
	reading := access.Available(list)
	return func(ctx context.Context) output.Available {
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

// explain answers calls of tools that a request cannot use with the reason, or with the
// tool that the client probably means. A tool that writes is left out of what a login to
// read may use; the client is told to ask for more.
func (o offer) explain(hooks *server.Hooks, access mcptool.Access) {
	hooks.AddBeforeCallTool(func(ctx context.Context, _ any, request *mcp.CallToolRequest) {
		position, known := o.position[request.Params.Name]
		if who, _ := auth.FromContext(ctx); known && who.Upgradable && o.bound[position].Item().Writes {
			auth.ChallengeFrom(ctx).NeedsWrite()
		}
	})
	hooks.AddOnError(func(ctx context.Context, _ any, _ mcp.MCPMethod, message any, err error) {
		request, ok := message.(*mcp.CallToolRequest)
		if !ok || !errors.Is(err, server.ErrToolNotFound) {
			return
		}
		name := request.Params.Name
		why := o.missing(access, name, func(b mcptool.Bound) bool { return o.pipe.Allows(ctx, b.Item()) })
		if position, known := o.position[name]; known {
			why = fmt.Errorf("%s: %w", name, o.pipe.Permit(ctx, o.bound[position].Item()))
		}
		wire.Fail(ctx, wire.Failure{Code: mcp.INVALID_PARAMS, Message: "tools/call: " + why.Error()})
	})
}

// missing says why no tool has a name, and which of the usable tools may be meant.
func (o offer) missing(access mcptool.Access, tool string, usable func(mcptool.Bound) bool) error {
	for _, known := range tools.All() {
		info := known.Info()
		if info.Name != tool {
			continue
		}
		if name := access.MissingName(info); name != "" {
			return fmt.Errorf("%s is not one of the default tools; to offer it, set OUTLINE_TOOLS=%s,%s", tool, strings.Join(access.Only, ","), name)
		}
		return fmt.Errorf("%s leaves the tool %s out", access.ExcludedBy(info), tool)
	}
	if tool == "" {
		return errors.New("name must be that of a tool, as a string")
	}
	var names []string
	for _, b := range o.bound {
		if usable(b) {
			names = append(names, b.Name)
		}
	}
	return errors.New(strings.TrimSuffix("there is no tool "+output.Excerpt(tool, 60)+"; "+config.DidYouMean(tool, names), "; "))
}

// AccessOf returns which tools the settings let the server offer.
func AccessOf(c config.Config) mcptool.Access {
	a := mcptool.Access{ReadOnly: c.ReadOnly, NoDelete: c.DisableDelete, NoAI: c.DisableAITools, Only: c.Tools, Except: c.ExcludeTools}
	if RulesOf(c).Hide() {
		a.Withheld = boundary.WholeWorkspace()
	}
	if len(a.Only) == 0 {
		a.Only = []string{mcptool.DefaultTools}
	}
	return a
}

// CheckTools is the [config.Check] of the choice of tools: each name must be
// that of a tool or a group, and at least one tool must be left.
func CheckTools(c config.Config) []config.Problem {
	if len(c.Tools)+len(c.ExcludeTools) == 0 {
		return nil // the other settings always leave some
	}
	all := tools.All()
	var names, groups []string
	for _, tool := range all {
		info := tool.Info()
		if info.HasOwnName() {
			names = append(names, info.Name)
		}
		if group := string(info.Group); !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	unknown := func(setting string, given []string, words ...string) (problems []config.Problem) {
		known := slices.Concat(groups, words, names)
		for _, name := range given {
			if slices.Contains(known, name) {
				continue
			}
			advice := fmt.Sprintf("groups are %s; outline-mcp tools lists the tools if %s is not set", strings.Join(slices.Concat(groups, words), ", "), setting)
			if nearest := config.Nearest(name, known); nearest != "" {
				advice = "did you mean " + nearest + "?"
			}
			shown := text.Truncate(outline.Redact(name), 60)
			problems = append(problems, config.Problem{Setting: setting, Text: fmt.Sprintf("no tool or group is called %s; %s", shown, advice)})
		}
		return problems
	}
	const only, except = "OUTLINE_TOOLS", "OUTLINE_EXCLUDE_TOOLS"
	problems := unknown(only, c.Tools, mcptool.DefaultTools, mcptool.EssentialTools, mcptool.CompactTools, mcptool.AllTools)
	misspelled := len(problems) > 0 // what the other names leave says nothing then
	problems = append(problems, unknown(except, c.ExcludeTools)...)
	access := AccessOf(c)
	if _, err := access.Choose(all); err == nil || misspelled {
		return problems
	}
	problem := config.Problem{Setting: only, Also: except, Text: "the settings leave no tool to offer: check OUTLINE_TOOLS and OUTLINE_EXCLUDE_TOOLS; " +
		"look at what OUTLINE_READ_ONLY, OUTLINE_DISABLE_DELETE and OUTLINE_DISABLE_AI_TOOLS leave out as well"}
	access.Only = []string{mcptool.AllTools}
	if _, err := access.Choose(all); err != nil {
		problem.Setting, problem.Also = except, only
	}
	return append(problems, problem)
}

// RulesOf returns which collections the settings let callers see and change.
func RulesOf(c config.Config) boundary.Rules {
	return boundary.Rules{Only: c.Collections, Except: c.ExcludeCollections, Write: c.WriteCollections, Drafts: c.AllowDrafts}
}

// Checks returns the checks of settings that only this package can make. Demo omits
// those of the connection to Outline.
func Checks(demo bool) []config.Check {
	checks := []config.Check{CheckTools, checkCollections(demo), CheckLogin}
	if !demo {
		checks = append(checks, config.CheckLogin)
	}
	return checks
}

// checkCollections returns the [config.Check] of the choice of collections: settings must
// not contradict each other, and what they mean must not be up to callers.
func checkCollections(demo bool) config.Check {
	return func(c config.Config) []config.Problem {
		rules := RulesOf(c)
		found := rules.Contradictions()
		if c.Transport == config.HTTP && c.APIKey == "" && !demo {
			found = append(found, rules.Names()...)
		}
		var problems []config.Problem
		for _, one := range found {
			problems = append(problems, config.Problem{Setting: one.Setting, Text: one.Text})
		}
		return problems
	}
}

// Check returns an error that says why the server offers no tool with this name,
// or nil if it does.
func (a *App) Check(tool string) error {
	if slices.ContainsFunc(a.bound, func(b mcptool.Bound) bool { return b.Name == tool }) {
		return nil
	}
	return offer{bound: a.bound}.missing(AccessOf(a.config), tool, func(mcptool.Bound) bool { return true })
}

// withoutAI keeps to which callers Outline has said that it has no AI. Their lists of
// tools leave out those that need it.
type withoutAI struct{ said expiring.Map[string, bool] }

// learn is told how requests end.
func (w *withoutAI) learn(ctx context.Context, item mcptool.Item, code output.Code) {
	if item.Group == string(tools.AI) && code == output.Unsupported {
		who, _ := auth.FromContext(ctx)
		w.said.Set(who.Subject, true, time.Hour) // an Outline may get AI
	}
}

// list removes from lists of tools those that need AI.
func (w *withoutAI) list(hooks *server.Hooks, o offer) {
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		who, _ := auth.FromContext(auth.Current(ctx))
		if _, lacks := w.said.Get(who.Subject); !lacks {
			return
		}
		result.Tools = slices.DeleteFunc(result.Tools, func(tool mcp.Tool) bool { return o.bound[o.position[tool.Name]].Group == tools.AI })
	})
}

// permittedTools lists the tools that the caller's credential allows. It is only a
// convenience, because Outline itself checks every call: if something cannot be
// found out, no tool is hidden.
type permittedTools struct {
	needs map[string]mcptool.Info // by the tool's name
	to    upstreamClient
	log   *slog.Logger

	known auth.PerCaller[finding]
}

// A finding is what Outline said about a subject.
type finding struct {
	permissions auth.Permissions
	invalid     bool // Outline does not accept the credential, or its owner is suspended
}

func newPermitted(bound []mcptool.Bound, to upstreamClient, log *slog.Logger) *permittedTools {
	p := &permittedTools{needs: map[string]mcptool.Info{}, to: to, log: log}
	for _, b := range bound {
		p.needs[b.Name] = b.Info
	}
	return p
}

// list removes from lists of tools what the caller's credential does not allow.
func (p *permittedTools) list(hooks *server.Hooks) {
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		allows := p.tools(ctx)
		allowed := []mcp.Tool{}
		for _, tool := range result.Tools {
			if allows(tool.Name) {
				allowed = append(allowed, tool)
			}
		}
		result.Tools = allowed
	})
}

// tools returns which tools the caller's credential allows.
func (p *permittedTools) tools(ctx context.Context) func(name string) bool {
	found := p.find(ctx)
	return func(name string) bool {
		needs := p.needs[name]
		return !found.invalid && auth.AllowsTool(needs.Endpoints, needs.AnyEndpoint, found.permissions.Allows)
	}
}

// find returns the finding for the caller, or an empty one if Outline does not
// answer in time.
func (p *permittedTools) find(ctx context.Context) finding {
	principal, _ := auth.FromContext(ctx)
	return p.known.Begin(outline.WithCallOptions(ctx, outline.NoRetries()), func(ctx context.Context) (finding, bool) {
		return p.ask(ctx, principal)
	})()
}

// ask asks Outline for the role of the user and for the scopes of the
// credential. Outline may refuse either question to a credential with few
// scopes; a refusal counts as an answer. It reports whether it got all answers.
func (p *permittedTools) ask(ctx context.Context, principal auth.Principal) (f finding, sure bool) {
	var (
		info         outline.AuthInfo
		listed       []outline.APIKey
		role, scopes error
		both         sync.WaitGroup
	)
	key, isKey := principal.APIKey()
	both.Go(func() { info, role = p.to.client.AuthInfo(ctx) })
	if isKey {
		both.Go(func() { listed, scopes = p.to.client.APIKeys(ctx) })
	}
	both.Wait()
	sure = true
	for _, err := range []error{role, scopes} {
		switch {
		case errors.Is(err, outline.ErrUnauthorized) && principal.Kind == auth.KindLogin:
			sure = false // the client is told to renew the token; other requests of the subject have another one
		case errors.Is(err, outline.ErrUnauthorized), outline.Suspended(err):
			f.invalid = true
		case err != nil && !errors.Is(err, outline.ErrForbidden) && !errors.Is(err, outline.ErrNoKey):
			sure = false
			p.log.WarnContext(ctx, "cannot determine what a key allows; listing all tools", "error", output.Advised(err))
		}
	}
	f.permissions.Role, f.permissions.Commenting = info.User.Role, string(info.Team.Preferences.Commenting)
	f.permissions.Release = bool(info.Release)
	if isKey {
		keys := make([]auth.ListedKey, len(listed))
		for i, one := range listed {
			keys[i] = auth.ListedKey{UserID: one.UserID, Last4: one.Last4, Scopes: one.Scope}
		}
		f.permissions.Scopes, _ = key.Scopes(info.User.ID, keys)
	}
	return f, sure || f.invalid
}
