package outline_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// handbook is Markdown of about n bytes, with the line ends and quotes that
// cost the decoder time.
func handbook(n int) string {
	const paragraph = "## How we deploy\n\nSay \"done\" when the build is green, and not before.\n\n* build\n* test, always\n\n"
	return strings.Repeat(paragraph, n/len(paragraph)+1)[:n]
}

// BenchmarkDocument reads a document over loopback. What is allocated includes
// the server's part.
func BenchmarkDocument(b *testing.B) {
	for _, size := range []int{100 << 10, 1 << 20} {
		body := documentJSON(handbook(size))
		packed := gzipped(body)
		for name, handler := range map[string]http.HandlerFunc{
			"length": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				reply(w, 200, jsonType, body)
			},
			"gzip": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				reply(w, 200, jsonType, packed)
			},
		} {
			b.Run(fmt.Sprintf("%dKiB/%s", size>>10, name), func(b *testing.B) {
				c := serve(b, handler, nil)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					d, err := c.Document(b.Context(), "1FF9VyHA4X")
					if err != nil || len(d.Text) != size {
						b.Fatal(len(d.Text), err)
					}
				}
			})
		}
	}
}

// BenchmarkDocumentWithTree reads a document as text and as a tree.
func BenchmarkDocumentWithTree(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20} {
		const section = "## How we deploy\n\nSay **done** when the [build](https://ci.example.com) is green, and not before. " +
			"Then wait until the health check has passed in both regions, and tell support.\n\n* build\n* test, always\n\n"
		text := strings.Repeat(section, size/len(section))
		body := documentJSON(text)
		withTree := strings.Replace(body, `"text":`, `"data":`+string(prosemirror.Parse(text).AppendJSON(nil))+`,"unused":`, 1)
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			c := serve(b, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("x-api-version") != "" {
					reply(w, 200, jsonType, withTree)
				} else {
					reply(w, 200, jsonType, body)
				}
			}, nil)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				d, err := c.DocumentWithTree(b.Context(), "1FF9VyHA4X")
				if err != nil || d.Tree == nil {
					b.Fatal(d.Tree, err)
				}
			}
		})
	}
}

// TestALargeDocumentIsNotCopiedNeedlessly holds what is allocated for a
// document, all of net/http's included, under six times its size: for the
// first one and after a pause, when no buffer is left over from another.
func TestALargeDocumentIsNotCopiedNeedlessly(t *testing.T) {
	fixtures.Measures(t)
	for _, size := range []int{1 << 20, 2_200_000, 3_900_000} {
		body := documentJSON(handbook(size))
		packed := gzipped(body)
		for name, handler := range map[string]http.HandlerFunc{
			"of known length": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				w.Header().Set("Content-Type", jsonType)
				_, _ = io.WriteString(w, body)
			},
			"in chunks": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", jsonType)
				w.WriteHeader(200)
				_ = http.NewResponseController(w).Flush()
				_, _ = io.WriteString(w, body)
			},
			"compressed": func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Encoding", "gzip")
				w.Header().Set("Content-Type", jsonType)
				_, _ = io.WriteString(w, packed)
			},
		} {
			t.Run(fmt.Sprintf("%d bytes %s", size, name), func(t *testing.T) {
				c := serve(t, handler, nil)
				for range 3 {
					runtime.GC() // the first empties the pools into
					runtime.GC() // what the second frees
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					if _, err := c.Document(t.Context(), "1FF9VyHA4X"); err != nil {
						t.Fatal(err)
					}
					runtime.ReadMemStats(&after)
					times := float64(after.TotalAlloc-before.TotalAlloc) / float64(size)
					t.Logf("%.2f times the size allocated", times)
					if times > 6 {
						t.Errorf("%.2f times the size allocated", times)
					}
				}
			})
		}
	}
}
