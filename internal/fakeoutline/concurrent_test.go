package fakeoutline

import (
	"context"
	"fmt"
	"strings"
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

func TestReleasesLoseOneOfTwoUpdatesAtOnce(t *testing.T) {
	for _, release := range Releases() {
		t.Run(string(release), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := older(t, Options{Release: release, UpdateTime: 20 * time.Millisecond})
				answers := atOnce(t, w, `"text":"a","editMode":"append"`, `"text":"b","editMode":"append","lastRevision":3`)
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

func TestReleasesSaveOnlyTheColumnsThatAnUpdateChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := older(t, Options{Release: "1.9.2", UpdateTime: 20 * time.Millisecond})
		atOnce(t, w, `"text":"x"`, `"title":"New"`, `"icon":"🚀"`)
		if got := show(t, w, documentID(0)); got.Text != "x" || got.Title != "New" || got.Icon == nil || got.Revision != 4 {
			t.Errorf("the document is %+v", got)
		}
	})
}

func TestTheNewestSourceLocksTheDocumentThatItUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := older(t, Options{UpdateTime: 20 * time.Millisecond})
		start := time.Now()
		for _, e := range atOnce(t, w, `"text":"a","editMode":"append"`, `"text":"b","editMode":"append"`) {
			data[shown](t, e)
		}
		if took := time.Since(start); took != 40*time.Millisecond {
			t.Errorf("the updates took %s", took)
		}
		got := show(t, w, documentID(0))
		if !strings.Contains(got.Text, "a") || !strings.Contains(got.Text, "b") || got.Revision != 5 {
			t.Errorf("the document is %q in revision %d", got.Text, got.Revision)
		}
		refused := 0
		for _, e := range atOnce(t, w, `"text":"c","lastRevision":5`, `"text":"d","lastRevision":5`) {
			if e.Status == 409 {
				refused++
			}
		}
		if refused != 1 {
			t.Errorf("%d of two updates of one revision are refused", refused)
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

// TestWritersAtOnce is for the race detector, in real time.
func TestWritersAtOnce(t *testing.T) {
	for release, kept := range map[Release]bool{"1.9.2": false, "": true} {
		w := older(t, Options{Release: release, UpdateTime: time.Millisecond, RevisionTime: time.Millisecond})
		var fields []string
		for i := range 20 {
			fields = append(fields, fmt.Sprintf(`"text":"w%d.","editMode":"append","done":true`, i))
		}
		for _, e := range atOnce(t, w, fields...) {
			data[shown](t, e)
		}
		text, there := show(t, w, documentID(0)).Text, 0
		for i := range 20 {
			if strings.Contains(text, fmt.Sprintf("w%d.", i)) {
				there++
			}
		}
		if kept != (there == 20) {
			t.Errorf("release %q keeps %d of 20 changes", release, there)
		}
	}
}

func TestARevisionNumberRaisedDuringAnUpdateIsNotGivenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := older(t, Options{UpdateTime: 20 * time.Millisecond, PublishTime: 10 * time.Millisecond})
		update(t, w, `"text":"a","done":true`) // revision 4, to be raised to 5
		var late shown
		var sent sync.WaitGroup
		sent.Go(func() { late = update(t, w, `"text":"b"`) })
		time.Sleep(15 * time.Millisecond)
		if got := show(t, w, documentID(0)).Revision; got != 5 {
			t.Errorf("during the update the revision number is %d", got)
		}
		sent.Wait()
		if late.Revision != 6 {
			t.Errorf("the update gets the revision number %d", late.Revision)
		}
	})
}
