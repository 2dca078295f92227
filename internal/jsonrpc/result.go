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
// would let a buffer grow to the length of the whole, and copy it. Raw structured content is
// appended as it is, without a check that it is valid.
func appendResult(line []byte, result mcp.CallToolResult) ([]byte, error) {
	const noContent = `{"content":[]`
	meta, contents, structured := result.Meta, result.Content, result.RawStructuredContent
	if bytes.IndexByte(structured, '\n') >= 0 { // a line break would end the line
		whole, err := result.MarshalJSON()
		return append(line, whole...), err
	}
	result.Meta, result.Content, result.RawStructuredContent = nil, nil, nil
	if len(structured) > 0 {
		result.StructuredContent = nil // the raw one takes its place
	}
	rest, err := result.MarshalJSON()
	if err != nil {
		return nil, err
	}
	// The keys are sorted: _meta, content, those of rest, structuredContent.
	line = append(line, '{')
	if meta != nil {
		encoded, err := json.Marshal(meta)
		if err != nil {
			return nil, err
		}
		line = append(append(append(line, `"_meta":`...), encoded...), ',')
	}
	line = append(line, noContent[1:len(noContent)-1]...)
	for i, content := range contents {
		if i > 0 {
			line = append(line, ',')
		}
		if line, err = appendContent(line, content); err != nil {
			return nil, err
		}
	}
	line = append(append(line, ']'), rest[len(noContent):]...)
	if len(structured) > 0 {
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

// lengthOf returns about how many bytes the encoding of a result takes. A line that turns
// out longer is allocated again.
func lengthOf(result *mcp.CallToolResult) int {
	length := 256 + len(result.RawStructuredContent)
	for _, content := range result.Content {
		if text, ok := content.(mcp.TextContent); ok {
			length += len(text.Text) + 64
			for _, escaped := range []string{"\n", "\t", `"`, `\`} {
				length += strings.Count(text.Text, escaped)
			}
			for _, escaped := range []string{"<", ">", "&"} { // as \u003c
				length += 5 * strings.Count(text.Text, escaped)
			}
		}
	}
	return length
}
