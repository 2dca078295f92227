package fakeoutline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"outline-mcp/test/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, fixtures.ClosingConnections()) }

func slowWorkspace(t *testing.T, latency time.Duration) *Workspace {
	w := newTestWorkspace(t, Document{Title: "Slow"})
	w.latency = latency
	return w
}

func TestAnAnswerTakesTheLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := slowWorkspace(t, 3*time.Second)
		start := time.Now()
		expectTitles(t, call(t, w, keyOf("member"), "documents.list", `{}`), "Slow")
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it took %v", took)
		}
		start = time.Now()
		expectError(t, call(t, w, "", "documents.list", `{}`), 401, "Authentication required")
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("an error took %v", took)
		}
	})
}

func TestAnAbandonedCallReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := slowWorkspace(t, time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := w.Transport().RoundTrip(newCall(t, keyOf("member"), "documents.list", `{}`).WithContext(ctx))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the error is %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("it returned after %v", took)
		}
	})
}

func TestACallWithAnEndedContextIsNotCarriedOut(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	body := &closeRecorder{Reader: strings.NewReader(`{}`)}
	req := newCall(t, keyOf("member"), "documents.list", "").WithContext(ctx)
	req.Body = body
	if _, err := newTestWorkspace(t).Transport().RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if !body.closed {
		t.Error("the body is not closed")
	}
}

type closeRecorder struct {
	io.Reader
	closed bool
}

func (c *closeRecorder) Close() error {
	c.closed = true
	return nil
}

func TestTransportServesAnHTTPClient(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	client := &http.Client{Transport: w.Transport()}
	req := newCall(t, keyOf("member"), "documents.info", `{"id":"document00"}`)
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != "200 OK" || res.ContentLength != int64(len(body)) || res.Request != req {
		t.Errorf("status %s, %d bytes announced, %d read", res.Status, res.ContentLength, len(body))
	}
}

func TestServerAndTransportAnswerAlike(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	server := httptest.NewServer(w)
	defer server.Close()
	for _, endpoint := range []string{"documents.info", "documents.export", "nope"} {
		var answers []string
		for _, client := range []*http.Client{server.Client(), {Transport: w.Transport()}} {
			req := newCall(t, keyOf("member"), endpoint, `{"id":"document00"}`)
			req.URL.Host = strings.TrimPrefix(server.URL, "http://")
			res, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			answers = append(answers, fmt.Sprint(res.Status, res.Header.Get("Content-Type"), string(body)))
		}
		if answers[0] != answers[1] {
			t.Errorf("%s: the server answers %s, the transport %s", endpoint, answers[0], answers[1])
		}
	}
}

func TestTheServerBreaksOffAnAbandonedAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	defer func() {
		if recovered := recover(); recovered != http.ErrAbortHandler {
			t.Errorf("the handler ended with %v", recovered)
		}
	}()
	newTestWorkspace(t).ServeHTTP(httptest.NewRecorder(), newCall(t, keyOf("member"), "documents.list", `{}`).WithContext(ctx))
}

func TestManyCallersAtOnce(t *testing.T) {
	w := searchWorkspace(t)
	var group sync.WaitGroup
	for caller := range 8 {
		group.Go(func() {
			for range 20 {
				for _, c := range [][2]string{
					{"documents.search", `{"query":"buoy"}`}, {"documents.list", `{}`}, {"collections.documents", `{"id":"` + openID + `"}`},
					{"documents.info", `{"id":"document00"}`}, {"auth.info", `{}`}, {"users.list", `{}`},
				} {
					if answer := call(t, w, keyOf([]string{"admin", "member"}[caller%2]), c[0], c[1]); !answer.OK {
						t.Errorf("%s is %d %s", c[0], answer.Status, answer.Message)
					}
				}
			}
		})
	}
	// Documents change in the meantime.
	for i := range 200 {
		w.store.mu.Lock()
		d := w.store.documents[documentID(0)]
		next, body := d.Document, d.body.content
		next.Revision++
		if i%2 == 0 {
			body = &content{source: body.markdown().Text + " buoy"}
		}
		w.store.put(next, body)
		w.store.mu.Unlock()
	}
	group.Wait()
}

// bench makes one call again and again through the transport.
func bench(b *testing.B, endpoint, body string) {
	w := newSample(b)
	transport := w.Transport()
	reader := strings.NewReader(body)
	req := newCall(b, AdminKey, endpoint, "")
	send := func() {
		reader.Reset(body)
		req.Body, req.ContentLength = io.NopCloser(reader), int64(len(body))
		res, err := transport.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		if res.StatusCode != http.StatusOK {
			b.Fatalf("status %d", res.StatusCode)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			b.Fatal(err)
		}
	}
	send() // prepares the texts
	b.ReportAllocs()
	for b.Loop() {
		send()
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newSample(b)
	}
}

// BenchmarkFirstSearch is a search that has to prepare every text.
func BenchmarkFirstSearch(b *testing.B) {
	for b.Loop() {
		call(b, newSample(b), AdminKey, "documents.search", `{"query":"buoy","limit":1}`)
	}
}

// longest is the urlId of the longest document.
func longest(b *testing.B) string {
	id, size := "", 0
	for _, d := range newSample(b).store.documents {
		if text := d.body.markdown().Text; len(text) > size && d.isActive() {
			id, size = d.URLID, len(text)
		}
	}
	return id
}

func BenchmarkDocumentsInfo(b *testing.B) {
	b.Run("small", func(b *testing.B) {
		bench(b, "documents.info", `{"id":"`+data[[]titled](b, call(b, newSample(b), AdminKey, "documents.list", `{"limit":1}`))[0].ID+`"}`)
	})
	b.Run("long", func(b *testing.B) { bench(b, "documents.info", `{"id":"`+longest(b)+`"}`) })
}

func BenchmarkSearch(b *testing.B) {
	for name, body := range map[string]string{
		"rare word":     `{"query":"voyage","statusFilter":["published"]}`,
		"frequent word": `{"query":"buoy","statusFilter":["published"]}`,
		"three words":   `{"query":"buoy alarm battery","statusFilter":["published"]}`,
		"phrase":        `{"query":"\"on call\" buoy","statusFilter":["published"]}`,
		"no hit":        `{"query":"zeppelin","statusFilter":["published"]}`,
	} {
		b.Run(name, func(b *testing.B) { bench(b, "documents.search", body) })
	}
}

func BenchmarkCollectionsDocuments(b *testing.B) {
	id := data[[]titled](b, call(b, newSample(b), AdminKey, "collections.list", `{}`))[0].ID
	bench(b, "collections.documents", `{"id":"`+id+`"}`)
}

// BenchmarkWrites are writes of a text with what everyday documents have.
func BenchmarkWrites(b *testing.B) {
	const section = "## Deploying\n\nRead [the runbook](https://wiki.example.com/doc/runbook) first, then **check** the dashboards.\n\n" +
		"* announce it\n  * with the ticket\n\n| Region | Owner |\n|--------|-------|\n| eu-1   | Ann   |\n\n```sh\nkubectl get pods\n```\n\n"
	for name, size := range map[string]int{"10 KB": 10 << 10, "1 MB": 1 << 20} {
		text := strings.Repeat(section, size/len(section)) + "The last word is alpha."
		encoded := string(encodeJSON(text)[0])
		b.Run(name+"/create", func(b *testing.B) {
			write(b, newTestWorkspace(b), "documents.create", `{"title":"Page","text":`+encoded+`}`)
		})
		update := func(fields ...string) func(b *testing.B) {
			return func(b *testing.B) {
				for i, field := range fields {
					fields[i] = `{"id":"document00",` + strings.TrimPrefix(field, "{")
				}
				write(b, newTestWorkspace(b, Document{Title: "Page", Text: text}), "documents.update", fields...)
			}
		}
		b.Run(name+"/patch", update(`{"editMode":"patch","findText":"word is alpha","text":"word is omega"}`, `{"editMode":"patch","findText":"word is omega","text":"word is alpha"}`))
		b.Run(name+"/replace", update(`{"text":`+encoded+`}`, `{"text":"one"}`))
	}
}

// write sends requests in turn.
func write(b *testing.B, w *Workspace, endpoint string, bodies ...string) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if e := call(b, w, keyOf("member"), endpoint, bodies[i%len(bodies)]); !e.OK {
			b.Fatal(e.Message)
		}
	}
}

// As in recordings 902, 903, 913 and 2014.
func TestAKeyAndAnAddressMaySendSoManyRequestsToAnEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outline, err := New(Options{RateLimit: RateLimit{Requests: 2}})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(key, endpoint string) *http.Response {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, BaseURL+"/"+endpoint, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+key)
			answer, err := outline.Transport().RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		status := func(key, endpoint string, want int) {
			t.Helper()
			if got := ask(key, endpoint).StatusCode; got != want {
				t.Errorf("%s with %s answers %d, want %d", endpoint, key, got, want)
			}
		}
		status(AdminKey, "auth.info", 200)
		time.Sleep(9 * time.Second)
		status(AdminKey, "auth.info", 200)
		status(AdminKey, "auth.info", 429)
		status(MemberKey, "auth.info", 429)
		status(AdminKey, "collections.list", 200)

		refusal := ask(AdminKey, "auth.info")
		body, err := io.ReadAll(refusal.Body)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"ok":false,"error":"rate_limit_exceeded","status":429,"message":"Rate limit exceeded for this operation"}`; string(body) != want {
			t.Errorf("body %s", body)
		}
		for name, want := range map[string]string{"Retry-After": "51", "RateLimit-Reset": "51", "RateLimit-Limit": "2", "RateLimit-Remaining": "0"} {
			if got := refusal.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		time.Sleep(51 * time.Second)
		status(MemberKey, "auth.info", 200)
	})
}
