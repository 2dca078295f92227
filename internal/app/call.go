package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

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

// Call calls a tool through an MCP client. The arguments are whatever encodes
// as a JSON object, or nil.
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

// WriteJSON writes JSON indented, its keys in the order they came.
func WriteJSON(w io.Writer, raw json.RawMessage) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return fmt.Errorf("indent JSON: %w", err)
	}
	_, err := w.Write(append(readable(indented.Bytes()), '\n'))
	return err
}

// readable writes <, > and & as they are. encoding/json escapes them, for the
// sake of web pages.
func readable(raw []byte) []byte {
	plain := make([]byte, 0, len(raw)+1)
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			plain = append(plain, raw[i])
			continue
		}
		escape := raw[i:min(i+6, len(raw))]
		switch string(escape) {
		case `\u003c`, `\u003e`, `\u0026`:
			plain = append(plain, map[byte]byte{'c': '<', 'e': '>', '6': '&'}[escape[5]])
			i += 5
		default: // keep the escape and what it escapes
			plain = append(plain, escape[:2]...)
			i++
		}
	}
	return plain
}
