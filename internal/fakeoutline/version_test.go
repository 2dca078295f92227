package fakeoutline

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
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
				res, err := w.Transport().RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(res.Body)
				if err != nil {
					t.Fatal(err)
				}
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
	expectError(t, call(t, w, keyOf("member"), "documents.info", `{"id":"document00","apiVersion":"2"}`), 400, "apiVersion: Invalid input: expected number, received string")
}
