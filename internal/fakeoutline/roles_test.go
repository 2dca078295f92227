package fakeoutline

import (
	"fmt"

	"strings"
	"testing"
)

// TestWhoMayWrite calls each endpoint as each role on a fresh workspace.
func TestWhoMayWrite(t *testing.T) {
	page, archived, trashed := documentID(0), documentID(1), documentID(2)
	tests := []struct {
		endpoint, body string
		may            string // who may
	}{
		{"documents.create", `{"collectionId":"` + openID + `","publish":true}`, "admin member other"},
		{"documents.create", `{"collectionId":"` + readOnlyID + `"}`, ""},
		{"documents.create", `{"collectionId":"` + closedID + `"}`, "member"},
		{"documents.create", `{"parentDocumentId":"` + page + `","publish":true}`, "admin member other"},
		{"documents.create", `{"title":"draft"}`, "admin member other"},
		{"documents.update", `{"id":"` + page + `","title":"x"}`, "admin member other"},
		{"documents.move", `{"id":"` + page + `","collectionId":"` + openID + `"}`, "admin member other"},
		{"documents.move", `{"id":"` + page + `","collectionId":"` + closedID + `"}`, "member"},
		{"documents.archive", `{"id":"` + page + `"}`, "admin member other"},
		{"documents.restore", `{"id":"` + archived + `"}`, "admin member other"},
		{"documents.restore", `{"id":"` + trashed + `"}`, "admin member other"},
		{"documents.delete", `{"id":"` + page + `"}`, "admin member other"},
		{"documents.delete", `{"id":"` + trashed + `","permanent":true}`, "admin"},
		{"documents.unpublish", `{"id":"` + page + `"}`, "admin member other"},
		{"documents.answerQuestion", `{"query":"page"}`, "admin member other viewer guest"},
		{"comments.create", `{"documentId":"` + page + `","text":"x"}`, "admin member other viewer"},
		{"comments.list", `{"documentId":"` + page + `"}`, "admin member other viewer"},
		{"comments.update", `{"id":"` + commentID + `","data":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"y"}]}]}}`, "admin member"},
		{"comments.resolve", `{"id":"` + commentID + `"}`, "admin member other"},
		{"comments.delete", `{"id":"` + commentID + `"}`, "admin member"},
		{"collections.create", `{"name":"x"}`, "admin member other"},
		{"collections.update", `{"id":"` + openID + `","name":"x"}`, "admin"},
		{"collections.update", `{"id":"` + closedID + `","name":"x"}`, "admin"},
		{"collections.archive", `{"id":"` + openID + `"}`, "admin"},
		{"collections.delete", `{"id":"` + openID + `"}`, "admin"},
		{"collections.export", `{"id":"` + openID + `"}`, "admin"},
		{"collections.export", `{"id":"` + closedID + `"}`, ""},
		{"collections.export_all", `{}`, "admin"},
	}
	for _, test := range tests {
		for who := range people {
			t.Run(test.endpoint+" "+test.body+" as "+who, func(t *testing.T) {
				w := newTestWorkspace(t, Document{Title: "Page"}, Document{Title: "Archived", ArchivedAt: noon}, Document{Title: "Trashed", DeletedAt: noon})
				w.store.addComment(&Comment{ID: commentID, DocumentID: page, Data: parseComment("x"), CreatedBy: people["member"], CreatedAt: noon})
				want := 403
				if strings.Contains(" "+test.may+" ", " "+who+" ") {
					want = 200
				}
				if got := call(t, w, keyOf(who), test.endpoint, test.body); got.Status != want {
					t.Errorf("status %d %s, want %d", got.Status, got.Message, want)
				}
			})
		}
	}
}

const commentID = "f0000000-0000-4000-8000-000000000001"

func TestScopesLimitWriting(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	for i, scope := range []string{"documents:read", "documents:create", "documents:write", "read", "create", "write", "/api/documents.archive"} {
		key := fmt.Sprintf("ol_api_scope%d", i)
		w.store.keys[key] = &Key{ID: key, Secret: key, UserID: people["member"], Scopes: []string{scope}}
	}
	tests := []struct {
		endpoint, may string
	}{
		{"documents.create", "documents:create documents:write create write"},
		{"documents.update", "documents:write write"},
		{"documents.move", "documents:write write"},
		{"documents.archive", "documents:write write /api/documents.archive"},
		{"documents.restore", "documents:write write"},
		{"documents.delete", "documents:write write"},
		{"documents.answerQuestion", "documents:write write"},
		{"comments.create", "create write"},
		{"comments.list", "read write"},
		{"comments.resolve", "write"},
		{"collections.create", "create write"},
		{"collections.update", "write"},
		{"collections.export", "read write"},
		{"collections.export_all", "write"},
		{"fileOperations.redirect", "read write"},
	}
	for _, test := range tests {
		for secret, key := range w.store.keys {
			if key.Scopes == nil {
				continue
			}
			got := call(t, w, secret, test.endpoint, `{"id":"`+documentID(77)+`x"}`)
			refused := got.Message == "API key does not have access to this resource"
			if may := strings.Contains(" "+test.may+" ", " "+key.Scopes[0]+" "); may == refused {
				t.Errorf("%s with the scope %s: %d %s", test.endpoint, key.Scopes[0], got.Status, got.Message)
			}
		}
	}
}
