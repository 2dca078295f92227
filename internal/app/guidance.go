package app

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcp/wire"
	"outline-mcp/internal/observe/audit"
	"outline-mcp/internal/text"
	"outline-mcp/outline"
	"outline-mcp/output"
	"outline-mcp/resources"
	"outline-mcp/tools"
)

// callers finds out who the caller of a request is, and what the admins of the caller's
// workspace tell AI clients.
type callers struct {
	client *outline.Client
	known  auth.PerCaller[caller]
}

// caller is what Outline says about a caller. If it was not asked, because the credential
// does not allow that or it did not answer in time, everything is empty.
type caller struct {
	user     audit.User
	guidance string // or its beginning
	final    bool   // asking again would give the same
}

const (
	// patience is how long the first answer of the server waits for Outline.
	patience = time.Second
	// keptGuidance is how much is kept for a caller, in code points: more than fits into
	// instructions.
	keptGuidance = tools.MaxInstructions + 1
)

func (c *callers) of(ctx context.Context) caller {
	return c.known.Begin(outline.WithCallOptions(ctx, outline.NoRetries()), func(ctx context.Context) (caller, bool) {
		who, err := c.client.AuthInfo(ctx)
		found := caller{user: audit.User{ID: who.User.ID, Name: who.User.Name}, guidance: strings.Clone(text.Truncate(tools.Guidance(who.Team.GuidanceMCP), keptGuidance))}
		found.final = err == nil || errors.Is(err, outline.ErrForbidden) || errors.Is(err, outline.ErrNoKey)
		return found, found.final
	})()
}

// user returns the user of a caller for the audit trail, or nil, and whether that is final.
func (c *callers) user(ctx context.Context) (*audit.User, bool) {
	found := c.of(ctx)
	if found.user.ID == "" {
		return nil, found.final
	}
	return &found.user, true
}

// guidance returns the beginning of the guidance for the caller of ctx. It is "" if there
// is none, or if Outline does not answer in time.
func (c *callers) guidance(ctx context.Context) string {
	if ctx.Value(noGuidanceKey{}) != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.of(ctx).guidance
}

type noGuidanceKey struct{}

// withoutGuidance returns a context for a client that does not show instructions to a model.
func withoutGuidance(ctx context.Context) context.Context {
	return context.WithValue(ctx, noGuidanceKey{}, true)
}

// instruct sends each client instructions that name only the tools offered to it, and
// the guidance of its workspace. readable says whether clients can read the latter as a
// resource.
func (o offer) instruct(hooks *server.Hooks, c *callers, readable bool) {
	instructions := func(ctx context.Context) string {
		available, rest := o.pipe.Names(ctx), ""
		switch {
		case readable:
			rest = "the resource " + resources.GuidanceURI
		case available.Advise("get_workspace") != "":
			rest = "get_workspace"
		}
		return tools.WithGuidance(tools.Instructions(available), c.guidance(ctx), rest)
	}
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.Instructions = instructions(ctx)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.Instructions = instructions(ctx)
	})
}

// skillsTTL is how long clients may keep skills, in milliseconds.
const skillsTTL = 60_000

// skillResult is the result of both methods for skills (SEP-2640). From protocol version
// 2026-07-28 on, it has what all results have.
type skillResult struct {
	Skills     *[]resources.Skill `json:"skills,omitempty"`
	Skill      *resources.Skill   `json:"skill,omitempty"`
	NextCursor string             `json:"nextCursor,omitempty"`
	ResultType mcp.ResultType     `json:"resultType,omitempty"`
	TTL        int                `json:"ttlMs,omitempty"`
	CacheScope mcp.CacheScope     `json:"cacheScope,omitempty"`
}

// skillsPerPage is how many skills a page of the list has.
const skillsPerPage = 100

// skillMethods answer requests for skills.
func skillMethods(r *resources.Server) wire.Methods {
	result := func(ctx context.Context) skillResult {
		if !server.IsModernRequest(ctx) {
			return skillResult{}
		}
		return skillResult{ResultType: mcp.ResultTypeComplete, TTL: skillsTTL, CacheScope: mcp.CacheScopePrivate}
	}
	return wire.Methods{
		"skills/list": func(ctx context.Context, params json.RawMessage, meta *mcp.Meta) any {
			var asked struct {
				Cursor string `json:"cursor"`
			}
			from := 0
			if len(params) > 0 && json.Unmarshal(params, &asked) != nil ||
				asked.Cursor != "" && output.DecodeCursor(asked.Cursor, "skills", 1, nil, &from) != nil || from < 0 {
				wire.Fail(ctx, wire.Failure{Code: mcp.INVALID_PARAMS, Message: "skills/list: unknown cursor. Ask for the first page without a cursor."})
				return nil
			}
			all, err := r.Skills(ctx, meta)
			if err != nil {
				return nil // the pipeline has called Fail
			}
			page := all[min(from, len(all)):min(from+skillsPerPage, len(all))]
			answer := result(ctx)
			answer.Skills = &page
			if from += len(page); from < len(all) {
				answer.NextCursor = output.EncodeCursor("skills", 1, nil, from)
			}
			return answer
		},
		"skills/get": func(ctx context.Context, params json.RawMessage, meta *mcp.Meta) any {
			var asked struct {
				URI string `json:"uri"`
			}
			if json.Unmarshal(params, &asked) != nil || asked.URI == "" {
				wire.Fail(ctx, wire.Failure{Code: mcp.INVALID_PARAMS, Message: "skills/get: uri must be the URI of a skill's SKILL.md"})
				return nil
			}
			skill, err := r.Skill(ctx, meta, asked.URI)
			if err != nil {
				return nil // the pipeline has called Fail
			}
			answer := result(ctx)
			answer.Skill = &skill
			return answer
		},
	}
}
