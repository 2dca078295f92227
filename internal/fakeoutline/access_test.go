package fakeoutline

import (
	"fmt"
	"strings"
	"testing"
)

func TestScopesAllowWhatTheirGrammarSays(t *testing.T) {
	tests := []struct {
		scope   scope
		allowed []string
		refused []string
	}{
		{"*", []string{"documents.info", "documents.delete", "auth.info"}, nil},
		{"read", []string{"documents.info", "collections.list", "documents.search", "documents.export", "auth.info", "documents.drafts", "collections.documents", "documents.memberships", "attachments.redirect"},
			[]string{"documents.search_titles", "documents.archived", "documents.deleted", "documents.create", "documents.insights", "documents.users"}},
		{"write", []string{"documents.info", "documents.update", "documents.create", "auth.info"}, nil},
		{"create", []string{"documents.create", "comments.create"}, []string{"documents.info", "documents.update"}},
		{"documents:read", []string{"documents.info", "documents.search", "documents.viewed"},
			[]string{"documents.search_titles", "documents.archived", "documents.create", "collections.list", "auth.info"}},
		{"documents:write", []string{"documents.info", "documents.update", "documents.create", "documents.archived"}, []string{"collections.info"}},
		{"documents:create", []string{"documents.create"}, []string{"documents.update", "documents.info", "comments.create"}},
		{"*:read", []string{"collections.list", "auth.info"}, []string{"documents.update"}},
		{"/api/documents.list", []string{"documents.list"}, []string{"documents.info", "collections.list"}},
		{"/api/documents.*", []string{"documents.list", "documents.delete"}, []string{"collections.list"}},
		{"/api/*.list", []string{"documents.list", "collections.list"}, []string{"documents.info"}},
		{"documents.list", nil, []string{"documents.list", "documents.info"}},
		{"", nil, []string{"documents.list"}},
	}
	for _, test := range tests {
		for _, method := range test.allowed {
			if !test.scope.allows(method, false) {
				t.Errorf("%q refuses %s", test.scope, method)
			}
		}
		for _, method := range test.refused {
			if test.scope.allows(method, false) {
				t.Errorf("%q allows %s", test.scope, method)
			}
		}
	}
}

func TestReleasesCountSomeMethodsAsWriting(t *testing.T) {
	for _, method := range []string{"fileOperations.redirect", "documents.memberships", "collections.group_memberships"} {
		if scope("read").allows(method, true) || !scope("write").allows(method, true) || !scope("read").allows(method, false) {
			t.Errorf("the scopes of %s are wrong", method)
		}
	}
	if !scope("read").allows("documents.info", true) {
		t.Error("reading a document counts as writing")
	}
}

// guestWorkspace holds a document of each state that the guest may write.
func guestWorkspace(t *testing.T, commenting Commenting) *Workspace {
	t.Helper()
	given := []Membership{{ID: documentID(60), UserID: people["guest"], Permission: ReadWrite}}
	w := newTestWorkspace(t,
		Document{Title: "Page", Memberships: given},
		Document{Title: "Archived", Memberships: given, ArchivedAt: noon},
		Document{Title: "Deleted", Memberships: given, DeletedAt: noon},
	)
	w.store.team.Commenting = commenting
	return w
}

func TestAGuestMayNeitherRestoreNorArchiveWhatIsSharedForWriting(t *testing.T) {
	w := guestWorkspace(t, MembersComment)
	for i, want := range []string{"Member role required", "Member role required", "Member role required"} {
		expectError(t, call(t, w, keyOf("guest"), "documents.restore", fmt.Sprintf(`{"id":%q}`, documentID(i))), 403, want)
	}
	expectError(t, call(t, w, keyOf("guest"), "documents.archive", `{"id":"document00"}`), 403, "Authorization error")
	expectError(t, call(t, w, keyOf("guest"), "documents.unpublish", `{"id":"document00"}`), 403, "Authorization error")
	if e := call(t, w, keyOf("guest"), "documents.delete", `{"id":"document00"}`); e.Status != 200 {
		t.Errorf("a guest cannot delete: %d %s", e.Status, e.Message)
	}
}

func TestTheTeamDecidesWhoComments(t *testing.T) {
	for setting, may := range map[Commenting]map[string]bool{
		"":               {"member": true, "viewer": true},
		MembersComment:   {"member": true, "viewer": true},
		EveryoneComments: {"member": true, "viewer": true, "guest": true},
		NobodyComments:   {},
	} {
		for _, who := range []string{"member", "viewer", "guest"} {
			w := guestWorkspace(t, setting)
			got := call(t, w, keyOf(who), "comments.create", `{"documentId":"`+documentID(0)+`","text":"x"}`)
			if (got.Status == 200) != may[who] {
				t.Errorf("with the setting %q a %s's comment is answered with %d", setting, who, got.Status)
			}
			if got := call(t, w, keyOf(who), "comments.list", `{"documentId":"`+documentID(0)+`"}`); got.Status != 200 {
				t.Errorf("with the setting %q a %s cannot read comments: %d", setting, who, got.Status)
			}
		}
	}
}

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
