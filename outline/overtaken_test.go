package outline_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
)

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

// TestNoRevisionIsNamedThatWouldUndoTheChangesOfOthersToo has somebody else write to
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
