package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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

// The benchmarks in this file show how the cost of a call grows with its subject.
// Outline's answers come from memory, so what they cost does not count.

const grownCollection = "31bd1765-434e-4d1a-82a2-2674f972cc48"

func grownID(n int) string { return fmt.Sprintf("7c1e55d0-0000-4000-8000-%012d", n) }

// grownWorkspace returns a workspace with a collection of documents, ten below each.
func grownWorkspace(b *testing.B, documents int, text string) *fakeoutline.Workspace {
	b.Helper()
	const user = "6a9bed57-fbb3-40d2-aa9b-09de10784476"
	day := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	seed := fakeoutline.Seed{
		Team:        fakeoutline.Team{ID: "5b0f0d6e-6a3c-4a55-9d0c-1f5d6c2a7e10", Name: "Lights"},
		Users:       []fakeoutline.User{{ID: user, Name: "Hana Weissbach", Email: "hana@lights.example", Role: fakeoutline.Admin, CreatedAt: day}},
		Keys:        []fakeoutline.Key{{ID: grownID(999_999), Secret: fakeoutline.AdminKey, Name: "bench", UserID: user, CreatedAt: day}},
		Collections: []fakeoutline.Collection{{ID: grownCollection, URLID: "xVj43W43Sy", Name: "Engineering", Permission: fakeoutline.ReadWrite, CreatedAt: day, UpdatedAt: day}},
	}
	for n := range documents {
		d := fakeoutline.Document{
			ID: grownID(n), URLID: "D" + grownID(n)[27:], Title: fmt.Sprintf("Service %d", n), Text: text, CollectionID: grownCollection,
			CreatedBy: user, UpdatedBy: user, Collaborators: []string{user}, Revision: 1, CreatedAt: day, UpdatedAt: day, PublishedAt: day,
		}
		if n >= 10 {
			d.ParentID = grownID(n/10 - 1)
		}
		seed.Documents = append(seed.Documents, d)
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// A replay answers each path as the first time.
type replay struct {
	next http.RoundTripper

	mu      sync.Mutex
	answers map[string][]byte
}

// RoundTrip implements http.RoundTripper.
func (r *replay) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	answer, known := r.answers[request.URL.Path]
	if !known {
		response, err := r.next.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if answer, err = io.ReadAll(response.Body); err != nil {
			return nil, err
		}
		r.answers[request.URL.Path] = answer
	} else if request.Body != nil {
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer)),
	}, nil
}

// manual returns Markdown of at least size bytes, as it is common in workspaces.
func manual(size int) string {
	var b strings.Builder
	for chapter := 1; b.Len() < size; chapter++ {
		fmt.Fprintf(&b, "## %d. Running **service %d**\n\n", chapter, chapter)
		for range 4 {
			b.WriteString("Each buoy reports its position, its battery and the state of its light every ten minutes; whoever is on call sees the ones that do not. " +
				"Read [the watch rota](/doc/watch-rota-hDYep1TPAM) first, then run `buoyctl status`: *nothing* is repaired by a **restart** alone.\n\n")
		}
		fmt.Fprintf(&b, "### Steps for `service-%d`\n\n* Say in the channel that you begin\n* Look at [the chart](https://charts.example.com/d/42)\n  * voltage above 11.8\n\n", chapter)
		b.WriteString("| Step | Who | Minutes |\n|------|-----|---------|\n| Swap the cell | Ada | 12 |\n\n```sh\nbuoyctl stop --all\n```\n\n:::info\nAsk before you take a light out of service.\n\n:::\n\n")
	}
	return b.String()
}

// BenchmarkDocumentOfSize reads documents of several sizes. Beside it, the floor
// decodes Outline's answer and does nothing else.
func BenchmarkDocumentOfSize(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		answers := &replay{next: grownWorkspace(b, 1, manual(size)).Transport(), answers: map[string][]byte{}}
		c := benchmarkClient(b, false, answers, "OUTLINE_MAX_RESPONSE_CHARS=0")
		for _, call := range []struct {
			tool      string
			arguments map[string]any
		}{
			{"read_document", map[string]any{"document_id": grownID(0)}},
			{"get_document_outline", map[string]any{"document_id": grownID(0)}},
			{"read_document_section", map[string]any{"document_id": grownID(0), "heading": "Steps for service-1"}},
		} {
			b.Run(fmt.Sprintf("%s/%d", call.tool, size), func(b *testing.B) { benchmarkCall(b, c, call.tool, call.arguments) })
		}
		b.Run(fmt.Sprintf("floor/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var decoded struct {
					Data struct{ ID, Title, Text, URL string }
				}
				if err := json.Unmarshal(answers.answers["/api/documents.info"], &decoded); err != nil || decoded.Data.Text == "" {
					b.Fatal("there is no text: ", err)
				}
			}
		})
	}
}

func BenchmarkTreeOfSize(b *testing.B) {
	for _, size := range []int{10, 1000, 20_000} {
		c := benchmarkClient(b, false, &replay{next: grownWorkspace(b, size, "Ask the watch.").Transport(), answers: map[string][]byte{}})
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			benchmarkCall(b, c, "get_collection_structure", map[string]any{"collection_id": grownCollection, "max_depth": 2})
		})
	}
}

func BenchmarkSearchOfSize(b *testing.B) {
	w := grownWorkspace(b, 100, manual(4000))
	for _, size := range []int{1, 10, 100} {
		c := benchmarkClient(b, false, &replay{next: w.Transport(), answers: map[string][]byte{}})
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			benchmarkCall(b, c, "search_documents", map[string]any{"query": "buoy", "limit": size})
		})
	}
}

func BenchmarkBatchOfSize(b *testing.B) {
	w := grownWorkspace(b, 100, "Ask the watch.")
	for _, size := range []int{1, 10, 50} {
		var ids []string
		for n := range size {
			ids = append(ids, grownID(n))
		}
		c := benchmarkClient(b, false, w.Transport())
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			benchmarkCall(b, c, "batch_read_documents", map[string]any{"document_ids": ids})
		})
	}
}
