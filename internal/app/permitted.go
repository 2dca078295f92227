package app

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/explain"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
)

const (
	// permittedFor is how long a finding is valid.
	permittedFor = time.Minute
	// permittedWithin is how long a list of tools waits for Outline.
	permittedWithin = 2 * time.Second
	// permittedSubjects is how many subjects are remembered.
	permittedSubjects = 4096
)

// permitted lists the tools that the caller's credential allows. It is a
// convenience, because Outline itself refuses calls: what cannot be found out
// does not hide a tool.
type permitted struct {
	needs map[string]mcptool.Info // by the tool's name
	to    upstream
	log   *slog.Logger

	mu    sync.Mutex
	known map[string]*finding // by subject
}

// A finding is what Outline said about a subject, once done is closed.
type finding struct {
	done        chan struct{}
	permissions auth.Permissions
	invalid     bool // Outline does not accept the credential, or its owner is suspended
	until       time.Time
}

func newPermitted(bound []mcptool.Bound, to upstream, log *slog.Logger) *permitted {
	p := &permitted{needs: map[string]mcptool.Info{}, to: to, log: log, known: map[string]*finding{}}
	for _, b := range bound {
		p.needs[b.Name] = b.Info
	}
	return p
}

// list removes from lists of tools what the caller's credential does not allow.
func (p *permitted) list(hooks *server.Hooks) {
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		found := p.find(ctx)
		allowed := []mcp.Tool{}
		for _, tool := range result.Tools {
			if needs := p.needs[tool.Name]; !found.invalid && auth.AllowsTool(needs.Endpoints, needs.AnyEndpoint, found.permissions.Allows) {
				allowed = append(allowed, tool)
			}
		}
		result.Tools = allowed
	})
}

// find returns the finding for the caller, or an empty one if Outline does not
// answer in time.
func (p *permitted) find(ctx context.Context) finding {
	principal, _ := auth.FromContext(ctx)
	f := p.begin(ctx, principal)
	select {
	case <-f.done:
		return *f
	case <-time.After(permittedWithin):
	case <-ctx.Done():
	}
	return finding{}
}

// begin returns the finding for a principal, and asks Outline if there is none.
// All requests of one subject wait for the same answer, and none of them ends
// the question by leaving.
func (p *permitted) begin(ctx context.Context, principal auth.Principal) *finding {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.known[principal.Subject]; ok && now.Before(f.until) {
		return f
	}
	if len(p.known) >= permittedSubjects { // forget what has expired, or everything
		maps.DeleteFunc(p.known, func(_ string, f *finding) bool { return !now.Before(f.until) })
		if len(p.known) >= permittedSubjects {
			clear(p.known)
		}
	}
	f := &finding{done: make(chan struct{}), until: now.Add(permittedFor)}
	p.known[principal.Subject] = f
	go func() {
		defer close(f.done)
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), permittedWithin)
		defer cancel()
		if !p.ask(outline.WithCallOptions(asking, outline.NoRetries()), principal, f) { // ask again with the next list
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.known[principal.Subject] == f {
				delete(p.known, principal.Subject)
			}
		}
	}()
	return f
}

// ask asks Outline for the role of the user and for the scopes of the
// credential. Outline may refuse a credential with few scopes either answer,
// which counts as an answer too. It reports whether it got all answers.
func (p *permitted) ask(ctx context.Context, principal auth.Principal, f *finding) (sure bool) {
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
		case errors.Is(err, outline.ErrUnauthorized), outline.Suspended(err):
			f.invalid = true
		case err != nil && !errors.Is(err, outline.ErrForbidden) && !errors.Is(err, outline.ErrNoKey):
			sure = false
			p.log.WarnContext(ctx, "what a key allows is not known; all tools are listed", "error", explain.Advised(err))
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
	return sure || f.invalid
}
