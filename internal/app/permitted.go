package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/bysubject"
	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
)

// permitted lists the tools that the caller's credential allows. It is only a
// convenience, because Outline itself checks every call: if something cannot be
// found out, no tool is hidden.
type permitted struct {
	needs map[string]mcptool.Info // by the tool's name
	to    upstream
	log   *slog.Logger

	known bysubject.Cache[finding]
}

// A finding is what Outline said about a subject.
type finding struct {
	permissions auth.Permissions
	invalid     bool // Outline does not accept the credential, or its owner is suspended
}

func newPermitted(bound []mcptool.Bound, to upstream, log *slog.Logger) *permitted {
	p := &permitted{needs: map[string]mcptool.Info{}, to: to, log: log}
	for _, b := range bound {
		p.needs[b.Name] = b.Info
	}
	return p
}

// list removes from lists of tools what the caller's credential does not allow.
func (p *permitted) list(hooks *server.Hooks) {
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
func (p *permitted) tools(ctx context.Context) func(name string) bool {
	found := p.find(ctx)
	return func(name string) bool {
		needs := p.needs[name]
		return !found.invalid && auth.AllowsTool(needs.Endpoints, needs.AnyEndpoint, found.permissions.Allows)
	}
}

// find returns the finding for the caller, or an empty one if Outline does not
// answer in time.
func (p *permitted) find(ctx context.Context) finding {
	principal, _ := auth.FromContext(ctx)
	return p.known.Begin(outline.WithCallOptions(ctx, outline.NoRetries()), func(ctx context.Context) (finding, bool) {
		return p.ask(ctx, principal)
	})()
}

// ask asks Outline for the role of the user and for the scopes of the
// credential. Outline may refuse either question to a credential with few
// scopes; a refusal counts as an answer. It reports whether it got all answers.
func (p *permitted) ask(ctx context.Context, principal auth.Principal) (f finding, sure bool) {
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
		case errors.Is(err, outline.ErrCancelled):
			sure = false // nobody waits any more
		case err != nil && !errors.Is(err, outline.ErrForbidden) && !errors.Is(err, outline.ErrNoKey):
			sure = false
			p.log.WarnContext(ctx, "cannot find out what a key allows; listing all tools", "error", explain.Advised(err))
		}
	}
	f.permissions.Role, f.permissions.Commenting = info.User.Role, string(info.Team.Preferences.Commenting)
	if isKey {
		keys := make([]auth.ListedKey, len(listed))
		for i, one := range listed {
			keys[i] = auth.ListedKey{UserID: one.UserID, Last4: one.Last4, Scopes: one.Scope}
		}
		f.permissions.Scopes, _ = key.Scopes(info.User.ID, keys)
	}
	return f, sure || f.invalid
}
