package fakeoutline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A listedRevision is a revision as a list or revisions.info shows it.
type listedRevision struct {
	ID, Title, Text string
	CreatedAt       time.Time
	CreatedByID     string
}

// historyOf returns the revisions of a document, oldest first, each with its text.
func historyOf(t *testing.T, w *Workspace, id string) []listedRevision {
	t.Helper()
	listed := data[[]listedRevision](t, do(t, w, "revisions.list", fmt.Sprintf(`{"documentId":%q,"direction":"ASC"}`, id)))
	for i, revision := range listed {
		if revision.Text != "" {
			t.Errorf("the list shows the text %q", revision.Text)
		}
		listed[i] = data[listedRevision](t, do(t, w, "revisions.info", fmt.Sprintf(`{"id":%q}`, revision.ID)))
	}
	return listed
}

func expectHistory(t *testing.T, w *Workspace, id string, want ...string) {
	t.Helper()
	var got []string
	for _, revision := range historyOf(t, w, id) {
		got = append(got, revision.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the revisions are %q, want %q", got, want)
	}
}

// update changes the document of older.
func update(t *testing.T, w *Workspace, fields string) shown {
	t.Helper()
	return data[shown](t, do(t, w, "documents.update", `{"id":"document00",`+fields+`}`))
}

func TestARevisionIsWrittenWhenAnUpdateIsDone(t *testing.T) {
	w := older(t, Options{})
	id := documentID(0)
	expectHistory(t, w, id)
	for _, step := range []struct {
		name, endpoint, fields string
		want                   []string
	}{
		{"a change that is not done adds none", "documents.update", `"text":"a"`, nil},
		{"one that is done adds one", "documents.update", `"text":"b","done":true`, []string{"# Page\n\nb"}},
		{"a change and then done without one", "documents.update", `"text":"c"`, []string{"# Page\n\nb"}},
		{"adds the present text", "documents.update", `"done":true`, []string{"# Page\n\nb", "# Page\n\nc"}},
		{"but once", "documents.update", `"done":true`, []string{"# Page\n\nb", "# Page\n\nc"}},
		{"an anchor is no change", "comments.create", `"documentId":"` + id + `","text":"x","anchorText":"c"`, []string{"# Page\n\nb", "# Page\n\nc"}},
		{"nor does done after it add any", "documents.update", `"done":true`, []string{"# Page\n\nb", "# Page\n\nc"}},
		{"a title is one", "documents.update", `"title":"P","done":true`, []string{"# Page\n\nb", "# Page\n\nc", "# P\n\nc"}},
		{"a move is none", "documents.move", `"collectionId":"` + openID + `","index":0`, []string{"# Page\n\nb", "# Page\n\nc", "# P\n\nc"}},
		{"nor with done", "documents.update", `"done":true`, []string{"# Page\n\nb", "# Page\n\nc", "# P\n\nc"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			key := `"id":"document00",`
			if step.endpoint == "comments.create" {
				key = ""
			}
			do(t, w, step.endpoint, "{"+key+step.fields+"}")
			expectHistory(t, w, id, step.want...)
		})
	}
}

func TestARevisionHoldsWhatTheDocumentHoldsWhenItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := older(t, Options{RevisionTime: time.Second, PublishTime: 500 * time.Millisecond})
		id := documentID(0)
		time.Sleep(time.Minute)
		done := time.Now()
		update(t, w, `"text":"a","done":true`)
		time.Sleep(500 * time.Millisecond)
		changed := time.Now()
		if got := update(t, w, `"text":"b"`).Revision; got != 5 {
			t.Errorf("the second revision number is %d", got)
		}
		expectHistory(t, w, id)
		time.Sleep(500 * time.Millisecond)
		expectHistory(t, w, id, "# Page\n\nb")
		if at := historyOf(t, w, id)[0].CreatedAt; !at.Equal(changed.Truncate(time.Millisecond)) || at.Equal(done) {
			t.Errorf("the revision is of %s, the change of %s", at, changed)
		}
		if got := show(t, w, id).Revision; got != 5 {
			t.Errorf("at once the revision number is %d", got)
		}
		time.Sleep(500 * time.Millisecond)
		if got := show(t, w, id).Revision; got != 6 {
			t.Errorf("half a second later the revision number is %d", got)
		}
	})
}

func TestAPauseWritesARevision(t *testing.T) {
	for pause, want := range map[time.Duration]time.Duration{0: 5 * time.Minute, time.Minute: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			w := older(t, Options{RevisionPause: pause})
			id := documentID(0)
			update(t, w, `"text":"a"`)
			time.Sleep(want / 2)
			update(t, w, `"text":"b"`)
			time.Sleep(want - time.Second)
			expectHistory(t, w, id)
			time.Sleep(time.Second)
			expectHistory(t, w, id, "# Page\n\nb")
			time.Sleep(want)
			expectHistory(t, w, id, "# Page\n\nb")
		})
	}
}

func TestARevisionBringsTheTextBackWithoutTheCommentsOnIt(t *testing.T) {
	w := older(t, Options{})
	id := documentID(0)
	do(t, w, "comments.create", `{"documentId":"`+id+`","text":"x","anchorText":"two"}`)
	update(t, w, `"done":true`)
	update(t, w, `"text":"b","title":"P"`)
	restored := data[shown](t, do(t, w, "documents.restore", fmt.Sprintf(`{"id":%q,"revisionId":%q}`, id, historyOf(t, w, id)[0].ID)))
	if restored.Title != "Page" || restored.Text != "one two" {
		t.Errorf("restored %+v", restored)
	}
	if anchors := w.store.documents[id].body.read().Anchors; len(anchors) != 0 {
		t.Errorf("the anchors are %v", anchors)
	}
	expectHistory(t, w, id, "# Page\n\none two")
}

func TestThePermanentlyDeletedHaveNoRevisions(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", Text: "a"})
	do(t, w, "documents.update", `{"id":"document00","text":"b","done":true}`)
	revision := historyOf(t, w, documentID(0))[0].ID
	do(t, w, "documents.delete", `{"id":"document00"}`)
	if e := call(t, w, keyOf("admin"), "documents.delete", `{"id":"document00","permanent":true}`); !e.OK {
		t.Fatal(e.Message)
	}
	expectError(t, call(t, w, keyOf("member"), "revisions.info", fmt.Sprintf(`{"id":%q}`, revision)), 404, "Resource not found")
}

func TestTheSampleHasARevisionOfEachPublishedDocument(t *testing.T) {
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for id, d := range w.store.documents {
		revisions := w.store.history.of[id]
		if d.isDraft() != (len(revisions) == 0) || len(revisions) > 0 && !revisions[len(revisions)-1].holds(d) {
			t.Errorf("%q has %d revisions", d.Title, len(revisions))
		}
	}
}

func TestARevisionOfASeedNeedsItsDocument(t *testing.T) {
	for name, revision := range map[string]Revision{
		"its document":  {ID: documentID(1), DocumentID: documentID(0)},
		"the id is no ": {ID: "x"},
	} {
		if _, err := Empty(Options{}, Seed{Revisions: []Revision{revision}}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("the error is %v", err)
		}
	}
}
