package outline_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/fakeoutline"
	"outline-mcp/outline/edit"
)

func TestOneRequestTellsWhatAReleaseCanDo(t *testing.T) {
	for name, test := range map[string]struct {
		options         fakeoutline.Options
		patches, guards bool
		append          string // the field of an append
	}{
		"before 1.5":        {fakeoutline.Options{NoEditModes: true, NoRevisionCheck: true}, false, false, `"append":true`},
		"1.5":               {fakeoutline.Options{Release: "1.5"}, false, false, `"editMode":"append"`},
		"1.6":               {fakeoutline.Options{Release: "1.6"}, false, false, `"editMode":"append"`},
		"1.7":               {fakeoutline.Options{Release: "1.7"}, true, false, `"editMode":"append"`},
		"1.9.2":             {fakeoutline.Options{Release: "1.9.2"}, true, false, `"editMode":"append"`},
		"the newest source": {fakeoutline.Options{}, true, true, `"editMode":"append"`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				watched := &slowed{}
				c, id := shared(t, func(w http.RoundTripper) http.RoundTripper { watched.RoundTripper = w; return watched }, test.options)
				ctx := as(t.Context(), fakeoutline.AdminKey)
				appendText := func(probes int) {
					t.Helper()
					watched.probes = 0
					update, err := edit.Update(ctx, c, edit.Params{ID: id, Text: new("\n\nmore"), EditMode: "append"})
					if err != nil || update.Guarded != test.guards || update.Replaced {
						t.Errorf("%+v, %v", update, err)
					}
					if last := watched.sent[len(watched.sent)-1]; !strings.Contains(last, test.append) {
						t.Errorf("sent %s", last)
					}
					equal(t, "probes", watched.probes, probes)
				}
				if _, err := c.KnowsEditModes(as(t.Context(), fakeoutline.ScopedKey)); err != nil {
					t.Error(err)
				}
				appendText(1) // a key that may not write tells nothing
				appendText(0)
				time.Sleep(time.Hour) // the server may have been updated
				appendText(map[bool]int{true: 0, false: 1}[test.guards])
				patches, err := c.KnowsEditModes(ctx)
				equal(t, "patches", patches, test.patches)
				guards, guardsErr := c.KnowsRevisions(ctx)
				equal(t, "guards", guards, test.guards)
				if err != nil || guardsErr != nil {
					t.Error(err, guardsErr)
				}
			})
		})
	}
}
