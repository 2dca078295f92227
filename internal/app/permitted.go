package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
)

const (
	// permittedFor is how long what Outline told of a key is good for.
	permittedFor = time.Minute
	// permittedWithin is how long a list of tools waits for Outline.
	permittedWithin = 2 * time.Second
	// permittedKeys is how many keys are remembered.
	permittedKeys = 4096
)

// permitted lists the tools that the caller's key allows. It is a convenience:
// calls are Outline's to refuse. So whatever cannot be found out is no reason
// to hide a tool.
type permitted struct {
	needs map[string]mcptool.Info // by the tool's name
	to    upstream
	log   *slog.Logger

	mu    sync.Mutex
	known map[[sha256.Size]byte]*finding // by the hash of the key
}

// A finding is what Outline told of a key, once done is closed.
type finding struct {
	done    chan struct{}
	key     auth.Permissions
	invalid bool // Outline does not know the key
	until   time.Time
}

func newPermitted(bound []mcptool.Bound, to upstream, log *slog.Logger) *permitted {
	p := &permitted{needs: map[string]mcptool.Info{}, to: to, log: log, known: map[[sha256.Size]byte]*finding{}}
	for _, b := range bound {
		p.needs[b.Name] = b.Info
	}
	return p
}

// list takes from lists of tools what the caller's key does not allow.
func (p *permitted) list(hooks *server.Hooks) {
	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		found := p.find(ctx)
		allowed := []mcp.Tool{}
		for _, tool := range result.Tools {
			if needs := p.needs[tool.Name]; !found.invalid && auth.AllowsTool(needs.Endpoints, needs.AnyEndpoint, found.key.Allows) {
				allowed = append(allowed, tool)
			}
		}
		result.Tools = allowed
	})
}

// find returns what is known of the caller's key; of one that Outline does not
// tell in time, nothing.
func (p *permitted) find(ctx context.Context) finding {
	f := p.begin(ctx, p.to.keyFor(ctx))
	patience := time.NewTimer(permittedWithin)
	defer patience.Stop()
	select {
	case <-f.done:
		return *f
	case <-patience.C:
	case <-ctx.Done():
	}
	return finding{}
}

// begin returns the finding of a key, and asks Outline if there is none. All
// who list with one key at a time wait for one answer, and none of them ends it
// by leaving.
func (p *permitted) begin(ctx context.Context, key string) *finding {
	id := sha256.Sum256([]byte(key))
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if f, ok := p.known[id]; ok && now.Before(f.until) {
		return f
	}
	if len(p.known) >= permittedKeys {
		p.forget(now)
	}
	f := &finding{done: make(chan struct{}), until: now.Add(permittedFor)}
	p.known[id] = f
	go func() {
		defer close(f.done)
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), permittedWithin)
		defer cancel()
		sure := p.ask(outline.WithCallOptions(asking, outline.NoRetries()), key, f)
		if !sure { // ask again with the next list
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.known[id] == f {
				delete(p.known, id)
			}
		}
	}()
	return f
}

// forget makes room: it drops what is too old, or all if nothing is.
func (p *permitted) forget(now time.Time) {
	for id, f := range p.known {
		if !now.Before(f.until) {
			delete(p.known, id)
		}
	}
	if len(p.known) >= permittedKeys {
		clear(p.known)
	}
}

// ask asks Outline for the role of the key's owner and for the key's scopes. A
// scoped key may be refused either, which is an answer, too. It reports whether
// it got answers to both.
func (p *permitted) ask(ctx context.Context, key string, f *finding) (sure bool) {
	var (
		info       outline.AuthInfo
		keys       []outline.APIKey
		role, list error
		both       sync.WaitGroup
	)
	both.Go(func() { info, role = p.to.client.AuthInfo(ctx) })
	both.Go(func() { keys, list = p.to.client.APIKeys(ctx) })
	both.Wait()
	sure = true
	for _, err := range []error{role, list} {
		switch {
		case errors.Is(err, outline.ErrUnauthorized):
			f.invalid = true
		case err != nil && !errors.Is(err, outline.ErrForbidden) && !errors.Is(err, outline.ErrNoKey):
			sure = false
			p.log.WarnContext(ctx, "what a key allows is not known; all tools are listed", "error", err)
		}
	}
	listed := make([]auth.ListedKey, len(keys))
	for i, one := range keys {
		listed[i] = auth.ListedKey{UserID: one.UserID, Last4: one.Last4, Scopes: one.Scope}
	}
	f.key.Role = info.User.Role
	f.key.Scopes, _ = auth.APIKey(key).Scopes(info.User.ID, listed)
	return sure || f.invalid
}
