// Package clientcaps finds what the client of a request has declared that it can do.
package clientcaps

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type key struct{}

// NewContext returns a context in which Of knows what the client has declared earlier.
func NewContext(ctx context.Context, declared mcp.ClientCapabilities) context.Context {
	return context.WithValue(ctx, key{}, declared)
}

// Of returns the capabilities of the client of a request. They are empty if the client
// has not declared any, or if they are not known: before protocol version 2026-07-28,
// clients declare them only when they initialize, and over HTTP each request is a
// session of its own, of which only NewContext knows something.
func Of(ctx context.Context) mcp.ClientCapabilities {
	if server.IsModernRequest(ctx) {
		if declared := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities; declared != nil {
			return *declared
		}
		return mcp.ClientCapabilities{}
	}
	if declared, ok := ctx.Value(key{}).(mcp.ClientCapabilities); ok {
		return declared
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return session.GetClientCapabilities()
	}
	return mcp.ClientCapabilities{}
}
