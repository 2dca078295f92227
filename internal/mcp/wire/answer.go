package wire

import (
	"context"
	"encoding/json"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"outline-mcp/internal/text"
)

// Methods answer the requests of methods that the library does not know, by their names.
// The function gets the parameters and returns the result, or calls [Fail].
type Methods map[string]func(ctx context.Context, params json.RawMessage, meta *mcp.Meta) any

// handle returns the answer to a message, nil if it has none.
func (methods Methods) handle(ctx context.Context, library *server.MCPServer, session server.ClientSession, m message) mcp.JSONRPCMessage {
	failure := &failureSlot{id: m.ID, arguments: m.arguments}
	ctx = context.WithValue(ctx, failureKey{}, failure)
	if m.Method == string(mcp.MethodSubscriptionsListen) && m.isRequest() { // the library would acknowledge it, with a wrong ID
		return mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), mcp.METHOD_NOT_FOUND, m.Method+" is not offered: this server sends no notifications of changes", nil)
	}
	if method := methods[m.Method]; method != nil && m.isRequest() && m.JSONRPC == mcp.JSONRPC_VERSION {
		return failure.Instead(m.answer(ctx, method), m.ID)
	}
	return failure.Instead(library.HandleMessage(library.WithContext(ctx, session), m.content), m.ID)
}

// answer answers a request with one of Methods.
func (m message) answer(ctx context.Context, method func(context.Context, json.RawMessage, *mcp.Meta) any) mcp.JSONRPCMessage {
	id := mcp.NewRequestId(m.ID)
	if len(m.Params) > 0 && !m.known {
		return mcp.NewJSONRPCError(id, mcp.INVALID_PARAMS, m.Method+": params must be an object", nil)
	}
	version := m.params.Meta.ProtocolVersion()
	if version != "" && !mcp.IsValidProtocolVersion(version) {
		return m.unsupported(version)
	}
	ctx = server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{Modern: mcp.IsModernProtocol(version), ProtocolVersion: version})
	return mcp.NewJSONRPCResultResponse(id, method(ctx, m.Params, m.params.Meta))
}

// unsupported answers a message of a version that is not served.
func (m message) unsupported(version string) mcp.JSONRPCError {
	problem := mcp.UnsupportedProtocolVersionError{Version: text.Truncate(version, 100), Supported: mcp.ValidProtocolVersions}.JSONRPCError()
	problem.ID = mcp.NewRequestId(m.ID)
	return problem
}

// Encode returns a message as a line, with its end, as encoding/json writes it. That would
// check and copy the result of a tool several times, which takes longer than everything
// else for a long document.
func Encode(message mcp.JSONRPCMessage) ([]byte, error) {
	if response, ok := message.(mcp.JSONRPCResponse); ok {
		if r, ok := response.Result.(*mcp.CallToolResult); ok && r != nil {
			response.Result = resultOf(r)
			message = response
		}
	}
	line, err := jsonv2.Marshal(message, jsonv1.DefaultOptionsV1(), jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return append(line, '\n'), nil
}

// result is the result of a tool, with the members that the MarshalJSON of
// [mcp.CallToolResult] writes, in the same order.
type result struct {
	Meta          *mcp.Meta         `json:"_meta,omitzero"`
	Content       []mcp.Content     `json:"content"`
	InputRequests mcp.InputRequests `json:"inputRequests,omitempty"`
	IsError       bool              `json:"isError,omitzero"`
	RequestState  string            `json:"requestState,omitzero"`
	ResultType    mcp.ResultType    `json:"resultType,omitzero"`
	Structured    any               `json:"structuredContent,omitzero"`
}

func resultOf(r *mcp.CallToolResult) result {
	encoded := result{
		Meta: r.Meta, Content: r.Content, InputRequests: r.InputRequests, IsError: r.IsError,
		RequestState: r.RequestState, ResultType: r.ResultType, Structured: r.StructuredContent,
	}
	if encoded.Content == nil {
		encoded.Content = []mcp.Content{}
	}
	if len(r.RawStructuredContent) > 0 {
		encoded.Structured = jsontext.Value(r.RawStructuredContent)
	}
	return encoded
}
