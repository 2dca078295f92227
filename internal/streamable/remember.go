package streamable

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/clientcaps"
)

// maxRemembered is the maximum length of what a client says about an extension, as JSON.
const maxRemembered = 512

// remember gives a client that declares the extension to remember a session ID, which
// contains the declaration. Clients of versions up to 2025-11-25 declare what they can do
// in initialize only, and send the session ID with all later requests (MCP 2025-11-25,
// basic/transports, Session Management). So any server knows it, and none keeps anything.
func (h *Handler) remember(m message, header http.Header) {
	var asked mcp.InitializeParams
	if json.Unmarshal(m.Params, &asked) != nil {
		return
	}
	declared, ok := asked.Capabilities.Extensions[h.Remember]
	if !ok {
		return
	}
	if encoded, err := json.Marshal(declared); err == nil && len(encoded) <= maxRemembered {
		header.Set(server.HeaderKeySessionID, rand.Text()+"."+base64.RawURLEncoding.EncodeToString(encoded))
	}
}

// remembered returns a context with what the session ID of a request says about the
// client. The client could say anything about itself: it gets nothing else by it.
func (h *Handler) remembered(ctx context.Context, header http.Header) context.Context {
	_, encoded, _ := strings.Cut(header.Get(server.HeaderKeySessionID), ".")
	content, err := base64.RawURLEncoding.DecodeString(encoded)
	var declared any
	if err != nil || len(content) > maxRemembered || json.Unmarshal(content, &declared) != nil {
		return ctx
	}
	return clientcaps.NewContext(ctx, mcp.ClientCapabilities{Extensions: map[string]any{h.Remember: declared}})
}
