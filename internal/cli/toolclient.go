// Package cli is what the commands that call tools have in common: `call` and `demo`.
// It calls tools through an MCP client and reads both renderings of their answers. For
// scripts, it reads arguments from files, applies jq expressions to answers, and shows
// progress.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

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

// parseObject parses one JSON object and keeps its numbers as they are written.
// Errors say where in raw they are.
func parseObject(raw []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("it is empty")
	}
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch err := decoder.Decode(&object); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("%s: it ends too early", position(raw, len(raw)))
	case errors.As(err, &syntax): // its offset is that of the byte after the invalid one
		return nil, fmt.Errorf("%s: %w", position(raw, int(syntax.Offset)-1), err)
	case errors.As(err, &kind):
		return nil, fmt.Errorf("it has the wrong type: %s", kind.Value)
	case err != nil:
		return nil, err
	case object == nil:
		return nil, errors.New("it is null")
	}
	end := decoder.InputOffset()
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		rest := raw[end:]
		return nil, fmt.Errorf("%s: unexpected text after it", position(raw, int(end)+len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))))
	}
	return object, nil
}

// position returns the line and column of an offset, both from 1.
func position(raw []byte, offset int) string {
	before := raw[:max(0, min(offset, len(raw)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// WriteJSON writes JSON, indented and with its keys in the order given. It writes
// <, > and & as they are: encoding/json escapes them for the sake of web pages.
func WriteJSON(w io.Writer, raw json.RawMessage) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return fmt.Errorf("indent JSON: %w", err)
	}
	unescape := strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // \\u003c is no escape
	_, err := io.WriteString(w, unescape.Replace(indented.String())+"\n")
	return err
}
