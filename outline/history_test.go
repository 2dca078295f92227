package outline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

// historical is a workspace whose revisions take time, and that records the endpoints
// that are called.
type historical struct {
	http.RoundTripper
	intercept func(r *http.Request, endpoint string) (*http.Response, error) // nil answers as the workspace does

	mu    sync.Mutex
	calls []string
}

func (h *historical) RoundTrip(r *http.Request) (*http.Response, error) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	endpoint := path.Base(r.URL.Path)
	switch {
	case body["id"] == "00000000-0000-4000-8000-000000000000":
		endpoint = "probe"
	case len(body) == 2 && body["done"] == true:
		endpoint = "checkpoint"
	}
	h.mu.Lock()
	h.calls = append(h.calls, endpoint)
	h.mu.Unlock()
	if h.intercept != nil {
		if answer, err := h.intercept(r, endpoint); answer != nil || err != nil {
			return answer, err
		}
	}
	return h.RoundTripper.RoundTrip(r)
}

// count returns how often an endpoint was called.
func (h *historical) count(endpoint string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(slices.DeleteFunc(slices.Clone(h.calls), func(call string) bool { return call != endpoint }))
}

func (h *historical) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = nil
}

const (
	admin     = "90000000-0000-4000-8000-000000000001"
	shelf     = "90000000-0000-4000-8000-000000000003"
	published = "90000000-0000-4000-8000-000000000004"
	draftOnly = "90000000-0000-4000-8000-000000000005"
)

// newHistorical returns a workspace with a published document and a draft outside of
// collections, and a client. No revision holds them.
func newHistorical(t *testing.T, revisionTime time.Duration) (*historical, *outline.Client) {
	t.Helper()
	return newHistoricalLike(t, "", revisionTime)
}

// newHistoricalLike is newHistorical on a release.
func newHistoricalLike(t *testing.T, release fakeoutline.Release, revisionTime time.Duration) (*historical, *outline.Client) {
	t.Helper()
	at := time.Date(1999, 11, 20, 10, 0, 0, 0, time.UTC) // before the clock of synctest starts
	document := fakeoutline.Document{
		URLID: "published1", Title: "Plan", Text: "one", CreatedBy: admin, UpdatedBy: admin, Revision: 7, CreatedAt: at, UpdatedAt: at,
	}
	loose := document
	document.ID, document.CollectionID, document.PublishedAt = published, shelf, at
	loose.ID, loose.URLID = draftOnly, "draftonly1"
	w, err := fakeoutline.Empty(fakeoutline.Options{Release: release, RevisionTime: revisionTime, Latency: 5 * time.Millisecond}, fakeoutline.Seed{
		Users: []fakeoutline.User{{ID: admin, Name: "Ada", Role: fakeoutline.Admin}},
		Keys: []fakeoutline.Key{
			{Secret: testKey, UserID: admin},
			{Secret: "ol_api_scoped", UserID: admin, Scopes: []string{"documents:read", "documents:write"}},
		},
		Collections: []fakeoutline.Collection{{ID: shelf, URLID: "shelf12345", Name: "Shelf", Permission: fakeoutline.ReadWrite, CreatedAt: at, UpdatedAt: at}},
		Documents:   []fakeoutline.Document{document, loose},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &historical{RoundTripper: w.Transport()}
	return h, newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport = h })
}

// update reads a document and updates it as the tools do.
func update(ctx context.Context, c *outline.Client, id string, change edit.Params) (edit.Result, error) {
	before, err := c.DocumentToUpdate(ctx, id, true)
	if err != nil {
		return edit.Result{}, err
	}
	change.Before, change.KeepEarlier = &before, true
	return edit.Update(ctx, c, change)
}

// restore sets a document back to a revision, as a person would in Outline.
func (h *historical) restore(t *testing.T, id, revisionID string) outline.Document {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fakeoutline.BaseURL+"/documents.restore",
		strings.NewReader(fmt.Sprintf(`{"id":%q,"revisionId":%q}`, id, revisionID)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+testKey)
	answer, err := h.RoundTripper.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("restore of revision %q: status %d", revisionID, answer.StatusCode)
	}
	c := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport = h.RoundTripper })
	now, err := c.DocumentWithTree(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// undoes checks that the revision that an update names brings back what it changed.
func (h *historical) undoes(t *testing.T, u edit.Result) {
	t.Helper()
	if u.Earlier == nil {
		t.Fatalf("no revision is named: %s", u.NoEarlier)
	}
	now := h.restore(t, u.Before.ID, u.Earlier.ID)
	equal(t, "title", now.Title, u.Before.Title)
	if !prosemirror.EqualWithoutComments(now.Tree, u.Before.Tree) {
		t.Errorf("restored %q, want %q", now.Text, u.Before.Text)
	}
}

func TestAnUpdateNamesTheRevisionThatUndoesIt(t *testing.T) {
	replace := edit.Params{Text: new("two")}
	for name, test := range map[string]struct {
		prepare     func(t *testing.T, c *outline.Client)
		change      edit.Params
		checkpoints int
		lists       int
	}{
		"when no revision holds it":                 {nil, replace, 1, 5},
		"when a revision holds it":                  {settled, replace, 0, 1},
		"when it was moved since the last revision": {moved, replace, 1, 1},
		"when only the title changes":               {nil, edit.Params{Title: new("Other")}, 1, 5},
		"when the icon changes":                     {settled, edit.Params{Icon: new("🚀")}, 0, 1},
		"when text is appended":                     {nil, edit.Params{Text: new("\n\ntwo"), EditMode: "append"}, 1, 5},
	} {
		for form, id := range map[string]string{"by UUID": published, "by URL ID": "published1"} {
			t.Run(name+" "+form, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h, c := newHistorical(t, 500*time.Millisecond)
					if test.prepare != nil {
						test.prepare(t, c)
					}
					h.forget()
					u, err := update(t.Context(), c, id, test.change)
					if err != nil {
						t.Fatal(err)
					}
					equal(t, "checkpoints", h.count("checkpoint"), test.checkpoints)
					equal(t, "lists of revisions", h.count("revisions.list"), test.lists)
					time.Sleep(time.Second)
					h.undoes(t, u)
				})
			})
		}
	}
}

// settled gives the document another text, and time for the revision of it.
func settled(t *testing.T, c *outline.Client) {
	t.Helper()
	if _, err := edit.Update(t.Context(), c, edit.Params{ID: published, Text: new("zero")}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
}

func moved(t *testing.T, c *outline.Client) {
	t.Helper()
	settled(t, c)
	if _, err := c.MoveDocument(t.Context(), outline.MoveDocumentParams{ID: published, CollectionID: shelf, Index: new(0)}); err != nil {
		t.Fatal(err)
	}
	now, err := c.Document(t.Context(), published)
	if err != nil {
		t.Fatal(err)
	}
	revisions, err := c.Revisions(t.Context(), outline.RevisionsParams{DocumentID: published, Limit: 1})
	if err != nil || now.UpdatedAt.Equal(revisions.Items[0].CreatedAt) {
		t.Fatalf("the move has not changed the time of the document: %v", err)
	}
}

func TestEditsInARowNeedOneCheckpoint(t *testing.T) {
	for name, pause := range map[string]time.Duration{"at once": 0, "a second later": time.Second, "a minute later": time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, c := newHistorical(t, 200*time.Millisecond)
				var updates []edit.Result
				for n := range 20 {
					u, err := update(t.Context(), c, published, edit.Params{Text: new(fmt.Sprintf("\n\nedit %d", n)), EditMode: "append"})
					if err != nil {
						t.Fatal(err)
					}
					updates = append(updates, u)
					time.Sleep(pause)
				}
				equal(t, "checkpoints", h.count("checkpoint"), 1)
				equal(t, "updates", h.count("documents.update"), 20)
				if pause > 0 {
					equal(t, "lists of revisions", h.count("revisions.list"), 23) // three more for the checkpoint
					equal(t, "readings", h.count("documents.info"), 41)           // one more after it
				}
				time.Sleep(time.Second)
				for _, u := range updates {
					h.undoes(t, u)
				}
			})
		})
	}
}

func TestAnUpdateSaysWhyItNamesNoRevision(t *testing.T) {
	hanging := func(r *http.Request, endpoint string) (*http.Response, error) {
		if endpoint == "revisions.list" {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return nil, nil
	}
	failing := func(_ *http.Request, endpoint string) (*http.Response, error) {
		if endpoint == "checkpoint" {
			return answered(500, jsonType, `{"ok":false,"error":"internal_error","message":"x"}`), nil
		}
		return nil, nil
	}
	limiting := func(_ *http.Request, endpoint string) (*http.Response, error) {
		if endpoint == "revisions.list" {
			return limited("Retry-After", "10"), nil
		}
		return nil, nil
	}
	for name, test := range map[string]struct {
		key          string
		id           string
		revisionTime time.Duration
		intercept    func(*http.Request, string) (*http.Response, error)
		why          string
		within       time.Duration
	}{
		"a draft outside of collections":      {testKey, draftOnly, 0, nil, "draft", 50 * time.Millisecond},
		"a key without the scope":             {"ol_api_scoped", published, 0, nil, "may not read", 50 * time.Millisecond},
		"a list that fails":                   {testKey, published, 0, limiting, "did not answer", 50 * time.Millisecond},
		"a checkpoint that fails":             {testKey, published, 0, failing, "did not answer", 50 * time.Millisecond},
		"a revision that is not written soon": {testKey, published, time.Hour, nil, "in time", 1600 * time.Millisecond},
		"a list that is never answered":       {testKey, published, 0, hanging, "did not answer", 3100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, c := newHistorical(t, test.revisionTime)
				h.intercept = test.intercept
				start := time.Now()
				u, err := update(as(t.Context(), test.key), c, test.id, edit.Params{Text: new("two")})
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "text", u.After.Text, "two")
				if u.Earlier != nil || !strings.Contains(u.NoEarlier, test.why) {
					t.Errorf("revision %v, because %q", u.Earlier, u.NoEarlier)
				}
				if took := time.Since(start); took > test.within {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// TestOthersMayWriteWhileARevisionIsAwaited has another user write after the
// checkpoint.
func TestOthersMayWriteWhileARevisionIsAwaited(t *testing.T) {
	for name, test := range map[string]struct {
		change edit.Params
		kind   error
		text   string
	}{
		"a replacement is refused":  {edit.Params{Text: new("two")}, outline.ErrConflict, "one\n\ntheirs"},
		"an addition is made":       {edit.Params{Text: new("two\n\n"), EditMode: "prepend"}, nil, "two\n\none\n\ntheirs"},
		"an expectation is refused": {edit.Params{Text: new("two\n\n"), EditMode: "prepend", ExpectedRevision: 7}, outline.ErrConflict, "one\n\ntheirs"},
		"a plan is made again": {edit.Params{Plan: func(now outline.Document, change *edit.Params) error {
			change.Text = new(strings.Replace(now.Text, "one", "ONE", 1))
			return nil
		}}, nil, "ONE\n\ntheirs"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, c := newHistorical(t, 500*time.Millisecond)
				others := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport = h.RoundTripper })
				h.intercept = func(_ *http.Request, endpoint string) (*http.Response, error) {
					if endpoint == "revisions.list" && h.count("revisions.list") == 3 {
						_, err := edit.Update(t.Context(), others, edit.Params{ID: published, Text: new("\n\ntheirs"), EditMode: "append", Unfinished: true})
						return nil, err
					}
					return nil, nil
				}
				u, err := update(t.Context(), c, published, test.change)
				if !errors.Is(err, test.kind) {
					t.Fatal(err)
				}
				if err == nil && (u.Earlier != nil || !strings.Contains(u.NoEarlier, "others")) {
					t.Errorf("revision %v, because %q", u.Earlier, u.NoEarlier)
				}
				equal(t, "checkpoints", h.count("checkpoint"), 1)
				now, err := others.Document(t.Context(), published)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "text", now.Text, test.text)
			})
		})
	}
}

func TestTheRevisionOfAnUpdateIsNoConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c := newHistorical(t, 200*time.Millisecond)
		first, err := update(t.Context(), c, published, edit.Params{Text: new("two")})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		second, err := update(t.Context(), c, published, edit.Params{Text: new("three"), ExpectedRevision: first.After.Revision})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "revision before the second update", second.Before.Revision, first.After.Revision+1)
		others := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport = h.RoundTripper })
		if _, err := edit.Update(t.Context(), others, edit.Params{ID: published, Text: new("theirs"), Unfinished: true}); err != nil {
			t.Fatal(err)
		}
		_, err = update(t.Context(), c, published, edit.Params{Text: new("four"), ExpectedRevision: second.After.Revision})
		if !errors.Is(err, outline.ErrConflict) {
			t.Errorf("a change by others is a conflict: %v", err)
		}
	})
}

func TestOnlyTheLastOfSeveralUpdatesLeavesARevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := newHistorical(t, 200*time.Millisecond)
		for _, change := range []edit.Params{
			{ID: published, Text: new("two"), Unfinished: true}, {ID: published, Text: new("three")},
		} {
			if _, err := edit.Update(t.Context(), c, change); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		revisions, err := c.Revisions(t.Context(), outline.RevisionsParams{DocumentID: published, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "revisions", len(revisions.Items), 1)
	})
}
