package fakeoutline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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
