package stdio

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// encode returns a message as a line. The result of a tool encodes itself, and
// its encoding is used unchanged: encoding/json would check it and copy it
// twice, which takes longer than everything else for a long document.
func encode(message mcp.JSONRPCMessage) ([]byte, error) {
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
	encoded, err := result.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode a result: %w", err)
	}
	line := make([]byte, 0, len(encoded)+len(id)+64) // fmt would copy it once more
	line = append(append(line, `{"jsonrpc":"2.0","id":`...), id...)
	line = append(append(line, `,"result":`...), encoded...)
	return append(line, "}\n"...), nil
}
