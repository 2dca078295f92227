// Package toolclient calls tools through an MCP client and reads their answers
// in both renderings.
package toolclient

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/output"
)

// Answer is a tool's answer in both renderings.
type Answer struct {
	Text       string
	Structured json.RawMessage // absent when structured output is off
	Code       output.Code     // of a failure; "" for a success
}

// Call calls a tool. The arguments are any value that encodes as a JSON
// object, or nil. A tool that fails is an Answer with a Code, not an error.
func Call(ctx context.Context, c *client.Client, tool string, arguments any) (Answer, error) {
	return call(ctx, c, tool, arguments, nil)
}

func call(ctx context.Context, c *client.Client, tool string, arguments any, meta *mcp.Meta) (Answer, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments, request.Params.Meta = tool, arguments, meta
	result, err := c.CallTool(ctx, request)
	if err != nil {
		return Answer{}, fmt.Errorf("call %s: %w", tool, err)
	}
	answer := Answer{Structured: result.RawStructuredContent}
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			answer.Text += text.Text
		}
	}
	if result.IsError {
		failure := struct {
			Code output.Code `json:"code"`
		}{output.Internal}
		if len(answer.Structured) > 0 {
			if err := json.Unmarshal(answer.Structured, &failure); err != nil {
				return answer, fmt.Errorf("read the failure of %s: %w", tool, err)
			}
		}
		answer.Code = failure.Code
	}
	return answer, nil
}
