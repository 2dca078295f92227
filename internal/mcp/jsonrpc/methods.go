package jsonrpc

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Methods answer the requests of methods that the library does not know, by their names.
// The function gets the parameters and returns the result, or calls [Fail].
type Methods map[string]func(ctx context.Context, params json.RawMessage, meta *mcp.Meta) any

// Answer answers a message, and reports whether its method is one of these. The context
// must be one of Failing, whose failure takes the place of the answer.
func (m Methods) Answer(ctx context.Context, method string, message []byte) (mcp.JSONRPCMessage, bool) {
	answer, known := m[method]
	if !known {
		return nil, false
	}
	id := mcp.NewRequestId(RequestID(ctx))
	var read struct {
		Params json.RawMessage `json:"params"`
	}
	var params struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(message, &read) != nil || len(read.Params) > 0 && json.Unmarshal(read.Params, &params) != nil {
		return mcp.NewJSONRPCError(id, mcp.INVALID_PARAMS, method+": params must be an object", nil), true
	}
	version := params.Meta.ProtocolVersion()
	if version != "" && !mcp.IsValidProtocolVersion(version) {
		unsupported := mcp.UnsupportedProtocolVersionError{Version: version, Supported: server.SupportedProtocolVersionsFromContext(ctx)}.JSONRPCError()
		unsupported.ID = id
		return unsupported, true
	}
	ctx = server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{Modern: mcp.IsModernProtocol(version), ProtocolVersion: version})
	return mcp.NewJSONRPCResultResponse(id, answer(ctx, read.Params, params.Meta)), true
}
