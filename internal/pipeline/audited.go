package pipeline

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/audit"
	"outline-mcp/internal/auth"
	"outline-mcp/internal/jsonrpc"
)

// audited returns what the audit trail says of a request before it runs.
func audited(ctx context.Context, i Item, trace string) audit.Record {
	r := audit.Record{Kind: i.kind(), Name: i.Name, Effect: i.effect(), TraceID: trace, Client: clientOf(ctx)}
	id := jsonrpc.RequestID(ctx)
	if json.Unmarshal(id, &r.RequestID) != nil { // a number
		r.RequestID = string(id)
	}
	if principal, ok := auth.FromContext(ctx); ok && principal.Subject != "" {
		if id := principal.UserID(); id != "" {
			r.User = &audit.User{ID: id}
		}
		r.Credential = &audit.Credential{Kind: string(principal.Kind), ID: principal.ID()}
	}
	return r
}

// effect returns the effect of the item, as documentation names it.
func (i Item) effect() string {
	if i.Writes {
		return cmp.Or(i.Effect, "changes")
	}
	return "reads"
}

// clientOf returns how the client calls itself, or nil if it does not say so: in each
// request from protocol version 2026-07-28 on, before that when a session begins, which
// there is on stdio only.
func clientOf(ctx context.Context) *audit.Client {
	var info mcp.Implementation
	if request := server.RequestProtocolInfoFromContext(ctx); request != nil && request.ClientInfo != nil {
		info = *request.ClientInfo
	} else if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		info = session.GetClientInfo()
	}
	if info.Name == "" {
		return nil
	}
	return &audit.Client{Name: info.Name, Version: info.Version}
}

// lengthOf returns the length of a result in JSON, in bytes, or 0 if there is none. An
// answer that is not itself the result returns it with Answered.
func lengthOf(answer any) int {
	if round, ok := answer.(interface{ Answered() any }); ok {
		answer = round.Answered()
	}
	if answer == nil {
		return 0
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		return 0 // the client does not get it either
	}
	return len(encoded)
}
