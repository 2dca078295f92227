package outline_test

import (
	"errors"
	"fmt"
	"net/http"
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

// edited returns a document whose text has changed since its revision, as it is read
// to be updated, and that revision.
func edited(t *testing.T, c *outline.Client) (outline.Document, outline.RevisionContent) {
	t.Helper()
	u, err := update(t.Context(), c, published, edit.Params{Text: new("Another text."), Title: new("Another title")})
	if err != nil {
		t.Fatal(err)
	}
	revision, err := c.RevisionWithTree(t.Context(), u.Earlier.ID)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	before, err := c.DocumentToUpdate(t.Context(), published, true)
	if err != nil {
		t.Fatal(err)
	}
	return before, revision
}

func TestARevisionIsRestoredAndCanBeUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := newHistorical(t, 200*time.Millisecond)
		before, revision := edited(t, c)
		u, err := edit.Restore(t.Context(), c, before, revision, before.Revision)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "title", u.After.Title, revision.Title)
		equal(t, "text", u.After.Text, revision.Text)
		equal(t, "guarded", u.Guarded, false)
		equal(t, "unguarded", u.Unguarded, false)
		equal(t, "the tree is as wanted", prosemirror.Equal(u.Wanted, u.After.Tree), true)
		if u.Earlier == nil {
			t.Fatalf("no revision holds what was there: %s", u.NoEarlier)
		}
		earlier, err := c.RevisionText(t.Context(), u.Earlier.ID)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "text of the earlier revision", earlier.Text, "Another text.")
	})
}

func TestARestoreWhoseAnswerIsLostIsLookedUp(t *testing.T) {
	for name, carriedOut := range map[string]bool{"carried out": true, "not carried out": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, _ := newHistorical(t, 200*time.Millisecond)
				c := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport, o.MaxRetries = h, 1 })
				before, revision := edited(t, c)
				h.forget()
				h.intercept = func(r *http.Request, endpoint string) (*http.Response, error) {
					if endpoint != "documents.restore" || h.count(endpoint) > 1 {
						return nil, nil
					}
					if carriedOut {
						if _, err := h.RoundTripper.RoundTrip(r); err != nil {
							return nil, err
						}
					}
					return nil, errors.New("connection reset by peer")
				}
				u, err := edit.Restore(t.Context(), c, before, revision, 0)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "text", u.After.Text, revision.Text)
				equal(t, "requests", h.count("documents.restore"), map[bool]int{true: 1, false: 2}[carriedOut])
			})
		})
	}
}

func TestWhatOthersHaveWrittenIsNotOverwrittenByARestore(t *testing.T) {
	for name, expected := range map[string]bool{"with the expected revision": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, c := newHistorical(t, 200*time.Millisecond)
				before, revision := edited(t, c)
				if _, err := update(t.Context(), c, published, edit.Params{Text: new("\n\nOf another user."), EditMode: "append"}); err != nil {
					t.Fatal(err)
				}
				h.forget()
				_, err := edit.Restore(t.Context(), c, before, revision, map[bool]int{true: before.Revision}[expected])
				if !errors.Is(err, outline.ErrConflict) || h.count("documents.restore") != 0 {
					t.Errorf("%v, after %d requests", err, h.count("documents.restore"))
				}
			})
		})
	}
}

func TestARestoreThatSomebodyOverwritesIsNotReportedAsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c := newHistorical(t, 200*time.Millisecond)
		before, revision := edited(t, c)
		h.intercept = func(r *http.Request, endpoint string) (*http.Response, error) {
			if endpoint != "documents.restore" {
				return nil, nil
			}
			answer, err := h.RoundTripper.RoundTrip(r)
			h.intercept = nil
			_, writeErr := update(t.Context(), newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport = h.RoundTripper }), published, edit.Params{Text: new("Wholly new.")})
			return answer, errors.Join(err, writeErr)
		}
		_, err := edit.Restore(t.Context(), c, before, revision, 0)
		failure, _ := errors.AsType[*outline.Error](err)
		if failure == nil || failure.Code != outline.Mixed {
			t.Errorf("%v", err)
		}
	})
}

func TestTheHeadingOfARevisionIsNotPartOfItsText(t *testing.T) {
	for _, test := range []struct{ title, markdown, want string }{
		{"Title", "# Title\n\nText.", "Text."},
		{"Title", "# Title", ""},
		{"Title", "# 🚀 Title\n\nText.", "Text."},
		{"", "# \n\nText.", "Text."},
		{"", "# ", ""},
		{"Title", "# Title\n\n# Title\n\nText.", "# Title\n\nText."},
		{"Title", "# Other\n\nText.", "# Other\n\nText."},
		{"Title", "Text.", "Text."},
		{"Title ", "# Title \n\nText.", "Text."},
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"ok":true,"data":{"id":%q,"title":%q,"text":%q,"data":{"type":"doc","content":[]}}}`, published, test.title, test.markdown)
		}, nil)
		revision, err := c.RevisionText(t.Context(), published)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, test.markdown, revision.Text, test.want)
	}
}

func TestParseRevisionID(t *testing.T) {
	const id = "426298f5-da86-435b-94d4-28e53be9c309"
	for given, want := range map[string]string{
		id: id, strings.ToUpper(id): id, " <" + id + "> ": id, "https://wiki.example.com/doc/revised-gAN5i25b85/history/" + id: id,
		"/doc/revised-gAN5i25b85/history/" + id: id,
		"":                                      "", "latest": "", "gAN5i25b85": "", id + ", " + id: "", "https://wiki.example.com/doc/revised-gAN5i25b85": "", "ol_api_" + strings.Repeat("a", 38): "",
	} {
		got, err := outline.ParseRevisionID(given)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", given, got, err)
		}
		if wrong, _ := errors.AsType[*outline.IdentifierError](err); want == "" && (wrong == nil || wrong.Kind != "revision" || strings.Contains(err.Error(), "ol_api_a")) {
			t.Errorf("%q: %v", given, err)
		}
	}
}

// TestARevisionThatIsWrittenDuringTheReadingIsNoChangeOfOthers has Outline write the
// revision of an update after the document was read again, and before its revisions
// are listed.
func TestARevisionThatIsWrittenDuringTheReadingIsNoChangeOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, c := newHistoricalLike(t, "1.9.2", 500*time.Millisecond)
		if _, err := edit.Update(t.Context(), c, edit.Params{ID: published, Text: new("zero")}); err != nil {
			t.Fatal(err)
		}
		h.intercept = func(_ *http.Request, endpoint string) (*http.Response, error) {
			if endpoint == "revisions.list" {
				time.Sleep(time.Second)
			}
			return nil, nil
		}
		u, err := update(t.Context(), c, published, edit.Params{Text: new("two")})
		if err != nil {
			t.Fatal(err)
		}
		if u.Unguarded || u.Others != (edit.Others{}) {
			t.Errorf("unguarded %v, others %+v", u.Unguarded, u.Others)
		}
		h.undoes(t, u)
	})
}

// TestNoRevisionIsNamedThatWouldUndoTheChangesOfOthersToo has another user write to
// a release between the reading and the writing.
func TestNoRevisionIsNamedThatWouldUndoTheChangesOfOthersToo(t *testing.T) {
	for name, change := range map[string]edit.Params{
		"appended": {Text: new("\n\nours"), EditMode: "append"},
		"patched":  {Text: new("nought"), EditMode: "patch", FindText: "zero"},
		"replaced": {Text: new("two")},
		"titled":   {Title: new("Other")},
	} {
		for _, lost := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", and the answer is lost"}[lost], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					h, c := newHistoricalLike(t, "1.9.2", 500*time.Millisecond)
					settled(t, c)
					others := newClient(t, fakeoutline.BaseURL, func(o *outline.Options) { o.Transport = h.RoundTripper })
					written := false
					h.intercept = func(r *http.Request, endpoint string) (*http.Response, error) {
						if endpoint != "documents.update" || written {
							return nil, nil
						}
						written = true
						if _, err := edit.Update(t.Context(), others, edit.Params{ID: published, Text: new("theirs\n\n"), EditMode: "prepend"}); err != nil {
							return nil, err
						}
						if !lost {
							return nil, nil
						}
						answer, err := h.RoundTripper.RoundTrip(r)
						if err != nil {
							return nil, err
						}
						_ = answer.Body.Close()
						return nil, syscall.ECONNRESET
					}
					u, err := update(t.Context(), c, published, change)
					if err != nil {
						if lost && outline.OutcomeUnknown(err) {
							return
						}
						t.Fatal(err)
					}
					if u.Earlier != nil || !strings.Contains(u.NoEarlier, "others") {
						t.Errorf("revision %v, because %q", u.Earlier, u.NoEarlier)
					}
					if u.Others.After {
						t.Errorf("they wrote before, not afterwards: %+v", u.Others)
					}
				})
			})
		}
	}
}
