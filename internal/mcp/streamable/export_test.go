package streamable

import (
	"context"

	"github.com/mark3labs/mcp-go/server"
)

// ReplaceSessions makes a handler find other sessions of the library than it
// expects.
func ReplaceSessions(h *Handler, session server.ClientSession) {
	h.sessionOf = func(context.Context) server.ClientSession { return session }
}
