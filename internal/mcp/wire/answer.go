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
	encoded := result{r.Meta, r.Content, r.InputRequests, r.IsError, r.RequestState, r.ResultType, r.StructuredContent}
	if encoded.Content == nil {
		encoded.Content = []mcp.Content{}
	}
	if len(r.RawStructuredContent) > 0 {
		encoded.Structured = jsontext.Value(r.RawStructuredContent)
	}
	return encoded
}
