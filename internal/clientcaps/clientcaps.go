// Package clientcaps finds what the client of a request has declared that it can do.
package clientcaps

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Of returns the capabilities of the client of a request. They are empty if the client
// has not declared any, or if nobody remembers them: before protocol version 2026-07-28,
// clients declare them only when they initialize, and over HTTP each request is a
// session of its own.
func Of(ctx context.Context) mcp.ClientCapabilities {
	if server.IsModernRequest(ctx) {
		if declared := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities; declared != nil {
			return *declared
		}
		return mcp.ClientCapabilities{}
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return session.GetClientCapabilities()
	}
	return mcp.ClientCapabilities{}
}
