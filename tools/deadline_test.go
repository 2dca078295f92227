package tools_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
	"outline-mcp/tools"
	"outline-mcp/tools/pdftext"
)

// grace is what the calls of these tests may take beyond their time limit.
const grace = time.Second

// repeat writes a text again and again, with a pause after each.
func repeat(w http.ResponseWriter, r *http.Request, begin, text string, times int, pause time.Duration) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, begin)
	for n := 0; n < times && r.Context().Err() == nil; n++ {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		if pause > 0 {
			_ = http.NewResponseController(w).Flush()
			time.Sleep(pause)
		}
	}
}

func refuse(code int, wait string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", wait)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"ok":false,"error":"rate_limit_exceeded"}`)
	}
}

// hostileModes are what an Outline does instead of answering.
func hostileModes() map[string]http.HandlerFunc {
	const endless = 1 << 40
	return map[string]http.HandlerFunc{
		"answers nothing": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drips": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":[`, " ", endless, 50*time.Millisecond)
		},
		"drips objects": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":[{}`, ",{}", endless, time.Millisecond)
		},
		"does not end": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":"`, strings.Repeat("a", 64<<10), endless, 20*time.Millisecond)
		},
		"empty objects": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":[{}`, strings.Repeat(",{}", 1000), 1400, 0)
		},
		"nested arrays": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":`, strings.Repeat("[", 1000), 4000, 0)
		},
		"half an answer": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":{"id":"`, "", 1, 0)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		},
		"429 for a day": refuse(http.StatusTooManyRequests, "86400"),
		"429 at once":   refuse(http.StatusTooManyRequests, "0"),
		"503 for a day": refuse(http.StatusServiceUnavailable, "86400"),
		"503 at once":   refuse(http.StatusServiceUnavailable, "0"),
		"closes":        func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
}

// TestNoCallTakesLongerThanItMay calls every tool while Outline is hostile: from the first
// request of the call on, or after one that it answers.
func TestNoCallTakesLongerThanItMay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, because calls last until their time limit")
	}
	for name, mode := range hostileModes() {
		for _, well := range []int64{0, 1} {
			t.Run(fmt.Sprintf("%s after %d answers", name, well), func(t *testing.T) {
				var all sync.WaitGroup
				places := make(chan struct{}, 32)
				for _, tool := range tools.All() {
					called := tool.Info().Name
					for _, arguments := range forgedCalls("x")[called][:1] {
						places <- struct{}{}
						all.Go(func() {
							defer func() { <-places }()
							timed(t, 500*time.Millisecond, hostileOutline(t, mode, well), called, arguments)
						})
					}
				}
				all.Wait()
			})
		}
	}
}

// hostileOutline returns the address of an Outline that answers some requests of a key.
func hostileOutline(t *testing.T, mode http.HandlerFunc, well int64) string {
	t.Helper()
	wiki, err := fakeoutline.Empty(fakeoutline.Options{Answers: true}, forgedWiki("x"))
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) <= well {
			wiki.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that the client has gone
		mode(w, r)
	}))
	t.Cleanup(func() {
		outline.CloseClientConnections()
		outline.Close()
	})
	return outline.URL
}

// timed calls a tool with a time limit and reports a call that takes too long, or that is told of a bug of this
// server, or more than an answer may have.
func timed(t *testing.T, limit time.Duration, outline, tool string, arguments map[string]any) (answer cli.Answer) {
	t.Helper()
	settings, err := config.Load([]string{"OUTLINE_TOOLS=all", "OUTLINE_API_URL=" + outline, "OUTLINE_API_KEY=" + fakeoutline.AdminKey,
		fmt.Sprint("OUTLINE_CALL_TIMEOUT=", limit), "OUTLINE_STRUCTURED_OUTPUT=on", "OUTLINE_MAX_RETRIES=10"})
	if err != nil {
		t.Error(err)
		return answer
	}
	server, err := app.New(app.Options{Config: settings, Version: "test", PDFText: pdftext.Process{Path: os.Args[0], Args: []string{"extract-pdf"}}.Text})
	if err != nil {
		t.Error(err)
		return answer
	}
	c, err := server.Connect(t.Context())
	if err != nil {
		t.Error(err)
		return answer
	}
	defer c.Close()
	begun := time.Now()
	answer, err = cli.Call(t.Context(), c, tool, arguments)
	t.Logf("%s: %.160s", time.Since(begun), answer.Text)
	if took := time.Since(begun); err != nil || took > limit+grace || answer.Code == output.Internal || len(answer.Structured) > 1<<20 {
		t.Errorf("%s takes %s: %v, %.200s", tool, took, err, answer.Text)
	}
	return answer
}
