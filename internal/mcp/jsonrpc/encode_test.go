package jsonrpc_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcp/jsonrpc"
)

// same compares a line with what encoding/json makes of the message, which escapes what
// replaces invalid UTF-8.
func same(t *testing.T, message mcp.JSONRPCMessage) {
	t.Helper()
	want, err := json.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	got, err := jsonrpc.Encode(message)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) == string(want)+"\n" {
		return
	}
	var gotValue, wantValue any
	if json.Unmarshal(got, &gotValue) != nil || json.Unmarshal(want, &wantValue) != nil || !strings.Contains(string(want), `\ufffd`) || !reflect.DeepEqual(gotValue, wantValue) {
		t.Errorf("%q, want\n%q", got, want)
	}
}

func answer(id any, result *mcp.CallToolResult) mcp.JSONRPCResponse {
	return mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Result: result}
}

func TestEveryAnswerIsWrittenAsEncodingJSONDoes(t *testing.T) {
	all := strings.Builder{}
	for r := rune(0); r < 0x3000; r++ {
		all.WriteRune(r)
	}
	text := mcp.NewToolResultText(all.String())
	failed := mcp.NewToolResultError("no")
	failed.RawStructuredContent = json.RawMessage(`{"error":"no","code":"not_found"}`)
	modern := mcp.NewToolResultText("x")
	modern.SetResultType(mcp.ResultTypeComplete)
	modern.EnsureResultMeta().AdditionalFields = map[string]any{"a": "<b>"}
	spaced := mcp.NewToolResultText("x")
	spaced.RawStructuredContent = json.RawMessage("{\n  \"a\": 1\n}")
	picture := &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent("a"), mcp.NewImageContent("AA==", "image/png")}}
	noted := mcp.NewTextContent("a")
	noted.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}
	long := mcp.NewToolResultText("")
	for _, begin := range []string{"", "a", "ab", "abc", "\x80", "\xf0\x9f", "\x80\x80\x80\x80"} { // pieces end within characters
		long.Content = append(long.Content, mcp.NewTextContent(begin+strings.Repeat("🍲é\n", 5000)), mcp.NewTextContent(begin+strings.Repeat("\x80", 20000)))
	}
	for name, result := range map[string]*mcp.CallToolResult{
		"long": long,
		"text": text, "failure": failed, "modern": modern, "structured content of several lines": spaced, "picture": picture,
		"annotated": {Content: []mcp.Content{noted}}, "two texts": {Content: []mcp.Content{mcp.NewTextContent("a"), mcp.NewTextContent("b")}},
		"nothing": {}, "no result": nil, "asking": {MultiRoundTripResult: mcp.MultiRoundTripResult{RequestState: "state"}}, "structured": mcp.NewToolResultStructured(map[string]int{"a": 1}, "a"),
	} {
		t.Run(name, func(t *testing.T) {
			same(t, answer(int64(1), result))
			same(t, answer("<id>", result))
		})
	}
	same(t, mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.PARSE_ERROR, "<x>", nil))
	// What the library leaves out: numbers that are 0, and false.
	for _, result := range []any{&mcp.CompleteResult{}, &mcp.ListToolsResult{Tools: []mcp.Tool{{Name: "a"}}}, &mcp.InitializeResult{}, &mcp.ReadResourceResult{}, mcp.EmptyResult{}} {
		same(t, mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId("id"), Result: result})
	}
}

func FuzzAnswersAreWrittenAsEncodingJSONDoes(f *testing.F) {
	f.Add("id", "text", "key", false)
	f.Add("\xff\xfe", "\u2028\x00\"\\<&>\xed\xa0\x80", "\n", true)
	f.Fuzz(func(t *testing.T, id, text, value string, failed bool) {
		result := mcp.NewToolResultText(text)
		result.IsError = failed
		var err error
		if result.RawStructuredContent, err = json.Marshal(map[string]string{"value": value}); err != nil {
			t.Fatal(err)
		}
		same(t, answer(id, result))
	})
}

func TestWhatCannotBeEncodedIsAnError(t *testing.T) {
	if line, err := jsonrpc.Encode(mcp.JSONRPCResponse{Result: func() {}}); err == nil {
		t.Errorf("%s", line)
	}
}

func BenchmarkEncode(b *testing.B) {
	text := strings.Repeat("Say \"done\" when the build is green.\n\n", 1<<20/37)
	raw, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		b.Fatal(err)
	}
	structured := mcp.NewToolResultText(text)
	structured.RawStructuredContent = raw
	for name, result := range map[string]*mcp.CallToolResult{
		"small": mcp.NewToolResultText("done"), "1MiB": mcp.NewToolResultText(text), "1MiB-structured": structured,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := jsonrpc.Encode(answer(int64(1), result)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWithoutArguments(b *testing.B) {
	for name, text := range map[string]string{"small": "done", "1MiB": strings.Repeat("Say \"done\" when the build is green.\n\n", 1<<20/37)} {
		quoted, err := json.Marshal(text)
		if err != nil {
			b.Fatal(err)
		}
		message := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"update_document","arguments":{"text":` + string(quoted) + `}}}`)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				jsonrpc.WithoutArguments(message)
			}
		})
	}
}
