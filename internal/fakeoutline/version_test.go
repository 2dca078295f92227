package fakeoutline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// versioned is a document or collection as far as versions of the API differ.
type versioned struct{ Text, Description, Data json.RawMessage }

// objects are the documents and collections in the data of an answer.
func objects(t *testing.T, data json.RawMessage) []versioned {
	t.Helper()
	var list []json.RawMessage
	if data[0] == '[' {
		decode(t, data, &list)
	} else {
		list = []json.RawMessage{data}
	}
	var found []versioned
	for _, item := range list {
		var nested struct {
			Document  json.RawMessage
			Documents []versioned
		}
		decode(t, item, &nested)
		if nested.Document != nil {
			item = nested.Document
		}
		if nested.Documents != nil {
			found = append(found, nested.Documents...)
			continue
		}
		var one versioned
		decode(t, item, &one)
		found = append(found, one)
	}
	return found
}

func TestTreesTakeThePlaceOfTextsFromVersion3(t *testing.T) {
	const page = `{"id":"document00"`
	calls := []struct{ endpoint, body string }{
		{"documents.info", page + `}`},
		{"documents.list", `{}`},
		{"documents.search", `{"query":"buoy"}`},
		{"documents.search", `{}`},
		{"documents.search_titles", `{"query":"page"}`},
		{"documents.drafts", `{}`},
		{"documents.create", `{"title":"New","text":"buoy"}`},
		{"documents.update", page + `,"text":" more","editMode":"append"}`},
		{"documents.update", page + `,"title":"Page two"}`},
		{"documents.update", page + `,"title":"Page two"}`}, // changes nothing
		{"documents.move", page + `,"collectionId":"` + openID + `"}`},
		{"documents.archive", page + `}`},
		{"documents.archived", `{}`},
		{"documents.restore", page + `}`},
		{"documents.unpublish", page + `}`},
		{"documents.delete", page + `}`},
		{"documents.deleted", `{}`},
		{"collections.list", `{}`},
		{"collections.info", `{"id":"openopen01"}`},
		{"collections.create", `{"name":"New"}`},
		{"collections.update", `{"id":"openopen01","name":"Opened"}`},
	}
	for name, test := range map[string]struct {
		header string
		noTree bool
		trees  bool
	}{
		"version 3":             {header: "3", trees: true},
		"a later version":       {header: "4", trees: true},
		"version 2":             {header: "2"},
		"no version":            {},
		"a word":                {header: "latest"},
		"a server without them": {header: "3", noTree: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTestWorkspace(t, Document{Title: "Page", Text: "A **buoy**"}, Document{Title: "Draft", Text: "buoy", Revision: draftRevision})
			w.noTree = test.noTree
			for _, c := range calls {
				req := newCall(t, keyOf("admin"), c.endpoint, c.body)
				if c.endpoint == "documents.drafts" {
					req = newCall(t, keyOf("member"), c.endpoint, c.body)
				}
				req.Header.Set("X-Api-Version", test.header)
				res, text := transmit(t, w, req)
				var answer struct {
					Message string
					Data    json.RawMessage
				}
				decode(t, text, &answer)
				if answer.Data == nil {
					if c.endpoint == "documents.delete" && res.StatusCode == 200 {
						continue
					}
					t.Fatalf("%s is %d %s", c.endpoint, res.StatusCode, answer.Message)
				}
				list := objects(t, answer.Data)
				if len(list) == 0 {
					t.Errorf("%s answers nothing", c.endpoint)
				}
				for _, o := range list {
					said := o.Text
					if strings.HasPrefix(c.endpoint, "collections.") {
						said = o.Description
					}
					if (o.Data != nil) != test.trees || (said != nil) == test.trees {
						t.Errorf("%s answers text %s and tree %s", c.endpoint, said, o.Data)
					}
				}
			}
		})
	}
}

func TestDocumentsInfoNestsTheDocumentWhereAskedTo(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	for name, test := range map[string]struct {
		header, body string
		noTree       bool
		nested       bool
	}{
		"a header":                  {header: "2", nested: true},
		"a field":                   {body: `,"apiVersion":2`, nested: true},
		"an earlier version":        {body: `,"apiVersion":1`},
		"neither":                   {},
		"a header that is ignored":  {header: "3", noTree: true},
		"a field beside such a one": {header: "3", body: `,"apiVersion":2`, noTree: true, nested: true},
	} {
		t.Run(name, func(t *testing.T) {
			w.noTree = test.noTree
			req := newCall(t, keyOf("member"), "documents.info", fmt.Sprintf(`{"id":"document00"%s}`, test.body))
			req.Header.Set("X-Api-Version", test.header)
			res, err := w.Transport().RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Data struct{ Document json.RawMessage }
			}
			if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
				t.Fatal(err)
			}
			if (answer.Data.Document != nil) != test.nested {
				t.Errorf("document is %.40s", answer.Data.Document)
			}
		})
	}
	expectError(t, call(t, w, keyOf("member"), "documents.info", `{"id":"document00","apiVersion":"2"}`), 400, "apiVersion: Invalid input")
}

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

func TestAnIDIsTakenForGood(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"}, Document{Title: "In the trash", DeletedAt: noon})
	comment := "f0000000-0000-4000-8000-000000000001"
	do(t, w, "comments.create", fmt.Sprintf(`{"id":%q,"documentId":%q,"text":"x"}`, comment, documentID(0)))
	create := func(id string) envelope {
		return call(t, w, keyOf("member"), "documents.create", fmt.Sprintf(`{"id":%q,"title":"Other"}`, id))
	}
	remark := func() envelope {
		return call(t, w, keyOf("member"), "comments.create", fmt.Sprintf(`{"id":%q,"documentId":%q,"text":"y"}`, comment, documentID(0)))
	}
	expectError(t, create(documentID(0)), 400, "id must be unique (id)")
	expectError(t, create(documentID(1)), 400, "id must be unique (id)")
	expectError(t, remark(), 400, "id must be unique (id)")
	do(t, w, "comments.delete", fmt.Sprintf(`{"id":%q}`, comment))
	expectError(t, remark(), 400, "id must be unique (id)")
	if e := call(t, w, keyOf("admin"), "documents.delete", fmt.Sprintf(`{"id":%q,"permanent":true}`, documentID(1))); !e.OK {
		t.Fatal(e.Message)
	}
	if e := create(documentID(1)); !e.OK {
		t.Errorf("the ID of what was permanently deleted is not free: %s", e.Message)
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
