package jsonrpc

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/mark3labs/mcp-go/mcp"
)

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
	line, err := json.Marshal(message, jsonv1.DefaultOptionsV1(), jsontext.PreserveRawStrings(true))
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
