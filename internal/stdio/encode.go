package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// encode returns a message as a line. A tool's answer is written in one pass:
// encoding/json would encode it, check and copy what it encoded into the
// message, and copy that, which takes longer than all else that is done for a
// long document.
func encode(message mcp.JSONRPCMessage) ([]byte, error) {
	if response, ok := message.(mcp.JSONRPCResponse); ok {
		if line, ok := encodeAnswer(response); ok {
			return line, nil
		}
	}
	line, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	return append(line, '\n'), nil
}

// encodeAnswer writes the answer of a tool, as encoding/json does. It reports
// whether the answer is one that it knows: text, and structured content, which
// whoever made it has encoded and checked.
func encodeAnswer(response mcp.JSONRPCResponse) ([]byte, bool) {
	result, ok := response.Result.(*mcp.CallToolResult)
	if !ok || result == nil || response.JSONRPC != mcp.JSONRPC_VERSION || result.StructuredContent != nil || len(result.InputRequests) > 0 || result.RequestState != "" ||
		bytes.ContainsAny(result.RawStructuredContent, "\n\r") { // which end the line
		return nil, false
	}
	size := 256 + len(result.RawStructuredContent)
	for _, content := range result.Content {
		text, ok := content.(mcp.TextContent)
		if !ok || text.Type != mcp.ContentTypeText || text.Annotations != nil || text.Meta != nil {
			return nil, false
		}
		size += 64 + len(text.Text) + len(text.Text)/8 // for what is escaped
	}
	id, err := json.Marshal(response.ID)
	if err != nil {
		return nil, false
	}
	line := append(make([]byte, 0, size), `{"jsonrpc":"2.0","id":`...)
	line = append(line, id...)
	line = append(line, `,"result":{`...)
	if result.Meta != nil {
		meta, err := json.Marshal(result.Meta)
		if err != nil {
			return nil, false
		}
		line = append(line, `"_meta":`...)
		line = append(line, meta...)
		line = append(line, ',')
	}
	line = append(line, `"content":[`...)
	for i, content := range result.Content {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, `{"type":"text","text":`...)
		line = appendString(line, content.(mcp.TextContent).Text)
		line = append(line, '}')
	}
	line = append(line, ']')
	if result.IsError {
		line = append(line, `,"isError":true`...)
	}
	if result.ResultType != "" {
		line = append(line, `,"resultType":`...)
		line = appendString(line, string(result.ResultType))
	}
	if len(result.RawStructuredContent) > 0 {
		line = append(line, `,"structuredContent":`...)
		line = append(line, result.RawStructuredContent...)
	}
	return append(line, "}}\n"...), true
}

// appendString appends a string as JSON, escaped as encoding/json does.
func appendString(to []byte, s string) []byte {
	const digits = "0123456789abcdef"
	to = append(to, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' {
				i++
				continue
			}
			to = append(to, s[start:i]...)
			switch c {
			case '"', '\\':
				to = append(to, '\\', c)
			case '\b':
				to = append(to, `\b`...)
			case '\f':
				to = append(to, `\f`...)
			case '\n':
				to = append(to, `\n`...)
			case '\r':
				to = append(to, `\r`...)
			case '\t':
				to = append(to, `\t`...)
			default:
				to = append(to, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xf])
			}
			i++
			start = i
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			to = append(append(to, s[start:i]...), `\ufffd`...)
			start = i + width
		case r == '\u2028' || r == '\u2029': // which JavaScript once took for ends of lines
			to = append(append(to, s[start:i]...), '\\', 'u', '2', '0', '2', digits[r&0xf])
			start = i + width
		}
		i += width
	}
	to = append(to, s[start:]...)
	return append(to, '"')
}
