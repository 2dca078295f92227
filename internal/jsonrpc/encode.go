package jsonrpc

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// Encode returns a message as a line, with its end. The result of a tool is
// not encoded by encoding/json as a whole, which would check it and copy it several times:
// that takes longer than everything else for a long document.
func Encode(message mcp.JSONRPCMessage) ([]byte, error) {
	response, _ := message.(mcp.JSONRPCResponse)
	result, ok := response.Result.(*mcp.CallToolResult)
	if !ok || result == nil {
		line, err := json.Marshal(message)
		if err != nil {
			return nil, fmt.Errorf("encode a message: %w", err)
		}
		return append(line, '\n'), nil
	}
	id, err := json.Marshal(response.ID)
	if err != nil {
		return nil, fmt.Errorf("encode the ID of a message: %w", err)
	}
	line := make([]byte, 0, lengthOf(result)+len(id))
	line = append(append(line, `{"jsonrpc":"2.0","id":`...), id...)
	line, err = appendResult(append(line, `,"result":`...), *result)
	if err != nil {
		return nil, fmt.Errorf("encode a result: %w", err)
	}
	return append(line, "}\n"...), nil
}

// WithID returns a response with the ID that the request came with. The library
// decodes numbers as float64, which changes large and fractional ones.
func WithID(message mcp.JSONRPCMessage, id json.RawMessage) mcp.JSONRPCMessage {
	switch response := message.(type) {
	case mcp.JSONRPCResponse:
		response.ID = mcp.NewRequestId(id)
		return response
	case mcp.JSONRPCError:
		if !response.ID.IsNil() {
			response.ID = mcp.NewRequestId(id)
		}
		return response
	}
	return message
}
