package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// canned answers each endpoint, or endpoint and version of the API, with the same
// bytes, at no cost.
type canned map[string][]byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	status, answer := 200, c[path.Base(r.URL.Path)+r.Header.Get("x-api-version")]
	if bytes.Contains(body, []byte(`"editMode":"patch","id":"00000000-`)) {
		status, answer = 400, []byte(`{"ok":false,"error":"validation_error","message":"lastRevision: Invalid input"}`)
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(answer)), ContentLength: int64(len(answer))}, nil
}

// BenchmarkEdit measures our own share of an edit, without waiting for Outline.
// Without trees, Outline answers with the whole text in another form, so every word
// must be compared.
func BenchmarkEdit(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"10 KB", 10 << 10}, {"1 MB", 1 << 20}} {
		var text strings.Builder
		for i := 0; text.Len() < size.bytes; i++ {
			text.WriteString("A line of *words* number " + uuid(i) + " and [a link](https://example.com/path).\n\n")
		}
		before := text.String() + "the last line"
		after := strings.Replace(before, "the last line", "the very last line", 1)
		b.Run(size.name, func(b *testing.B) {
			benchmarkEdit(b, len(before), canned{
				"documents.info": textAnswer(b, before, 1), "documents.info3": treeAnswer(b, before, 1), "documents.update3": treeAnswer(b, after, 2),
			})
		})
		b.Run(size.name+" without trees", func(b *testing.B) {
			benchmarkEdit(b, len(before), canned{
				"documents.info": textAnswer(b, before, 1), "documents.info3": textAnswer(b, before, 1),
				"documents.update": textAnswer(b, strings.ReplaceAll(after, "*words*", "_words_"), 2),
			})
		})
	}
}

func textAnswer(b *testing.B, text string, revision int) []byte {
	return answerWith(b, "text", text, revision)
}

func treeAnswer(b *testing.B, text string, revision int) []byte {
	return answerWith(b, "data", prosemirror.Parse(text), revision)
}

func answerWith(b *testing.B, key string, content any, revision int) []byte {
	raw, err := json.Marshal(map[string]any{"ok": true, "data": map[string]any{"id": uuid(1), "url": "/doc/x-1FF9VyHA4X", "title": "x", key: content, "revision": revision}})
	if err != nil {
		b.Fatal(err)
	}
	return raw
}

func benchmarkEdit(b *testing.B, size int, answers canned) {
	loaded, err := config.Load([]string{"OUTLINE_API_URL=http://outline.test", "OUTLINE_API_KEY=ol_api_fake"})
	if err != nil {
		b.Fatal(err)
	}
	server, err := app.New(app.Options{Config: loaded, Version: "test", Transport: answers})
	if err != nil {
		b.Fatal(err)
	}
	c, err := server.Connect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		answer, err := cli.Call(b.Context(), c, "edit_document", map[string]any{"document_id": uuid(1),
			"edits": []any{map[string]any{"old_text": "the last line", "new_text": "the very last line"}}})
		if err != nil || answer.Code != "" || !strings.HasPrefix(answer.Text, "Edited") {
			b.Fatal(err, answer.Text[:min(300, len(answer.Text))])
		}
	}
}

// library is a workspace of documents of 5,000 bytes each.
func library(tb testing.TB, documents int) *fakeoutline.Workspace {
	tb.Helper()
	seed := emptySeed()
	text := strings.Repeat("The lantern of the lightship is trimmed at dusk, and the keeper writes the hour into the book.\n\n", 52)
	for n := 1; n <= documents; n++ {
		d := wikiPage(n, "", fmt.Sprintf("Page %d", n), fmt.Sprintf("## Part %d\n\n%s", n, text))
		d.CreatedAt = wikiDay(n)
		seed.Documents = append(seed.Documents, d)
	}
	w, err := fakeoutline.Empty(fakeoutline.Options{}, seed)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// listAll makes the requests of a search through a whole list, as many at a time,
// and reads the answers without decoding them.
func listAll(tb testing.TB, outline http.RoundTripper, documents int) {
	tb.Helper()
	request := func(offset int) {
		body := fmt.Sprintf(`{"sort":"createdAt","direction":"ASC","limit":100,"offset":%d}`, offset)
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, fakeoutline.BaseURL+"/documents.list", strings.NewReader(body))
		if err != nil {
			tb.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+fakeoutline.AdminKey)
		r.Header.Set("Content-Type", "application/json")
		answer, err := outline.RoundTrip(r)
		if err != nil {
			tb.Error(err)
			return
		}
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			tb.Error(answer.Status, err)
		}
	}
	request(0)
	offsets := make(chan int)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for offset := range offsets {
				request(offset)
			}
		})
	}
	for offset := 96; offset < documents; offset += 96 {
		offsets <- offset
	}
	close(offsets)
	wait.Wait()
}

func BenchmarkFindIn2000Documents(b *testing.B) {
	outline := library(b, 2000).Transport()
	b.Run("requests alone", func(b *testing.B) {
		for b.Loop() {
			listAll(b, outline, 2000)
		}
	})
	for name, arguments := range map[string]map[string]any{
		"exact":      {"query": "foghorn"},
		"expression": {"query": "fog ?horns?", "regex": true},
		"hostile":    {"query": "(k+)+z", "regex": true},
	} {
		b.Run(name, func(b *testing.B) {
			c := finding(b, outline, 40_000)
			for b.Loop() {
				answer, err := cli.Call(b.Context(), c, "find_in_documents", arguments)
				if err != nil || !strings.Contains(answer.Text, ", 2000 searched") {
					b.Fatal(answer.Text, err)
				}
			}
		})
	}
}

// TestASearchOfManyDocumentsTakesLittleMemory holds the memory of the search to that
// of a few pages. The answers of Outline are replayed, so that only the memory of this server
// is seen.
func TestASearchOfManyDocumentsTakesLittleMemory(t *testing.T) {
	fixtures.Measures(t)
	const limit = 40 << 20
	replayed := recordPages(t, library(t, 2000).Transport())
	c := finding(t, replayed, 40_000)
	runtime.GC()
	var idle runtime.MemStats
	runtime.ReadMemStats(&idle)
	ended := make(chan struct{})
	var most uint64
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapInuse)
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	answer := success(t, c, 40_000, "find_in_documents", map[string]any{"query": "Part", "in": "text", "limit": 500})
	close(ended)
	watch.Wait()
	if !strings.Contains(answer.Text, "matches") {
		t.Error(answer.Text)
	}
	runtime.KeepAlive(replayed)
	used := int64(most) - int64(idle.HeapInuse)
	t.Logf("%.1f MB above idle", float64(used)/(1<<20))
	if used > limit {
		t.Errorf("%d bytes above idle, more than %d", used, limit)
	}
}

// recordPages returns a transport that answers requests again as it did the first
// time.
func recordPages(t *testing.T, outline http.RoundTripper) http.RoundTripper {
	t.Helper()
	r := &recordedPages{outline: outline, answers: map[string][]byte{}}
	c := finding(t, r, 0)
	success(t, c, 1<<30, "find_in_documents", map[string]any{"query": "nothing of the kind"})
	r.outline = nil
	return r
}

type recordedPages struct {
	outline http.RoundTripper

	mu      sync.Mutex
	answers map[string][]byte
}

// RoundTrip implements http.RoundTripper.
func (p *recordedPages) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	key := r.URL.Path + string(asked)
	p.mu.Lock()
	body, known := p.answers[key]
	p.mu.Unlock()
	if !known {
		r.Body = io.NopCloser(bytes.NewReader(asked))
		answer, err := p.outline.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		if body, err = io.ReadAll(answer.Body); err != nil {
			return nil, err
		}
		p.mu.Lock()
		p.answers[key] = body
		p.mu.Unlock()
	}
	answer := httptest.NewRecorder()
	answer.Header().Set("Content-Type", "application/json")
	_, _ = answer.Write(body)
	return answer.Result(), nil
}
