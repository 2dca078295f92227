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
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
)

// disturbed is a workspace whose answers to documents.update get lost, or
// whose document another user changes.
type disturbed struct {
	http.RoundTripper
	faults  []string          // one for each documents.update, the last one stays
	other   func(edit.Params) // a change by another user
	updates int
	sent    []string
}

func (d *disturbed) RoundTrip(r *http.Request) (*http.Response, error) {
	if path.Base(r.URL.Path) != "documents.update" {
		return d.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(body), "00000000-0000-4000-8000-000000000000") {
		r.Body = io.NopCloser(bytes.NewReader(body))
		return d.RoundTripper.RoundTrip(r) // a probe of the features of the server
	}
	d.sent = append(d.sent, string(body))
	fault := ""
	if len(d.faults) > 0 {
		fault = d.faults[min(d.updates, len(d.faults)-1)]
	}
	d.updates++
	r.Body = io.NopCloser(bytes.NewReader(body))
	for step := range strings.FieldsSeq(fault) {
		switch step {
		case "other":
			d.other(edit.Params{Text: new("theirs\n\n"), EditMode: "prepend"})
		case "yours":
			d.other(edit.Params{Text: new("This is yours\n\n"), EditMode: "prepend"})
		case "form":
			d.other(edit.Params{Text: new("**one** two")})
		case "lose":
			return nil, syscall.ECONNRESET
		case "do":
			answer, err := d.RoundTripper.RoundTrip(r)
			if err != nil {
				return nil, err
			}
			_ = answer.Body.Close()
		case "500":
			return answered(500, jsonType, `{"ok":false,"error":"internal_error","message":"x"}`), nil
		}
	}
	return d.RoundTripper.RoundTrip(r)
}

// draft returns a document with this text, a client that is disturbed and one
// that is not.
func draft(t *testing.T, text string, opts fakeoutline.Options, faults ...string) (outline.Document, *outline.Client, *disturbed, *outline.Client) {
	t.Helper()
	w, err := fakeoutline.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	client := func(transport http.RoundTripper) *outline.Client {
		return newClient(t, fakeoutline.BaseURL, func(o *outline.Options) {
			o.Transport, o.MaxRetries, o.Credentials = transport, 3, outline.StaticKey(fakeoutline.AdminKey)
		})
	}
	d := &disturbed{RoundTripper: w.Transport(), faults: faults}
	calm := client(w.Transport())
	document, err := calm.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "x", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	d.other = func(change edit.Params) {
		change.ID, change.Unfinished = document.ID, true // as a write in Outline's editor
		if _, err := edit.Update(context.Background(), calm, change); err != nil {
			t.Error(err)
		}
	}
	return document, client(d), d, calm
}

// asWanted reports whether an update has the result that it predicted, by its tree
// or by its text.
func asWanted(u edit.Result) bool {
	if u.Wanted != nil {
		return prosemirror.Equal(u.Wanted, u.After.Tree)
	}
	return prosemirror.SameContent(u.Expected, u.After.Text)
}

func TestAnUpdateKnowsItsOutcome(t *testing.T) {
	replace := edit.Params{Text: new("ours")}
	title := edit.Params{Title: new("ours")}
	addition := edit.Params{Text: new("\n\nours"), EditMode: "append"}
	patch := edit.Params{Text: new("ours"), EditMode: "patch", FindText: "two"}
	for name, test := range map[string]struct {
		change  edit.Params
		faults  []string
		kind    error
		unknown bool
		text    string
		updates int
	}{
		"replace":                                       {replace, nil, nil, false, "ours", 1},
		"replace, lost before":                          {replace, []string{"lose", ""}, nil, false, "ours", 2},
		"replace, lost after":                           {replace, []string{"do lose"}, nil, false, "ours", 1},
		"replace, always lost":                          {replace, []string{"lose"}, outline.ErrUnreachable, true, "one two", 4},
		"replace, stale":                                {replace, []string{"other"}, outline.ErrConflict, false, "theirs\n\none two", 1},
		"replace, lost, stale":                          {replace, []string{"other lose"}, outline.ErrConflict, false, "theirs\n\none two", 1},
		"replace, done, then stale":                     {replace, []string{"do other lose"}, nil, false, "theirs\n\nours", 1},
		"replace, 500":                                  {replace, []string{"500"}, outline.ErrUpstream, false, "one two", 1},
		"replace, done, then 500":                       {replace, []string{"do 500"}, nil, false, "ours", 1},
		"title, done, then lost":                        {title, []string{"do lose"}, nil, false, "one two", 1},
		"append":                                        {addition, nil, nil, false, "one two\n\nours", 1},
		"append, lost before":                           {addition, []string{"lose", ""}, nil, false, "one two\n\nours", 2},
		"append, lost after":                            {addition, []string{"do lose"}, nil, false, "one two\n\nours", 1},
		"append, stale":                                 {addition, []string{"other", ""}, nil, false, "theirs\n\none two\n\nours", 2},
		"append, lost, stale":                           {addition, []string{"other lose", ""}, nil, false, "theirs\n\none two\n\nours", 2},
		"append, done, then stale and lost":             {addition, []string{"do other lose"}, nil, false, "theirs\n\none two\n\nours", 1},
		"append, never arrived, theirs holds the words": {addition, []string{"yours lose", ""}, nil, false, "This is yours\n\none two\n\nours", 2},
		"a rule, never arrived":                         {edit.Params{Text: new("\n\n---"), EditMode: "append"}, []string{"other lose", ""}, nil, false, "theirs\n\none two\n\n\n---", 2},
		"a sign, never arrived, theirs is form":         {edit.Params{Text: new("one! two")}, []string{"form lose"}, outline.ErrConflict, false, "**one** two", 1},
		"append, stale, done on theirs, then lost":      {addition, []string{"other", "do lose"}, nil, false, "theirs\n\none two\n\nours", 2},
		"patch":             {patch, nil, nil, false, "one ours", 1},
		"patch, lost after": {patch, []string{"do lose"}, nil, false, "one ours", 1},
		"patch, stale":      {patch, []string{"other"}, outline.ErrConflict, false, "theirs\n\none two", 1},
	} {
		for server, options := range map[string]fakeoutline.Options{"": {}, ", without trees": {NoTree: true}} {
			t.Run(name+server, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					document, c, d, calm := draft(t, "one two", options, test.faults...)
					test.change.ID = document.ID
					updated, err := edit.Update(t.Context(), c, test.change)
					if !errors.Is(err, test.kind) || outline.OutcomeUnknown(err) != test.unknown {
						t.Errorf("error %v, outcome unknown: %v", err, outline.OutcomeUnknown(err))
					}
					now, readErr := calm.Document(t.Context(), document.ID)
					if readErr != nil {
						t.Fatal(readErr)
					}
					equal(t, "text", now.Text, test.text)
					equal(t, "updates", d.updates, test.updates)
					if err == nil {
						equal(t, "text that is told", updated.After.Text, now.Text)
						equal(t, "time of the change that is told", updated.After.UpdatedAt, now.UpdatedAt) // the revision is raised once more
						equal(t, "as wanted", asWanted(updated), true)
						equal(t, "by tree", updated.Wanted != nil, !options.NoTree && test.change.Text != nil)
					}
				})
			})
		}
	}
}

func TestAnExpectedRevisionIsHeld(t *testing.T) {
	for name, test := range map[string]struct {
		mode     string
		expected int
		faults   []string
		updates  int
		ok       bool
	}{
		"as expected":                      {"", 1, nil, 1, true},
		"another one":                      {"", 2, nil, 0, false},
		"another one before an addition":   {"append", 2, nil, 0, false},
		"changed while it is added":        {"append", 1, []string{"other"}, 1, false},
		"lost and done, on what was there": {"append", 1, []string{"do lose"}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				document, c, d, _ := draft(t, "one", fakeoutline.Options{}, test.faults...)
				_, err := edit.Update(t.Context(), c, edit.Params{ID: document.ID, Text: new("\n\nours"), EditMode: test.mode, ExpectedRevision: test.expected})
				if (err == nil) != test.ok || err != nil && !errors.Is(err, outline.ErrConflict) {
					t.Errorf("error %v", err)
				}
				equal(t, "updates", d.updates, test.updates)
			})
		})
	}
}

func TestPublishingIsNoConflict(t *testing.T) {
	w, err := fakeoutline.New(fakeoutline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) {
		o.Transport, o.Credentials = w.Transport(), outline.StaticKey(fakeoutline.AdminKey)
	})
	collections, err := c.Collections(t.Context(), outline.ListParams{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	created, err := c.CreateDocument(t.Context(), outline.CreateDocumentParams{Title: "x", Text: "one", CollectionID: collections.Items[0].ID, Publish: true})
	if err != nil {
		t.Fatal(err)
	}
	updated, err := edit.Update(t.Context(), c, edit.Params{ID: created.ID, Text: new("two"), ExpectedRevision: created.Revision})
	if err != nil {
		t.Fatal(err)
	}
	if updated.Before.Revision != created.Revision+1 {
		t.Errorf("revision %d after it was published as %d: so there was no second revision to ignore", updated.Before.Revision, created.Revision)
	}
	if _, err := edit.Update(t.Context(), c, edit.Params{ID: created.ID, Text: new("three"), ExpectedRevision: created.Revision}); !errors.Is(err, outline.ErrConflict) {
		t.Errorf("a change since is a conflict: %v", err)
	}
}

func TestAServerThatIsTooOldIsNamedAndGetsNoUpdate(t *testing.T) {
	document, c, d, _ := draft(t, "one two", fakeoutline.Options{NoPatches: true})
	for _, change := range []edit.Params{
		{ID: document.ID, Text: new("\n\nthree"), EditMode: "append"},
		{ID: document.ID, Text: new("TWO"), EditMode: "patch", FindText: "two"},
		{ID: document.ID, Text: new("TWO")},
	} {
		_, err := edit.Update(t.Context(), c, change)
		if !errors.Is(err, outline.ErrUnsupported) || !strings.Contains(err.Error(), "1.8, 1.9 and the main branch") {
			t.Errorf("%v", err)
		}
	}
	equal(t, "updates", d.updates, 0)
}

// TestOnlyAKnownRejectionShowsWhatAServerCanDo has a server answer the probe, and then
// what its version is.
func TestOnlyAKnownRejectionShowsWhatAServerCanDo(t *testing.T) {
	rejection := func(status int, message string) func(*http.Request) (*http.Response, error) {
		return gives(status, jsonType, `{"ok":false,"error":"x","message":"`+message+`"}`)
	}
	version := func(version string) func(*http.Request) (*http.Response, error) {
		return success(`{"version":"` + version + `"}`)
	}
	type steps []func(*http.Request) (*http.Response, error)
	denied := rejection(403, "Authorization error")
	for name, test := range map[string]struct {
		steps    steps
		kind     error // nil: it can patch
		requests int   // for two questions
	}{
		"a text to find is missing":      {steps{rejection(400, "findText is required when using patch editMode")}, nil, 1},
		"a revision is invalid":          {steps{rejection(400, "lastRevision: Invalid input")}, nil, 1},
		"the edit mode is unknown":       {steps{rejection(400, "editMode: Invalid input")}, outline.ErrUnsupported, 1},
		"another 400":                    {steps{rejection(400, "id: Invalid input")}, outline.ErrBadAnswer, 2},
		"success":                        {steps{success(`{}`)}, outline.ErrBadAnswer, 2},
		"404":                            {steps{rejection(404, "Resource not found")}, outline.ErrUnsupported, 2},
		"404 from what is not Outline":   {steps{gives(404, "text/html", "<p>no such page</p>")}, outline.ErrBadAnswer, 2},
		"403 from 1.4":                   {steps{denied, version("1.4.0"), denied, version("1.4.0")}, outline.ErrUnsupported, 4},
		"403 from 1.9":                   {steps{denied, version("1.9.2"), denied, version("1.9.2")}, outline.ErrForbidden, 4},
		"403 for the scopes of a key":    {steps{rejection(403, "read only does not have access to this resource")}, outline.ErrForbidden, 2},
		"403 from one without a version": {steps{denied}, outline.ErrForbidden, 4},
	} {
		t.Run(name, func(t *testing.T) {
			c, s := scripted(t, func(o *outline.Options) { o.MaxRetries = 0 }, test.steps...)
			for range 2 {
				support, err := c.Support(t.Context(), outline.Document{})
				if !errors.Is(err, test.kind) || (support >= outline.SupportsPatches) != (test.kind == nil) {
					t.Errorf("support %d, %v; want %v", support, err, test.kind)
				}
			}
			equal(t, "requests", s.calls, test.requests)
		})
	}
}

func TestVersionsBefore18AreNotSupported(t *testing.T) {
	for version, want := range map[string]bool{"1.7.9": false, "0.82.0": false, "1.8.0": true, "1.9.2": true, "1.10.0": true, "2.0.0-1": true, "": true, "edge": true} {
		equal(t, version, outline.IsSupported(version), want)
	}
}

func TestAnAdditionThatNothingGuardsIsNotSentTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		document, c, d, _ := draft(t, "one", fakeoutline.Options{NoRevisionCheck: true}, "lose")
		_, err := edit.Update(t.Context(), c, edit.Params{ID: document.ID, Text: new("\n\ntwo"), EditMode: "append"})
		if !outline.OutcomeUnknown(err) {
			t.Errorf("error %v", err)
		}
		equal(t, "updates", d.updates, 1)
		var e *outline.Error
		if errors.As(err, &e) {
			equal(t, "what was seen", e.Afterwards, "a moment later it was not done")
		}
	})
}

// TestAPlanIsMadeAnewForWhatOthersWrote has others write before the first
// request, or the answer to it get lost as well.
func TestAPlanIsMadeAnewForWhatOthersWrote(t *testing.T) {
	for name, test := range map[string]struct {
		expected int
		faults   []string
		plans    int
		kind     error
		text     string
	}{
		"undisturbed":         {0, nil, 1, nil, "one ours"},
		"changed":             {0, []string{"other", ""}, 2, nil, "theirs\n\none ours"},
		"changed twice":       {0, []string{"other", "other", ""}, 3, nil, "theirs\n\ntheirs\n\none ours"},
		"changed and lost":    {0, []string{"other lose", ""}, 2, nil, "theirs\n\none ours"},
		"done and lost":       {0, []string{"do lose"}, 1, nil, "one ours"},
		"changed but guarded": {1, []string{"other", ""}, 1, outline.ErrConflict, "theirs\n\none two"},
		"changed all the time": {0, []string{"other"}, 6, outline.ErrConflict,
			strings.Repeat("theirs\n\n", 6) + "one two"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				document, c, _, calm := draft(t, "one two", fakeoutline.Options{}, test.faults...)
				plans := 0
				_, err := edit.Update(t.Context(), c, edit.Params{
					ID: document.ID, ExpectedRevision: test.expected,
					Plan: func(now outline.Document, change *edit.Params) error {
						plans++
						change.Text = new(strings.Replace(now.Text, "two", "ours", 1))
						return nil
					},
				})
				if !errors.Is(err, test.kind) || outline.OutcomeUnknown(err) {
					t.Errorf("error %v", err)
				}
				now, err := calm.Document(t.Context(), document.ID)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "text", now.Text, test.text)
				equal(t, "plans", plans, test.plans)
			})
		})
	}
}

// Who writes alone does not wait for others who have stopped.
func TestUpdatesPauseForOthersOnlyForTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		document, c, _, calm := draft(t, "one two", fakeoutline.Options{})
		add := func(c *outline.Client, text string) time.Duration {
			begun := time.Now()
			_, err := edit.Update(t.Context(), c, edit.Params{ID: document.ID, Plan: func(now outline.Document, change *edit.Params) error {
				change.Text = new(now.Text + "\n\n" + text)
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			return time.Since(begun)
		}
		add(calm, "theirs")
		time.Sleep(time.Second)
		for i, wait := range []bool{true, true, false, false} {
			if took := add(c, fmt.Sprint("ours ", i)); took >= time.Second != wait {
				t.Errorf("update %d took %v", i, took)
			}
			time.Sleep(6 * time.Second)
		}
	})
}

func TestTheErrorOfAPlanEndsTheUpdate(t *testing.T) {
	document, c, d, _ := draft(t, "one two", fakeoutline.Options{})
	wrong := errors.New("the passage is not there")
	_, err := edit.Update(t.Context(), c, edit.Params{
		ID: document.ID, Plan: func(outline.Document, *edit.Params) error { return wrong },
	})
	if err != wrong {
		t.Errorf("error %v, want %v", err, wrong)
	}
	equal(t, "updates", d.updates, 0)
}
