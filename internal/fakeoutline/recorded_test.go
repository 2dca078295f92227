package fakeoutline

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// The recordings in the testdata of the document model are from a running Outline:
// the trees that it parses from Markdown, and the results of edits.

type recordedContent struct {
	Text string
	Data *prosemirror.Node
}

type recordedDocument struct {
	Name, Markdown, Text, Export string
	Data                         *prosemirror.Node
}

type recordedEdit struct {
	Name, Markdown, Error string
	Before                recordedContent
	After                 *recordedContent
	Status                int
	Request               map[string]any
	Anchors               []struct {
		ID, AnchorText string
		Created        int     // the status of comments.create
		After          *string // the anchor after the edit
	}
}

// compareRecordings fails unless the recordings that differ are those in unlike.
func compareRecordings[T any](t *testing.T, list []T, unlike map[string]string, name func(T) string, differences func(*testing.T, T) []string) {
	fixtures.InYear(t, func(t *testing.T) {
		left := maps.Clone(unlike)
		for _, r := range list {
			found := differences(t, r)
			reason, listed := unlike[name(r)]
			delete(left, name(r))
			switch {
			case listed && len(found) == 0:
				t.Errorf("%s is as recorded, but listed: %s", name(r), reason)
			case !listed && len(found) > 0:
				t.Errorf("%s: %s", name(r), strings.Join(found, "\n"))
			}
		}
		for name := range left {
			if fixtures.Thorough() { // otherwise it may not be among those that are tried
				t.Errorf("%s is listed, but there is no such recording", name)
			}
		}
		t.Logf("%d of %d recordings are answered as recorded", len(list)-len(unlike), len(list))
	})
}

// editor is a workspace with one user, the author of the recordings.
type editor struct{ *Workspace }

const recordedAuthor = "f0000000-0000-4000-8000-000000000001"

func newEditor(t *testing.T, documents ...Document) editor { return editorOf(t, "", documents...) }

func editorOf(t *testing.T, release Release, documents ...Document) editor {
	t.Helper()
	w, err := Empty(Options{Release: release}, Seed{
		Users:     []User{{ID: recordedAuthor, Name: "Author", Role: Member}},
		Keys:      []Key{{ID: recordedAuthor, Secret: keyOf("member"), UserID: recordedAuthor}},
		Documents: documents,
	})
	if err != nil {
		t.Fatal(err)
	}
	return editor{w}
}

// ask calls an endpoint in a version of the API.
func (e editor) ask(t *testing.T, version int, endpoint string, body map[string]any) (status int, message string, data json.RawMessage) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req := newCall(t, keyOf("member"), endpoint, string(encoded))
	req.Header.Set("X-Api-Version", fmt.Sprint(version))
	res, text := transmit(t, e.Workspace, req)
	var answer struct {
		Message string
		Data    json.RawMessage
	}
	decode(t, text, &answer)
	return res.StatusCode, answer.Message, answer.Data
}

func (e editor) create(t *testing.T, markdown string) (id string) {
	t.Helper()
	status, message, data := e.ask(t, 1, "documents.create", map[string]any{"title": "Doc", "text": markdown})
	if status != 200 {
		t.Fatalf("%q is not created: %s", markdown, message)
	}
	var created struct{ ID string }
	decode(t, data, &created)
	return created.ID
}

// differences compares a document with a recorded one.
func (e editor) differences(t *testing.T, id string, want recordedContent) (list []string) {
	t.Helper()
	var text struct{ Text string }
	_, _, data := e.ask(t, 1, "documents.info", map[string]any{"id": id})
	decode(t, data, &text)
	if text.Text != want.Text {
		list = append(list, fmt.Sprintf("text is %q, recorded %q", text.Text, want.Text))
	}
	if got := e.tree(t, id); !prosemirror.Equal(got, want.Data) {
		list = append(list, fmt.Sprintf("tree is %s, recorded %s", got.AppendJSON(nil), want.Data.AppendJSON(nil)))
	}
	return list
}

func (e editor) tree(t *testing.T, id string) *prosemirror.Node {
	t.Helper()
	var tree struct {
		Document struct{ Data *prosemirror.Node }
	}
	_, _, data := e.ask(t, 3, "documents.info", map[string]any{"id": id})
	decode(t, data, &tree)
	return tree.Document.Data
}

func TestCreatedDocumentsAreAsRecorded(t *testing.T) {
	unlike := map[string]string{
		"i/data":        "the ID of the attachment is random",
		"mention/short": "the ID of the mention is random",
	}
	e := newEditor(t)
	compareRecordings(t, fixtures.Recorded[recordedDocument](t, "roundtrip"), unlike, func(r recordedDocument) string { return r.Name }, func(t *testing.T, r recordedDocument) []string {
		id := e.create(t, r.Markdown)
		list := e.differences(t, id, recordedContent{r.Text, r.Data})
		var exported string
		_, _, data := e.ask(t, 1, "documents.export", map[string]any{"id": id})
		decode(t, data, &exported)
		if exported != r.Export {
			list = append(list, fmt.Sprintf("export is %q, recorded %q", exported, r.Export))
		}
		return list
	})
}

func TestPatchesAreAsRecorded(t *testing.T) {
	testEdits(t, "patches", map[string]string{
		"at-unicode/atom-part#narrow": "half a surrogate pair, which no Go string holds",
		"at-unicode/atom-part#next":   "the same",
	})
}

func TestOtherEditsAreAsRecorded(t *testing.T) {
	testEdits(t, "writes", nil)
}

func testEdits(t *testing.T, file string, unlike map[string]string) {
	created, seeded := 0, 0
	compareRecordings(t, fixtures.Some(fixtures.Recorded[recordedEdit](t, file), 100), unlike, func(r recordedEdit) string { return r.Name }, func(t *testing.T, r recordedEdit) []string {
		e, id, ok := r.create(t)
		if ok {
			created++
		} else {
			seeded++
			stored := string(r.Before.Data.AppendJSON(nil))
			if !strings.Contains(stored, `"color":"#`) && !strings.Contains(stored, `"colwidth":[`) && !strings.Contains(stored, "attachments.redirect") {
				t.Errorf("%s: requests do not make %s", r.Name, stored)
			}
			id = documentID(0)
			e = newEditor(t, Document{ID: id, URLID: "recorded01", Title: "Doc", Tree: r.Before.Data, CreatedBy: recordedAuthor, UpdatedBy: recordedAuthor})
		}
		list := e.differences(t, id, r.Before)
		r.Request["id"] = id
		status, message, data := e.ask(t, 1, "documents.update", r.Request)
		if status != r.Status {
			return append(list, fmt.Sprintf("status %d %s, recorded %d %s", status, message, r.Status, r.Error))
		}
		if r.After == nil {
			if message != r.Error {
				list = append(list, fmt.Sprintf("message %q, recorded %q", message, r.Error))
			}
			return append(list, e.differences(t, id, r.Before)...)
		}
		var answer struct{ Text string }
		decode(t, data, &answer)
		if answer.Text != r.After.Text {
			list = append(list, fmt.Sprintf("answer is %q, recorded %q", answer.Text, r.After.Text))
		}
		list = append(list, e.differences(t, id, *r.After)...)
		if ok {
			list = append(list, e.anchors(t, r)...)
		}
		return list
	})
	t.Logf("%d documents made by requests, %d seeded", created, seeded)
}

// create makes the document of a recording by requests. It reports whether that
// is the recorded one: only Outline's editor gives highlights colors and columns
// widths, and the IDs of attachments are random.
func (r recordedEdit) create(t *testing.T) (e editor, id string, ok bool) {
	t.Helper()
	e = newEditor(t)
	id = e.create(t, r.Markdown)
	for _, anchor := range r.Anchors {
		status, message, _ := e.ask(t, 1, "comments.create", map[string]any{
			"id": anchor.ID, "documentId": id, "text": "A comment.", "anchorText": anchor.AnchorText,
		})
		if status != anchor.Created {
			t.Errorf("%s: the comment on %q is %d %s, recorded %d", r.Name, anchor.AnchorText, status, message, anchor.Created)
		}
	}
	return e, id, prosemirror.Equal(e.tree(t, id), r.Before.Data)
}

// anchors compares the anchors of comments after an edit.
func (e editor) anchors(t *testing.T, r recordedEdit) (list []string) {
	t.Helper()
	for _, anchor := range r.Anchors {
		var got struct{ AnchorText *string }
		_, _, data := e.ask(t, 1, "comments.info", map[string]any{"id": anchor.ID, "includeAnchorText": true})
		decode(t, data, &got)
		if (got.AnchorText == nil) != (anchor.After == nil) || got.AnchorText != nil && *got.AnchorText != *anchor.After {
			list = append(list, fmt.Sprintf("the anchor %q is %v", anchor.AnchorText, got.AnchorText))
		}
	}
	return list
}
