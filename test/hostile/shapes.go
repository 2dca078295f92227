// Package hostile makes requests that try to exhaust a server, for the tests of
// its memory.
package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// A Shape is a kind of request that costs a server more than it costs the client.
type Shape struct {
	Name string
	body func(size int) (begin, repeated, end string)
}

// Body returns a message of at most size bytes.
func (s Shape) Body(size int) []byte {
	begin, repeated, end := s.body(size)
	n := (size - len(begin) - len(end)) / len(repeated)
	var b bytes.Buffer
	b.Grow(size)
	b.WriteString(begin)
	for range n {
		b.WriteString(repeated)
	}
	b.WriteString(end)
	return b.Bytes()
}

// Shapes returns all shapes.
func Shapes() []Shape {
	call := func(tool, begin, repeated, end string) func(int) (string, string, string) {
		return func(int) (string, string, string) {
			return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{` + begin, repeated, end + `}}}`
		}
	}
	message := func(begin, repeated, end string) func(int) (string, string, string) {
		return func(int) (string, string, string) { return `{"jsonrpc":"2.0",` + begin, repeated, end + `}` }
	}
	const list = `"id":1,"method":"tools/list","params":`
	return []Shape{
		{"a batch of empty items", call("batch_create_documents", `"items":[{}`, `,{}`, `]`)},
		{"a batch of items in text", call("batch_create_documents", `"items":"[{}`, `,{}`, `]"`)},
		{"a list of empty names", call("batch_archive_documents", `"document_ids":[""`, `,""`, `]`)},
		{"a text", call("create_document", `"title":"x","publish":false,"text":"`, `some words of a text. `, `"`)},
		{"a text of escapes", call("create_document", `"title":"x","text":"`, `\u0001`, `"`)},
		{"a text of line breaks", call("create_document", `"title":"x","text":"`, `\n`, `"`)},
		{"a text of list items", call("create_document", `"title":"x","publish":false,"text":"`, `* \n`, `"`)},
		{"a text of emphasis", call("create_document", `"title":"x","publish":false,"text":"`, `*a* `, `"`)},
		{"a title", call("create_document", `"title":"`, `title `, `"`)},
		{"an edit of many", call("edit_document", `"document_id":"1wPyxUCdt9","edits":[{"old_text":"a","new_text":"b"}`, `,{"old_text":"a","new_text":"b"}`, `]`)},
		{"unknown arguments", call("read_document", `"document_id":"1wPyxUCdt9"`, `,"a":0`, ``)},
		{"lists within lists", func(size int) (string, string, string) {
			half := (size - 200) / 2
			return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"batch_create_documents","arguments":{"items":` + strings.Repeat("[", half), "]", `}}}`
		}},
		{"empty objects in _meta", message(list+`{"_meta":{"a":[{}`, `,{}`, `]}}`)},
		{"members of _meta", message(list+`{"_meta":{"a":0`, `,"a":0`, `}}`)},
		{"a method", message(`"id":1,"params":{},"method":"`, `tools/`, `"`)},
		{"the name of a tool", message(`"id":1,"method":"tools/call","params":{"arguments":{},"name":"`, `tool_`, `"}`)},
		{"an ID", message(`"method":"tools/list","id":"`, `identity`, `"`)},
		{"a client's name", message(`"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"version":"1","name":"`, `name`, `"}}`)},
		{"capabilities", message(`"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"version":"1","name":"x"},"capabilities":{"experimental":{"a":[{}`, `,{}`, `]}}}`)},
		{"a notification", message(`"method":"notifications/progress","params":{"a":[{}`, `,{}`, `]}`)},
		{"a response", message(`"id":1,"result":[{}`, `,{}`, `]`)},
		{"a batch of messages", func(int) (string, string, string) {
			return `[{"jsonrpc":"2.0","id":1,"method":"ping"}`, `,{"jsonrpc":"2.0","id":1,"method":"ping"}`, `]`
		}},
		{"white space", func(int) (string, string, string) { return "", " ", `{"jsonrpc":"2.0","id":1,"method":"ping"}` }},
		{"no JSON", func(int) (string, string, string) { return `{"jsonrpc":"2.0",`, `{`, `` }},
	}
}

// Key returns a made-up key of the form that Outline's have.
func Key(n int) string { return fmt.Sprintf("ol_api_%038d", n) }
