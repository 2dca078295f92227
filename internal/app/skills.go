package app

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/mcp/jsonrpc"
	"outline-mcp/output"
	"outline-mcp/resources"
)

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
func skillMethods(r *resources.Server) jsonrpc.Methods {
	result := func(ctx context.Context) skillResult {
		if !server.IsModernRequest(ctx) {
			return skillResult{}
		}
		return skillResult{ResultType: mcp.ResultTypeComplete, TTL: skillsTTL, CacheScope: mcp.CacheScopePrivate}
	}
	return jsonrpc.Methods{
		"skills/list": func(ctx context.Context, params json.RawMessage, meta *mcp.Meta) any {
			var asked struct {
				Cursor string `json:"cursor"`
			}
			from := 0
			if len(params) > 0 && json.Unmarshal(params, &asked) != nil ||
				asked.Cursor != "" && output.DecodeCursor(asked.Cursor, "skills", 1, nil, &from) != nil || from < 0 {
				jsonrpc.Fail(ctx, jsonrpc.Failure{Code: mcp.INVALID_PARAMS, Message: "skills/list: unknown cursor. Ask for the first page without a cursor."})
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
				jsonrpc.Fail(ctx, jsonrpc.Failure{Code: mcp.INVALID_PARAMS, Message: "skills/get: uri must be the URI of a skill's SKILL.md"})
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
