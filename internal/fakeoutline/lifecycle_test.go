package fakeoutline

import (
	"fmt"

	"slices"
	"strings"
	"sync"
	"testing"
)

type shown struct {
	ID, URL, Title, Text, CollectionID, ParentDocumentID string
	Icon, PublishedAt, ArchivedAt, DeletedAt             *string
	CollaboratorIDs                                      []string
	Revision                                             int
}

func show(t testing.TB, w *Workspace, id string) shown {
	t.Helper()
	return data[shown](t, do(t, w, "documents.info", fmt.Sprintf(`{"id":%q}`, id)))
}

func TestRevisions(t *testing.T) {
	w := newTestWorkspace(t)
	update := func(body string) (int, int) {
		t.Helper()
		e := call(t, w, keyOf("member"), "documents.update", body)
		if !e.OK {
			return e.Status, 0
		}
		return e.Status, data[shown](t, e).Revision
	}
	d := data[shown](t, do(t, w, "documents.create", `{"title":"T","text":"a","collectionId":"`+openID+`","publish":true}`))
	if d.Revision != 2 {
		t.Errorf("after publishing the revision is %d", d.Revision)
	}
	id := fmt.Sprintf(`{"id":%q,`, d.ID)
	if status, revision := update(id + `"text":"b","lastRevision":2}`); status != 200 || revision != 3 {
		t.Errorf("a change at once answers %d with revision %d", status, revision)
	}
	if got := show(t, w, d.ID).Revision; got != 3 {
		t.Errorf("after it the revision is %d", got)
	}
	if status, revision := update(id + `"text":"b","title":"T","icon":null}`); status != 200 || revision != 3 {
		t.Errorf("what changes nothing answers %d with revision %d", status, revision)
	}

	d = data[shown](t, do(t, w, "documents.create", `{"title":"T","text":"a","collectionId":"`+openID+`","publish":true}`))
	id = fmt.Sprintf(`{"id":%q,`, d.ID)
	for range 2 {
		if got := show(t, w, d.ID).Revision; got != 3 {
			t.Errorf("once read, the revision is %d", got)
		}
	}
	if status, _ := update(id + `"text":"b","lastRevision":2}`); status != 409 {
		t.Errorf("the revision of the answer to create is accepted with %d", status)
	}
	do(t, w, "comments.create", id[:1]+`"documentId":"`+d.ID+`","text":"x","anchorText":"a"}`)
	do(t, w, "comments.create", id[:1]+`"documentId":"`+d.ID+`","text":"x"}`)
	if got := show(t, w, d.ID).Revision; got != 4 {
		t.Errorf("after a comment on a passage the revision is %d", got)
	}
}

func TestUpdatingADocument(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", Text: "one", Icon: "🚀", CreatedBy: people["admin"]})
	got := data[shown](t, do(t, w, "documents.update", `{"id":"document00","title":"New title","text":"two","append":true}`))
	if got.Title != "New title" || got.Text != "onetwo" || got.URL != "/doc/new-title-document00" || got.Icon == nil {
		t.Errorf("document is %+v", got)
	}
	if !slices.Equal(got.CollaboratorIDs, []string{people["admin"], people["member"]}) {
		t.Errorf("collaborators are %v", got.CollaboratorIDs)
	}
	if got = data[shown](t, do(t, w, "documents.update", `{"id":"document00","icon":null}`)); got.Icon != nil || got.Text != "onetwo" {
		t.Errorf("document is %+v", got)
	}
	expectTitles(t, do(t, w, "documents.search", `{"query":"onetwo"}`), "New title")
}

func TestPublishing(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	draft := data[shown](t, do(t, w, "documents.create", `{"title":"Draft"}`))
	if draft.PublishedAt != nil || draft.Revision != 1 {
		t.Errorf("draft is %+v", draft)
	}
	id := fmt.Sprintf(`{"id":%q`, draft.ID)
	expectError(t, call(t, w, keyOf("member"), "documents.update", id+`,"publish":true}`), 400, "collectionId is required to publish a draft without collection")
	expectError(t, call(t, w, keyOf("member"), "documents.update", id+`,"publish":true,"collectionId":"`+readOnlyID+`"}`), 403, "Authorization error")
	expectError(t, call(t, w, keyOf("other"), "documents.update", id+`,"title":"x"}`), 403, "Authorization error")
	do(t, w, "documents.update", id+`,"publish":true,"collectionId":"`+openID+`"}`)
	if got := outlineOf(t, w, openID); got != "Draft Page" {
		t.Errorf("the tree is %q", got)
	}
	again := data[shown](t, call(t, w, keyOf("other"), "documents.unpublish", id+`}`))
	if again.PublishedAt != nil || again.CollectionID != openID || outlineOf(t, w, openID) != "Page" {
		t.Errorf("unpublished is %+v", again)
	}
	expectTitles(t, call(t, w, keyOf("member"), "documents.drafts", `{}`))
	expectTitles(t, call(t, w, keyOf("other"), "documents.drafts", `{}`), "Draft")
}

func TestArchiveAndTrash(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "A"}, Document{Title: "B", ParentID: documentID(0)}, Document{Title: "C", ParentID: documentID(1)}, Document{Title: "Z"})
	tree := func(want string) {
		t.Helper()
		if got := outlineOf(t, w, openID); got != want {
			t.Fatalf("the tree is %q, want %q", got, want)
		}
	}
	do(t, w, "documents.archive", `{"id":"document00"}`)
	tree("Z")
	expectError(t, call(t, w, keyOf("member"), "documents.archive", `{"id":"document01"}`), 403, "Authorization error")
	if got := titles(t, do(t, w, "documents.archived", `{}`)); len(got) != 3 {
		t.Errorf("archived are %q", got)
	}
	do(t, w, "documents.restore", `{"id":"document00"}`)
	tree("Z A(B(C))")

	do(t, w, "documents.archive", `{"id":"document00"}`)
	do(t, w, "documents.restore", `{"id":"document01"}`)
	tree("Z B(C)")
	do(t, w, "documents.restore", `{"id":"document00"}`)
	tree("Z B(C) A")

	do(t, w, "documents.delete", `{"id":"document01"}`)
	tree("Z A")
	if show(t, w, documentID(2)).DeletedAt == nil {
		t.Error("the child is not in the trash")
	}
	do(t, w, "documents.restore", `{"id":"document01"}`)
	tree("Z A B")
	do(t, w, "documents.restore", `{"id":"document02"}`)
	tree("Z A B(C)")

	do(t, w, "documents.delete", `{"id":"document01"}`)
	if e := call(t, w, keyOf("admin"), "documents.delete", `{"id":"document01","permanent":true}`); !e.OK {
		t.Error(e)
	}
	expectError(t, call(t, w, keyOf("admin"), "documents.info", `{"id":"document01"}`), 404, "Resource not found")
	do(t, w, "documents.restore", `{"id":"document02","collectionId":"`+closedID+`"}`)
	if got := show(t, w, documentID(2)); got.CollectionID != closedID || got.ParentDocumentID != "" {
		t.Errorf("restored is %+v", got)
	}

	draft := data[shown](t, do(t, w, "documents.create", `{"title":"Draft"}`)).ID
	do(t, w, "documents.delete", `{"id":"`+draft+`"}`)
	expectError(t, call(t, w, keyOf("member"), "documents.restore", `{"id":"`+draft+`"}`), 400, "Unable to restore, the collection may have been deleted or archived")
	do(t, w, "documents.restore", `{"id":"`+draft+`","collectionId":"`+openID+`"}`)
}

func TestACollectionsLife(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "A"}, Document{Title: "B", ParentID: documentID(0)}, Document{Title: "Old", ArchivedAt: noon})
	type collection struct {
		ID, Name, URL           string
		Permission, Description *string
	}
	created := data[collection](t, do(t, w, "collections.create", `{"name":"New & own","description":"why","color":"#12aBcd"}`))
	if created.Permission != nil || !strings.HasPrefix(created.URL, "/collection/new-and-own-") && !strings.HasPrefix(created.URL, "/collection/new-own-") {
		t.Errorf("created %+v", created)
	}
	expectError(t, call(t, w, keyOf("other"), "collections.info", `{"id":"`+created.ID+`"}`), 403, "Authorization error")
	do(t, w, "documents.create", `{"title":"x","collectionId":"`+created.ID+`","publish":true}`)
	updated := data[collection](t, do(t, w, "collections.update", `{"id":"`+created.ID+`","permission":"read","description":null}`))
	if updated.Description != nil || *updated.Permission != "read" || updated.Name != "New & own" {
		t.Errorf("updated %+v", updated)
	}
	if e := call(t, w, keyOf("other"), "collections.documents", `{"id":"`+created.ID+`"}`); !e.OK {
		t.Error(e.Message)
	}

	admin := func(endpoint string) {
		t.Helper()
		if e := call(t, w, keyOf("admin"), endpoint, `{"id":"openopen01"}`); !e.OK {
			t.Fatalf("%s: %d %s", endpoint, e.Status, e.Message)
		}
	}
	admin("collections.archive")
	if show(t, w, documentID(1)).ArchivedAt == nil {
		t.Error("the document is not archived with its collection")
	}
	expectError(t, call(t, w, keyOf("member"), "documents.restore", `{"id":"document00"}`), 400, "Unable to restore, the collection may have been deleted or archived")
	expectError(t, call(t, w, keyOf("admin"), "collections.archive", `{"id":"openopen01"}`), 403, "Authorization error")
	admin("collections.restore")
	if got := outlineOf(t, w, openID); got != "A(B)" {
		t.Errorf("the tree is %q", got)
	}
	if show(t, w, documentID(2)).ArchivedAt == nil {
		t.Error("what was archived before came back")
	}
	admin("collections.delete")
	if show(t, w, documentID(1)).DeletedAt == nil || show(t, w, documentID(2)).DeletedAt != nil {
		t.Error("the trash holds the wrong documents")
	}
	expectError(t, call(t, w, keyOf("admin"), "collections.delete", `{"id":"openopen01"}`), 403, "Authorization error")
	do(t, w, "documents.restore", `{"id":"document01","collectionId":"`+closedID+`"}`)
	checkTree(t, w.store)
}

func TestNewWorkspacesGiveTheSameIDs(t *testing.T) {
	create := func() []string {
		w := newSample(t)
		d := data[shown](t, call(t, w, MemberKey, "documents.create", `{"title":"x"}`))
		c := data[shown](t, call(t, w, MemberKey, "collections.create", `{"name":"x"}`))
		return []string{d.ID, d.URL, c.ID, c.URL}
	}
	one, two := create(), create()
	if !slices.Equal(one, two) || !isUUID(one[0]) || one[0][14] != '4' || one[0] == one[2] {
		t.Errorf("IDs are %q and %q", one, two)
	}
}

func TestManyCallersWriteSideBySide(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Parent"})
	const callers, each = 8, 20
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for i := range each {
				id := fmt.Sprintf("d1000000-0000-4000-8000-%06d%06d", caller, i)
				for _, step := range [][2]string{
					{"documents.create", `{"id":%q,"title":"t","text":"a","collectionId":"` + openID + `","publish":true}`},
					{"documents.update", `{"id":%q,"text":"b","editMode":"append"}`},
					{"documents.move", `{"id":%q,"parentDocumentId":"` + documentID(0) + `"}`},
					{"documents.info", `{"id":%q}`},
					{"comments.create", `{"documentId":%q,"text":"c","anchorText":"ab"}`},
					{"comments.list", `{"documentId":%q}`},
					{"documents.archive", `{"id":%q}`},
					{"documents.restore", `{"id":%q}`},
				} {
					if e := call(t, w, keyOf("member"), step[0], fmt.Sprintf(step[1], id)); !e.OK {
						t.Errorf("%s: %d %s", step[0], e.Status, e.Message)
					}
				}
			}
		})
	}
	group.Wait()
	checkTree(t, w.store)
	if got := len(w.store.children[documentID(0)]); got != callers*each {
		t.Errorf("%d documents are below the parent", got)
	}
}
