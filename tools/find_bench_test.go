package tools_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"outline-mcp/internal/cli"
	"outline-mcp/internal/fakeoutline"
)

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
	if testing.Short() {
		t.Skip("the race detector, which -short is for, takes memory of its own")
	}
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
