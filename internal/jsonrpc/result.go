package jsonrpc

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// appendResult appends the encoding of a tool's result, which is that of its MarshalJSON.
// Texts and structured content, which can be long, are appended by themselves: encoding/json
// would let a buffer grow to the length of the whole, and copy it.
func appendResult(line []byte, result mcp.CallToolResult) ([]byte, error) {
	const noContent = `{"content":[]`
	contents, structured := result.Content, result.RawStructuredContent
	result.Content, result.RawStructuredContent = nil, nil
	if len(structured) > 0 {
		result.StructuredContent = nil // which the raw one goes before
	}
	rest, err := result.MarshalJSON()
	if err != nil {
		return nil, err
	}
	// There is _meta in front of it, or what may not be as encoding/json writes it.
	if !bytes.HasPrefix(rest, []byte(noContent)) || bytes.IndexByte(structured, '\n') >= 0 {
		result.Content, result.RawStructuredContent = contents, structured
		whole, err := result.MarshalJSON()
		return append(line, whole...), err
	}
	line = append(line, noContent[:len(noContent)-1]...)
	for i, content := range contents {
		if i > 0 {
			line = append(line, ',')
		}
		if line, err = appendContent(line, content); err != nil {
			return nil, err
		}
	}
	line = append(append(line, ']'), rest[len(noContent):]...)
	if len(structured) > 0 { // the last key of all
		line = append(line[:len(line)-1], `,"structuredContent":`...)
		line = append(append(line, structured...), '}')
	}
	return line, nil
}

func appendContent(line []byte, content mcp.Content) ([]byte, error) {
	text, ok := content.(mcp.TextContent)
	if !ok || text.Annotations != nil || text.Meta != nil || text.Type != mcp.ContentTypeText {
		encoded, err := json.Marshal(content)
		return append(line, encoded...), err
	}
	line, err := appendString(append(line, `{"type":"text","text":"`...), text.Text)
	return append(line, `"}`...), err
}

// appendString appends a string without its quotation marks. encoding/json gets pieces of
// it, for which the buffer that it keeps is large enough.
func appendString(line []byte, s string) ([]byte, error) {
	const piece = 8 << 10
	to := unquoted{line}
	encoder := json.NewEncoder(&to)
	var next string
	for len(s) > 0 {
		end := len(s)
		if end > piece {
			end = piece
			for end > piece-utf8.UTFMax && !utf8.RuneStart(s[end]) {
				end--
			}
			if !utf8.RuneStart(s[end]) {
				end = piece // no character is that long
			}
		}
		next, s = s[:end], s[end:]
		if err := encoder.Encode(&next); err != nil {
			return nil, err
		}
	}
	return to.line, nil
}

// unquoted takes strings that a json.Encoder writes, each with a single call, and appends
// them without quotation marks and line breaks.
type unquoted struct{ line []byte }

var _ io.Writer = (*unquoted)(nil)

// Write implements io.Writer.
func (u *unquoted) Write(quoted []byte) (int, error) {
	u.line = append(u.line, quoted[1:len(quoted)-2]...)
	return len(quoted), nil
}

// lengthOf returns about how many bytes the encoding of a result takes, and not less if its
// texts hold no control characters other than line breaks.
func lengthOf(result *mcp.CallToolResult) int {
	length := 256 + len(result.RawStructuredContent)
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			length += len(text.Text) + 64
			for _, escaped := range []string{"\n", `"`, `\`} {
				length += strings.Count(text.Text, escaped)
			}
			for _, escaped := range []string{"<", ">", "&"} { // as \u003c
				length += 5 * strings.Count(text.Text, escaped)
			}
		}
	}
	return length
}
