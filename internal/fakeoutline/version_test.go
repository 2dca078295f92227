package fakeoutline

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// older is a workspace with one document, "one two", of a server with options.
func older(t *testing.T, options Options) *Workspace {
	t.Helper()
	w := newTestWorkspace(t)
	w, err := Empty(options, Seed{
		Team:        w.store.team,
		Users:       []User{{ID: people["member"], Name: "Member", Role: Member}},
		Keys:        []Key{{ID: people["member"], Secret: keyOf("member"), UserID: people["member"]}, {ID: people["other"], Secret: keyOf("scoped"), UserID: people["member"], Scopes: []string{"documents:read"}}},
		Collections: []Collection{{ID: openID, URLID: "openopen01", Name: "Open", Permission: ReadWrite}},
		Documents: []Document{{
			ID: documentID(0), URLID: "document00", Title: "Page", Text: "one two", CollectionID: openID, Revision: 3,
			CreatedBy: people["member"], UpdatedBy: people["member"], PublishedAt: noon,
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAServerCanBeAskedWhatItKnowsWithoutWriting(t *testing.T) {
	const unknown = `{"id":"00000000-0000-4000-8000-000000000000",`
	const patch = unknown + `"text":"x","editMode":"patch"}`
	for name, test := range map[string]struct {
		options Options
		key     string
		body    string
		status  int
		message string
	}{
		"the revision check is known":      {Options{}, "member", unknown + `"lastRevision":"x"}`, 400, "lastRevision: "},
		"the revision check is not known":  {Options{NoRevisionCheck: true}, "member", unknown + `"lastRevision":"x"}`, 403, "Authorization error"},
		"patches are known":                {Options{NoRevisionCheck: true}, "member", patch, 400, "findText is required when using patch editMode"},
		"patches are not known":            {Options{NoPatches: true}, "member", patch, 400, "editMode: "},
		"scopes come before the fields":    {Options{}, "scoped", unknown + `"lastRevision":"x"}`, 403, ""},
		"an unknown document is forbidden": {Options{}, "member", unknown + `"lastRevision":1}`, 403, "Authorization error"},
	} {
		t.Run(name, func(t *testing.T) {
			e := call(t, older(t, test.options), keyOf(test.key), "documents.update", test.body)
			if e.Status != test.status || !strings.HasPrefix(e.Message, test.message) {
				t.Errorf("answer is %d %s", e.Status, e.Message)
			}
		})
	}
}

func TestOlderServersIgnoreWhatTheyDoNotKnow(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		fields  string
		status  int
		text    string
	}{
		"a patch":                                    {Options{}, `"text":"2","editMode":"patch","findText":"two"`, 200, "one 2"},
		"a patch where it is not known":              {Options{NoPatches: true}, `"text":"2","editMode":"patch","findText":"two"`, 400, "one two"},
		"an append where patches are not known":      {Options{NoPatches: true}, `"text":"2","editMode":"append"`, 200, "one two2"},
		"the older append":                           {Options{}, `"text":"2","append":true`, 200, "one two2"},
		"a stale revision":                           {Options{}, `"text":"2","lastRevision":2`, 409, "one two"},
		"a stale revision where it is not looked at": {Options{NoRevisionCheck: true}, `"text":"2","lastRevision":2`, 200, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			w := older(t, test.options)
			if e := call(t, w, keyOf("member"), "documents.update", `{"id":"document00",`+test.fields+`}`); e.Status != test.status {
				t.Errorf("answer is %d %s", e.Status, e.Message)
			}
			if got := show(t, w, documentID(0)).Text; got != test.text {
				t.Errorf("the text is %q", got)
			}
		})
	}
}

// stamped are the fields of a document that tell when it changed.
type stamped struct {
	ID                                string
	Revision                          int
	CreatedAt, UpdatedAt, PublishedAt time.Time
}

func TestPublishingRaisesTheRevisionOnceMoreAfterAMoment(t *testing.T) {
	for _, after := range []time.Duration{0, 500 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := older(t, Options{PublishTime: after})
				info := func(id string) stamped { return data[stamped](t, do(t, w, "documents.info", `{"id":"`+id+`"}`)) }
				created := data[stamped](t, do(t, w, "documents.create", `{"title":"T","collectionId":"`+openID+`","publish":true}`))
				if created.Revision != 2 || !created.UpdatedAt.Equal(created.CreatedAt) || !created.PublishedAt.After(created.UpdatedAt) {
					t.Errorf("created %+v", created)
				}
				if got := info(created.ID).Revision; after > 0 && got != 2 {
					t.Errorf("at once the revision is %d", got)
				}
				time.Sleep(after)
				if after > 0 {
					// A write sees it, too.
					body := `{"id":"` + created.ID + `","text":"x","lastRevision":2}`
					expectError(t, call(t, w, keyOf("member"), "documents.update", body), 409, "Document has been modified since the provided revision")
				}
				if got := info(created.ID); got.Revision != 3 || !got.UpdatedAt.Equal(created.UpdatedAt) || !got.PublishedAt.Equal(created.PublishedAt) {
					t.Errorf("later it is %+v, created %+v", got, created)
				}

				draft := data[stamped](t, do(t, w, "documents.create", `{"title":"T","collectionId":"`+openID+`"}`))
				time.Sleep(time.Second)
				published := data[stamped](t, do(t, w, "documents.update", `{"id":"`+draft.ID+`","publish":true}`))
				if published.Revision != 2 || !published.UpdatedAt.Equal(published.PublishedAt) {
					t.Errorf("published %+v", published)
				}
			})
		})
	}
}
