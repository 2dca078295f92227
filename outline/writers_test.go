package outline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

// slowed is a workspace that takes its time to update documents, and records what is
// asked of it.
type slowed struct {
	http.RoundTripper
	takes    time.Duration
	mu       sync.Mutex
	requests []string
	sent     []string // bodies of updates
	probes   int
}

func (s *slowed) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	s.requests = append(s.requests, path.Base(r.URL.Path))
	update, probe := path.Base(r.URL.Path) == "documents.update", strings.Contains(string(body), noDocument)
	if update && probe {
		s.probes++
	} else if update {
		s.sent = append(s.sent, string(body))
	}
	s.mu.Unlock()
	if !update || probe {
		return s.RoundTripper.RoundTrip(r)
	}
	time.Sleep(s.takes)
	return s.RoundTripper.RoundTrip(r)
}

const noDocument = "00000000-0000-4000-8000-000000000000"

// shared returns a client whose callers bring their keys, and the ID of a document.
func shared(t *testing.T, transport func(http.RoundTripper) http.RoundTripper, options fakeoutline.Options) (*outline.Client, string) {
	t.Helper()
	w, err := fakeoutline.New(options)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) {
		o.Transport, o.MaxRetries = transport(w.Transport()), 3
	})
	ctx := as(t.Context(), fakeoutline.AdminKey)
	collections, err := c.Collections(ctx, outline.ListParams{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	document, err := c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x", Text: "one", CollectionID: collections.Items[0].ID, Publish: true})
	if err != nil {
		t.Fatal(err)
	}
	return c, document.ID
}

// onePlan is a plan that replaces the whole text by itself and a paragraph, which is
// right only for the text that it was made for.
func onePlan(words string) func(outline.Document, *edit.Params) error {
	return func(now outline.Document, change *edit.Params) error {
		change.Text = new(now.Text + "\n\n" + words)
		return nil
	}
}

func TestCallersOfOneClientDoNotOverwriteEachOther(t *testing.T) {
	for name, options := range map[string]fakeoutline.Options{"guarded": {}, "unguarded": {NoRevisionCheck: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, id := shared(t, func(w http.RoundTripper) http.RoundTripper {
					return &slowed{RoundTripper: w, takes: 50 * time.Millisecond}
				}, options)
				var group sync.WaitGroup
				for i := range 20 {
					group.Go(func() {
						ctx := as(t.Context(), fmt.Sprintf("ol_api_demo_user_%d", i%3))
						if _, err := edit.Update(ctx, c, edit.Params{ID: id, Plan: onePlan(fmt.Sprintf("paragraph %d.", i))}); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
				now, err := c.Document(as(t.Context(), fakeoutline.AdminKey), id)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 20 {
					if words := fmt.Sprintf("paragraph %d.", i); strings.Count(now.Text, words) != 1 {
						t.Errorf("%q is there %d times", words, strings.Count(now.Text, words))
					}
				}
			})
		})
	}
}

func TestADocumentIsReadAgainOnlyIfAnotherCallerWroteIt(t *testing.T) {
	watched := &slowed{}
	c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { watched.RoundTripper = w; return watched }, fakeoutline.Options{})
	ctx := as(t.Context(), fakeoutline.AdminKey)
	write := func(before outline.Document) outline.Document {
		t.Helper()
		update, err := edit.Update(ctx, c, edit.Params{Before: &before, Plan: onePlan("more")})
		if err != nil {
			t.Fatal(err)
		}
		return update.After
	}
	before, err := c.DocumentWithTree(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	write(before)
	for name, test := range map[string]struct {
		before   func() outline.Document
		requests string
	}{
		"as another update left it": {func() outline.Document { return write(write(read(t, ctx, c, id))) }, "documents.update"},
		"as it was just read":       {func() outline.Document { return read(t, ctx, c, id) }, "documents.update"},
		"as it was before another update": {func() outline.Document {
			before := read(t, ctx, c, id)
			write(before)
			return before
		}, "documents.info documents.update"},
	} {
		t.Run(name, func(t *testing.T) {
			before := test.before()
			watched.requests = nil
			write(before)
			equal(t, "requests", strings.Join(watched.requests, " "), test.requests)
		})
	}
}

func read(t *testing.T, ctx context.Context, c *outline.Client, id string) outline.Document {
	t.Helper()
	document, err := c.DocumentWithTree(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// limitedCaller answers the updates of one caller with a used-up rate limit, until it is
// free.
type limitedCaller struct {
	http.RoundTripper
	key   string
	until time.Time
}

func (l *limitedCaller) RoundTrip(r *http.Request) (*http.Response, error) {
	if path.Base(r.URL.Path) == "documents.update" && r.Header.Get("Authorization") == "Bearer "+l.key && time.Now().Before(l.until) {
		answer := answered(429, jsonType, `{"ok":false,"error":"rate_limit_exceeded","message":"x"}`)
		answer.Header.Set("Retry-After", "10")
		return answer, nil
	}
	return l.RoundTripper.RoundTrip(r)
}

func TestACallerThatWaitsForItsRateLimitHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &limitedCaller{key: "ol_api_demo_user_1"}
		c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { slow.RoundTripper = w; return slow }, fakeoutline.Options{})
		slow.until = time.Now().Add(10 * time.Second)
		start := time.Now()
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := edit.Update(as(t.Context(), slow.key), c, edit.Params{ID: id, Plan: onePlan("late")}); err != nil {
				t.Error(err)
			}
			if took := time.Since(start); took < 10*time.Second {
				t.Errorf("the limit held for %s", took)
			}
		})
		time.Sleep(time.Second)
		if _, err := edit.Update(as(t.Context(), fakeoutline.AdminKey), c, edit.Params{ID: id, Plan: onePlan("early")}); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("another caller waited %s", took)
		}
		group.Wait()
		now, err := c.Document(as(t.Context(), fakeoutline.AdminKey), id)
		if err != nil || now.Text != "one\n\nearly\n\nlate" {
			t.Errorf("%q, %v", now.Text, err)
		}
	})
}

func TestWaitingForOtherUpdatesEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { return &slowed{RoundTripper: w, takes: 5 * time.Second} }, fakeoutline.Options{})
		ctx := as(t.Context(), fakeoutline.AdminKey)
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := edit.Update(ctx, c, edit.Params{ID: id, Plan: onePlan("first")}); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Second)
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_, err := edit.Update(short, c, edit.Params{ID: id, Plan: onePlan("second")})
		if !errors.Is(err, outline.ErrTimeout) || outline.OutcomeUnknown(err) || !strings.Contains(err.Error(), "nothing was sent") {
			t.Errorf("error %v", err)
		}
		group.Wait()
	})
}
