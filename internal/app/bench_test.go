package app_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
)

func benchmarkClient(b *testing.B, structured bool, transport http.RoundTripper, settings ...string) *client.Client {
	b.Helper()
	loaded, err := config.Load(append([]string{"OUTLINE_API_KEY=" + fakeoutline.AdminKey, "OUTLINE_API_URL=" + fakeoutline.BaseURL, fmt.Sprintf("OUTLINE_STRUCTURED_OUTPUT=%t", structured)}, settings...))
	if err != nil {
		b.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: transport})
	if err != nil {
		b.Fatal(err)
	}
	c, err := server.Connect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

func sampleTransport(b *testing.B) http.RoundTripper {
	b.Helper()
	sample, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return sample.Transport()
}

func benchmarkCall(b *testing.B, c *client.Client, tool string, arguments map[string]any) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		answer, err := cli.Call(b.Context(), c, tool, arguments)
		if err != nil || answer.Code != "" {
			b.Fatal(err, answer.Text)
		}
	}
}

// bothRenderings runs a benchmark with structured output off and on.
func bothRenderings(b *testing.B, run func(b *testing.B, structured bool)) {
	for name, structured := range map[string]bool{"text": false, "structured": true} {
		b.Run(name, func(b *testing.B) { run(b, structured) })
	}
}

func BenchmarkBuildServer(b *testing.B) {
	bothRenderings(b, func(b *testing.B, structured bool) {
		loaded, err := config.Load([]string{"OUTLINE_API_KEY=ol_api_fake"})
		if err != nil {
			b.Fatal(err)
		}
		loaded.StructuredOutput = structured
		b.ReportAllocs()
		for b.Loop() {
			if _, err := app.New(app.Options{Config: loaded, Version: "test"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkListTools(b *testing.B) {
	bothRenderings(b, func(b *testing.B, structured bool) {
		c := benchmarkClient(b, structured, sampleTransport(b))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.ListTools(b.Context(), mcp.ListToolsRequest{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkReadSmallDocument(b *testing.B) {
	bothRenderings(b, func(b *testing.B, structured bool) {
		benchmarkCall(b, benchmarkClient(b, structured, sampleTransport(b)), "read_document", map[string]any{"document_id": "1wPyxUCdt9"})
	})
}

func BenchmarkSearch(b *testing.B) {
	bothRenderings(b, func(b *testing.B, structured bool) {
		benchmarkCall(b, benchmarkClient(b, structured, sampleTransport(b)), "search_documents", map[string]any{"query": "buoy battery", "limit": 25})
	})
}

// What the audit trail adds to a call that reads and to one that writes.
func BenchmarkAudit(b *testing.B) {
	for _, on := range []bool{false, true} {
		var settings []string
		if on {
			settings = append(settings, "MCP_AUDIT_LOG="+filepath.Join(b.TempDir(), "audit.jsonl"))
		}
		c := benchmarkClient(b, false, sampleTransport(b), settings...)
		b.Run(fmt.Sprintf("reads, on %t", on), func(b *testing.B) {
			benchmarkCall(b, c, "read_document", map[string]any{"document_id": "nZ6gtUCAIG"})
		})
		b.Run(fmt.Sprintf("writes, on %t", on), func(b *testing.B) {
			benchmarkCall(b, c, "create_document", map[string]any{"title": "Tides", "text": "x", "publish": false})
		})
	}
}
