package outline_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"outline-mcp/outline"
	"outline-mcp/test/fixtures"
)

func TestACompressedAnswerIsRead(t *testing.T) {
	want := strings.Repeat("A line of a long document.\n", 10_000)
	c := serve(t, compressed(documentJSON(want)), nil)
	d, err := c.Document(t.Context(), "1FF9VyHA4X")
	if err != nil || d.Text != want {
		t.Errorf("%d bytes of text, %v", len(d.Text), err)
	}
}

// compressed answers with gzip and fails a client that does not offer it.
func compressed(body string) http.HandlerFunc {
	packed := gzipped(body)
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			http.Error(w, "no gzip", http.StatusNotAcceptable)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		reply(w, 200, jsonType, packed)
	}
}

func gzipped(s string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	_ = z.Close()
	return b.String()
}

func TestAnAnswerOverTheLimitIsRefused(t *testing.T) {
	long := documentJSON(strings.Repeat("x", 100_000))
	for name, handler := range map[string]http.HandlerFunc{
		"of announced length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(long)))
			reply(w, 200, jsonType, long)
		},
		"in chunks": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", jsonType)
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, long)
		},
		"compressed": compressed(long),
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			counted := func(w http.ResponseWriter, r *http.Request) { requests.Add(1); handler(w, r) }
			limit := func(n int) func(*outline.Options) {
				return func(o *outline.Options) { o.MaxAnswerBytes, o.MaxRetries = int64(n), 3 }
			}
			_, err := serve(t, counted, limit(len(long)-1)).Document(t.Context(), "1FF9VyHA4X")
			if !errors.Is(err, outline.ErrAnswerTooLarge) {
				t.Errorf("error %v, want ErrAnswerTooLarge", err)
			}
			suggests(t, err, outline.RaiseAnswerLimit)
			contains(t, err, fmt.Sprint(len(long)-1))
			equal(t, "requests", requests.Load(), 1)

			if _, err := serve(t, counted, limit(len(long))).Document(t.Context(), "1FF9VyHA4X"); err != nil {
				t.Errorf("of exactly the limit: %v", err)
			}
		})
	}
}

func TestReadingStopsAtTheLimitAndTheConnectionIsClosed(t *testing.T) {
	written := make(chan int, 1)
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", jsonType)
		total := 0
		_, err := io.WriteString(w, `{"ok":true,"data":{"id":"`+uuid+`","url":"/doc/x","text":"`)
		for chunk := bytes.Repeat([]byte("x"), 64<<10); err == nil && total < 400<<20; {
			var n int
			n, err = w.Write(chunk)
			total += n
		}
		written <- total
	}, func(o *outline.Options) { o.MaxAnswerBytes = 1 << 20 })

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := c.Document(t.Context(), "1FF9VyHA4X")
	runtime.ReadMemStats(&after)
	if !errors.Is(err, outline.ErrAnswerTooLarge) {
		t.Errorf("error %v, want ErrAnswerTooLarge", err)
	}
	// The rest of what was written is in the buffers of the sockets.
	if total := <-written; total >= 40<<20 {
		t.Errorf("the server could write %d bytes", total)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; fixtures.Thorough() && allocated > 8<<20 {
		t.Errorf("%d bytes allocated for a limit of 1 MiB", allocated)
	}
}

// watched is a body that records how it is used.
type watched struct {
	io.Reader
	read, closed bool
}

func (w *watched) Read(p []byte) (int, error) { w.read = true; return w.Reader.Read(p) }

func (w *watched) Close() error { w.closed = true; return nil }

func TestABodyIsClosedAndOneAnnouncedAsTooLongIsNotRead(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		length int64
		body   io.Reader
		read   bool
	}{
		"success":             {200, -1, strings.NewReader(okDocument), true},
		"bad JSON":            {200, -1, strings.NewReader("{"), true},
		"broken off":          {200, -1, broken{}, true},
		"error":               {500, -1, strings.NewReader(`{"ok":false}`), true},
		"too long":            {200, -1, strings.NewReader(okDocument + strings.Repeat(" ", 1000)), true},
		"announced as longer": {200, 1001, strings.NewReader(okDocument), false},
	} {
		t.Run(name, func(t *testing.T) {
			body := &watched{Reader: test.body}
			c, _ := scripted(t, func(o *outline.Options) { o.MaxAnswerBytes = 1000 }, func(*http.Request) (*http.Response, error) {
				answer := answered(test.status, jsonType, "")
				answer.Body, answer.ContentLength = body, test.length
				return answer, nil
			})
			_, err := c.Document(once(t.Context()), "1FF9VyHA4X")
			equal(t, "success", err == nil, name == "success")
			equal(t, "closed", body.closed, true)
			equal(t, "read", body.read, test.read)
		})
	}
}

func TestAnAnnouncedLengthAloneCostsLittle(t *testing.T) {
	c, _ := scripted(t, func(o *outline.Options) { o.MaxAnswerBytes = 1 << 40 }, func(*http.Request) (*http.Response, error) {
		answer := answered(200, jsonType, okDocument)
		answer.ContentLength = 1 << 39
		return answer, nil
	})
	if _, err := c.Document(t.Context(), "1FF9VyHA4X"); err != nil {
		t.Error(err)
	}
}
