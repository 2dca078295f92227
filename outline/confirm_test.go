package outline_test

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

// meddled is a workspace in which another user writes before and after updates.
type meddled struct {
	http.RoundTripper
	before, after func(n int) // the n-th update, from 1
	updates       int
	mu            sync.Mutex
	requests      []string
	readings      bool // fail after the first update
}

func (m *meddled) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	endpoint := path.Base(r.URL.Path)
	if strings.Contains(string(body), noDocument) {
		return m.RoundTripper.RoundTrip(r)
	}
	m.mu.Lock()
	m.requests = append(m.requests, endpoint)
	m.mu.Unlock()
	if endpoint != "documents.update" {
		if m.readings && m.updates > 0 {
			return nil, syscall.ECONNRESET
		}
		return m.RoundTripper.RoundTrip(r)
	}
	m.updates++
	n := m.updates
	if m.before != nil {
		m.before(n)
	}
	answer, err := m.RoundTripper.RoundTrip(r)
	if m.after != nil {
		m.after(n)
	}
	return answer, err
}

func TestAnUpdateThatNothingGuardsIsLookedFor(t *testing.T) {
	addition := edit.Params{Text: new("\n\nours"), EditMode: "append"}
	expecting := addition
	expecting.ExpectedRevision = 1
	patch := edit.Params{Text: new("2"), EditMode: "patch", FindText: "two"}
	plan := edit.Params{Plan: func(now outline.Document, change *edit.Params) error {
		change.Text, change.EditMode, change.FindText = new("2"), "patch", "two"
		return nil
	}}
	replace := edit.Params{Text: new("ours")}
	title := edit.Params{Title: new("Ours")}
	for name, test := range map[string]struct {
		change        edit.Params
		before, after string // what they leave: the whole text, or a title behind #
		kind          error
		code          string
		text          string
		others        edit.Others
	}{
		"nobody else writes":                   {change: addition, text: "one two\n\nend\n\nours"},
		"added, and they add":                  {change: addition, after: "one two\n\nend\n\nours\n\ntheirs", text: "one two\n\nend\n\nours\n\ntheirs", others: edit.Others{After: true}},
		"added to what they left":              {change: addition, before: "1 two\n\nend", text: "1 two\n\nend\n\nours", others: edit.Others{Before: true}},
		"added, and overwritten":               {change: addition, after: "one two\n\nend\n\ntheirs", kind: outline.ErrConflict, code: outline.Overwritten},
		"added to a revision, and overwritten": {change: expecting, after: "one two\n\nend\n\ntheirs", kind: outline.ErrConflict, code: outline.Overwritten},
		"added, and doubled":                   {change: addition, after: "one two\n\nend\n\nours\n\nours", kind: outline.ErrUpstream, code: outline.Mixed},
		"patched, and overwritten":             {change: patch, after: "one two\n\nENDE", kind: outline.ErrConflict, code: outline.Overwritten},
		"patched beside what they left":        {change: patch, before: "one two\n\nENDE", text: "one 2\n\nENDE", others: edit.Others{Before: true}},
		"patched in what they left":            {change: patch, before: "ONE two\n\nend", kind: outline.ErrUpstream, code: outline.Mixed, text: "ONE 2\n\nend"},
		"patched, and the passage changed":     {change: patch, after: "ONE 2\n\nend", kind: outline.ErrUpstream, code: outline.Mixed},
		"planned, and overwritten":             {change: plan, after: "one two\n\nENDE", kind: outline.ErrConflict, code: outline.Overwritten},
		"planned, and the passage overwritten": {change: plan, after: "one zwei\n\nend", kind: outline.ErrConflict, code: outline.Overwritten},
		"replaced, and overwritten":            {change: replace, after: "one two\n\nend\n\ntheirs", kind: outline.ErrConflict, code: outline.Overwritten},
		"replaced, and half of it rewritten":   {change: edit.Params{Text: new("our own words\n\nof two paragraphs")}, after: "our own words\n\nof theirs", kind: outline.ErrUpstream, code: outline.Mixed},
		"titled, and their title":              {change: title, after: "#Theirs", kind: outline.ErrConflict, code: outline.Overwritten},
		"titled, and their text":               {change: title, after: "theirs", text: "theirs", others: edit.Others{After: true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				watched := &meddled{}
				var calm http.RoundTripper
				c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { calm, watched.RoundTripper = w, w; return watched }, fakeoutline.Options{Release: "1.9.2"})
				theirs := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) {
					o.Transport, o.Credentials = calm, outline.StaticKey(fakeoutline.MemberKey)
				})
				ctx := as(t.Context(), fakeoutline.AdminKey)
				draft, err := c.CreateDocument(ctx, outline.CreateDocumentParams{Title: "x", Text: "one two\n\nend", CollectionID: read(t, ctx, c, id).CollectionID, Publish: true})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour)
				leave := func(what string) {
					if what == "" {
						return
					}
					change := edit.Params{ID: draft.ID, Text: &what}
					if name, ok := strings.CutPrefix(what, "#"); ok {
						change.Text, change.Title = nil, &name
					}
					if _, err := edit.Update(t.Context(), theirs, change); err != nil {
						t.Error(err)
					}
				}
				watched.before = func(n int) {
					if n == 1 {
						leave(test.before)
					}
				}
				watched.after = func(n int) {
					if n == 1 {
						leave(test.after)
					}
				}
				before := read(t, ctx, c, draft.ID)
				change := test.change
				change.Before = &before
				if change.ExpectedRevision != 0 {
					change.ExpectedRevision = before.Revision
				}
				watched.requests = nil
				update, err := edit.Update(ctx, c, change)
				if !errors.Is(err, test.kind) || outline.OutcomeUnknown(err) != (test.code == outline.Mixed) {
					t.Errorf("error %v", err)
				}
				if e, ok := errors.AsType[*outline.Error](err); ok {
					equal(t, "code", e.Code, test.code)
					if test.after != "" && !strings.Contains(e.Message, ", at 2") || strings.Contains(e.Message, "somebody") {
						t.Errorf("it does not say who and when: %s", e.Message)
					}
				}
				equal(t, "updates", watched.updates, 1) // it is not made again
				now, readErr := theirs.Document(t.Context(), draft.ID)
				if readErr != nil {
					t.Fatal(readErr)
				}
				if err != nil {
					equal(t, "text", now.Text, cmp.Or(strings.TrimPrefix(test.after, "#Theirs"), test.text, "one two\n\nend"))
					return
				}
				equal(t, "text", now.Text, test.text)
				equal(t, "text that is told", update.After.Text, now.Text)
				equal(t, "guarded", update.Guarded, false)
				if test.change.Text != nil {
					equal(t, "as wanted", asWanted(update), true)
				}
				others := update.Others
				if others.After && (others.At.IsZero() || others.Name == "") {
					t.Errorf("it does not say who and when: %+v", others)
				}
				others.At, others.Name = time.Time{}, ""
				equal(t, "others", others, test.others)
				want := "documents.update documents.info"
				if test.others.After {
					want += " documents.info" // others may have more under way
				}
				equal(t, "requests", strings.Join(watched.requests, " "), want)
			})
		})
	}
}

func TestTheOutcomeOfAnUpdateThatCannotBeLookedForIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched := &meddled{readings: true}
		c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { watched.RoundTripper = w; return watched }, fakeoutline.Options{Release: "1.9.2"})
		_, err := edit.Update(as(t.Context(), fakeoutline.AdminKey), c, edit.Params{ID: id, Text: new("\n\nours"), EditMode: "append"})
		if !outline.OutcomeUnknown(err) || !strings.Contains(err.Error(), "accepted this change, but reading the document again failed") {
			t.Error(err)
		}
	})
}

func TestAGuardedUpdateNeedsNoLook(t *testing.T) {
	watched := &meddled{}
	c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { watched.RoundTripper = w; return watched }, fakeoutline.Options{})
	ctx := as(t.Context(), fakeoutline.AdminKey)
	before := read(t, ctx, c, id)
	watched.requests = nil
	update, err := edit.Update(ctx, c, edit.Params{Before: &before, Text: new("\n\nours"), EditMode: "append"})
	if err != nil || !update.Guarded {
		t.Errorf("%+v, %v", update, err)
	}
	equal(t, "requests", strings.Join(watched.requests, " "), "documents.update")
}
