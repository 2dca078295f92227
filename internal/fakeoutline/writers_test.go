package fakeoutline

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// atOnce sends updates of the document of older at the same time and returns
// the answers.
func atOnce(t *testing.T, w *Workspace, fields ...string) []envelope {
	answers := make([]envelope, len(fields))
	var sent sync.WaitGroup
	for i, f := range fields {
		sent.Go(func() { answers[i] = call(t, w, keyOf("member"), "documents.update", `{"id":"document00",`+f+`}`) })
	}
	sent.Wait()
	return answers
}

func TestOneOfTwoUpdatesAtOnceIsLost(t *testing.T) {
	for _, release := range append(Releases(), "") {
		t.Run(string(release), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := older(t, Options{Release: release, UpdateTime: 20 * time.Millisecond})
				answers := atOnce(t, w, `"text":"a","editMode":"append"`, `"text":"b","editMode":"append"`)
				texts := make(map[string]bool)
				for _, e := range answers {
					answer := data[shown](t, e)
					texts[answer.Text] = true
					if answer.Revision != 4 {
						t.Errorf("the revision number is %d", answer.Revision)
					}
				}
				if !texts["one twoa"] || !texts["one twob"] {
					t.Errorf("the answers show %v", texts)
				}
				if got := show(t, w, documentID(0)); !texts[got.Text] || got.Revision != 4 {
					t.Errorf("the document is %q in revision %d", got.Text, got.Revision)
				}
			})
		})
	}
}

// TestTheNewestSourceGuardsWhatWasSavedBeforeAnUpdateOnly has another user save between
// the reading and the saving of an update.
func TestTheNewestSourceGuardsWhatWasSavedBeforeAnUpdateOnly(t *testing.T) {
	for _, test := range []struct {
		release             Release
		slow, between, want string
		status              int
	}{
		{"", `"text":"a","editMode":"append","lastRevision":3`, `"text":"b","editMode":"append"`, "one twob", 409},
		{"", `"text":"a","editMode":"append"`, `"text":"b","editMode":"append","lastRevision":3`, "one twoa", 200},
		{"1.9.2", `"text":"a","editMode":"append","lastRevision":3`, `"text":"b","editMode":"append"`, "one twoa", 200},
	} {
		var w *Workspace
		nested := false
		w = older(t, Options{Release: test.release, BeforeSave: func(string) {
			if !nested {
				nested = true
				update(t, w, test.between)
			}
		}})
		if e := call(t, w, keyOf("member"), "documents.update", `{"id":"document00",`+test.slow+`}`); e.Status != test.status {
			t.Errorf("%s on %q is answered with %d", test.slow, test.release, e.Status)
		}
		if got := show(t, w, documentID(0)); got.Text != test.want || got.Revision != 4 {
			t.Errorf("%s on %q leaves %q in revision %d", test.slow, test.release, got.Text, got.Revision)
		}
	}
}

func TestReleasesSaveOnlyTheColumnsThatAnUpdateChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := older(t, Options{Release: "1.9.2", UpdateTime: 20 * time.Millisecond})
		atOnce(t, w, `"text":"x"`, `"title":"New"`, `"icon":"🚀"`)
		if got := show(t, w, documentID(0)); got.Text != "x" || got.Title != "New" || got.Icon == nil || got.Revision != 4 {
			t.Errorf("the document is %+v", got)
		}
	})
}

func TestAnUpdateTakesEffectWhenItsClientIsGone(t *testing.T) {
	for _, release := range []Release{"1.9.2", ""} {
		synctest.Test(t, func(t *testing.T) {
			w := older(t, Options{Release: release, UpdateTime: time.Second, Latency: time.Second})
			req := newCall(t, keyOf("member"), "documents.update", `{"id":"document00","text":"x"}`)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			if res, err := w.Transport().RoundTrip(req.WithContext(ctx)); err == nil {
				res.Body.Close()
				t.Error("the answer is on time")
			}
			time.Sleep(time.Second)
			if got := show(t, w, documentID(0)).Text; got != "x" {
				t.Errorf("the text is %q", got)
			}
		})
	}
}
