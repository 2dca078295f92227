package jsonrpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/mcp/jsonrpc"
)

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
