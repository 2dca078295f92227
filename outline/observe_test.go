package outline_test

import (
	"context"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline"
)

func TestEachAttemptIsObserved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		var seen []outline.Attempt
		slow := func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answered(200, jsonType, okDocument), nil
		}
		c, _ := scripted(t, func(o *outline.Options) {
			o.Observe = func(ctx context.Context, a outline.Attempt) {
				equal(t, "context", ctx.Value(key{}) == "of the call", true)
				seen = append(seen, a)
			}
		}, fails(syscall.ECONNRESET), rateLimits("Retry-After", "7"), slow)
		if _, err := c.Document(context.WithValue(t.Context(), key{}, "of the call"), uuid); err != nil {
			t.Fatal(err)
		}
		want := []outline.Attempt{
			{Endpoint: "documents.info"},
			{Endpoint: "documents.info", Status: 429, Retry: true},
			{Endpoint: "documents.info", Status: 200, Retry: true, Waited: 7 * time.Second, Duration: time.Second},
		}
		equal(t, "attempts", len(seen), len(want))
		for i := range want {
			equal(t, "attempt", seen[i], want[i])
		}
	})
}

func TestATraceIsPassedOn(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for name, trace := range map[string]outline.Trace{"none": {}, "parent": {Parent: parent}, "both": {Parent: parent, State: "a=b"}, "state alone": {State: "a=b"}} {
		c, _ := scripted(t, nil, func(r *http.Request) (*http.Response, error) {
			want := trace
			if want.Parent == "" {
				want.State = ""
			}
			equal(t, name, outline.Trace{Parent: r.Header.Get("traceparent"), State: r.Header.Get("tracestate")}, want)
			return answered(200, jsonType, okDocument), nil
		})
		if _, err := c.Document(outline.ContextWithTrace(t.Context(), trace), uuid); err != nil {
			t.Error(err)
		}
	}
}
