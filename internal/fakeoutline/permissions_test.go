package fakeoutline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func permissionWorkspace(t testing.TB) *Workspace {
	return newTestWorkspace(t,
		Document{Title: "Open page"},
		Document{Title: "Read-only page", CollectionID: readOnlyID},
		Document{Title: "Closed page", CollectionID: closedID},
		Document{Title: "Shared page", CollectionID: sharedID},
		Document{Title: "Draft page", Revision: draftRevision},
		Document{Title: "Given page", CollectionID: closedID, Memberships: []Membership{
			{ID: documentID(50), UserID: people["guest"], Permission: Read},
			{ID: documentID(51), UserID: people["viewer"], Permission: ReadWrite},
		}},
		Document{Title: "Archived page", CollectionID: closedID, ArchivedAt: noon},
		Document{Title: "Deleted page", DeletedAt: noon},
	)
}

func TestEachRoleSeesItsDocuments(t *testing.T) {
	w := permissionWorkspace(t)
	documents := []string{"Open", "Read-only", "Closed", "Shared", "Draft", "Given", "Archived", "Deleted"}
	sees := map[string][]string{
		"admin":  {"Open", "Read-only", "Draft", "Deleted"},
		"member": {"Open", "Read-only", "Closed", "Draft", "Given", "Archived", "Deleted"},
		"other":  {"Open", "Read-only", "Draft", "Deleted"},
		"viewer": {"Open", "Read-only", "Draft", "Given", "Deleted"},
		"guest":  {"Shared", "Given"},
	}
	for who, visible := range sees {
		t.Run(who, func(t *testing.T) {
			for i, name := range documents {
				want := 403
				if slices.Contains(visible, name) {
					want = 200
				}
				body := fmt.Sprintf(`{"id":%q}`, documentID(i))
				for _, endpoint := range []string{"documents.info", "documents.export"} {
					if got := call(t, w, keyOf(who), endpoint, body); got.Status != want {
						t.Errorf("%s of the %s page is %d, want %d", endpoint, name, got.Status, want)
					}
				}
			}
		})
	}
}

func TestEachRoleListsItsDocuments(t *testing.T) {
	w := permissionWorkspace(t)
	tests := []struct {
		who, endpoint, body string
		want                []string
	}{
		{"admin", "documents.list", `{}`, []string{"Read-only page", "Open page"}},
		{"member", "documents.list", `{}`, []string{"Given page", "Closed page", "Read-only page", "Open page"}},
		{"viewer", "documents.list", `{}`, []string{"Read-only page", "Open page"}},
		{"guest", "documents.list", `{}`, []string{"Shared page"}},
		{"guest", "documents.search", `{"query":"page"}`, []string{"Given page", "Shared page"}},
		{"guest", "documents.search_titles", `{"query":"page"}`, []string{"Given page", "Shared page"}},
		{"other", "documents.search", `{"query":"page"}`, []string{"Read-only page", "Open page"}},
		{"member", "documents.search", `{"query":"draft"}`, []string{"Draft page"}},
		{"admin", "documents.search", `{"query":"draft"}`, []string{}},
		{"member", "documents.list", `{"statusFilter":["draft","archived"]}`, []string{"Archived page", "Draft page"}},
		{"member", "documents.drafts", `{}`, []string{"Draft page"}},
		{"member", "documents.drafts", `{"collectionId":"` + readOnlyID + `"}`, []string{}},
		{"admin", "documents.drafts", `{}`, []string{}},
		{"admin", "documents.list", `{"statusFilter":["draft"]}`, []string{}},
		{"other", "documents.search_titles", `{"query":"draft"}`, []string{}},
		{"member", "documents.archived", `{}`, []string{"Archived page"}},
		{"member", "documents.archived", `{"collectionId":"` + openID + `"}`, []string{}},
		{"admin", "documents.archived", `{}`, []string{}},
		{"other", "documents.deleted", `{}`, []string{"Deleted page"}},
		{"admin", "collections.list", `{}`, []string{"Open", "Read only"}},
		{"member", "collections.list", `{}`, []string{"Open", "Read only", "Closed"}},
		{"viewer", "collections.list", `{}`, []string{"Open", "Read only"}},
		{"guest", "collections.list", `{}`, []string{"Shared"}},
		{"member", "collections.list", `{"query":"ON"}`, []string{"Read only"}},
		{"member", "collections.list", `{"statusFilter":["archived"]}`, []string{}},
		{"member", "collections.documents", `{"id":"closed-closeclos1"}`, []string{"Closed page", "Given page"}},
		{"guest", "collections.documents", `{"id":"` + sharedID + `"}`, []string{"Shared page"}},
	}
	for _, test := range tests {
		t.Run(test.who+" "+test.endpoint+" "+test.body, func(t *testing.T) {
			expectTitles(t, call(t, w, keyOf(test.who), test.endpoint, test.body), test.want...)
		})
	}
}

func TestRefusals(t *testing.T) {
	w := permissionWorkspace(t)
	nobody := documentID(99)
	tests := []struct {
		name, who, endpoint, body string
		status                    int
		message                   string
	}{
		{"an admin outside reads no documents of a private collection", "admin", "collections.documents", `{"id":"` + closedID + `"}`, 403, "Authorization error"},
		{"an admin outside filters by no private collection", "admin", "documents.list", `{"collectionId":"` + closedID + `"}`, 403, "Authorization error"},
		{"another member does not see a private collection", "other", "collections.info", `{"id":"` + closedID + `"}`, 403, "Authorization error"},
		{"a guest does not see an open collection", "guest", "collections.info", `{"id":"` + openID + `"}`, 403, "Authorization error"},
		{"a viewer does not list the archive", "viewer", "documents.archived", `{}`, 403, "Member role required"},
		{"a viewer does not list the trash", "viewer", "documents.deleted", `{}`, 403, "Member role required"},
		{"a guest does not list the trash", "guest", "documents.deleted", `{}`, 403, "Member role required"},
		{"a guest lists no users", "guest", "users.list", `{}`, 403, "Authorization error"},
		{"an unknown document is not found", "member", "documents.info", `{"id":"` + nobody + `"}`, 404, "Resource not found"},
		{"an unknown document is not exported", "member", "documents.export", `{"id":"unknown-0123456789"}`, 404, "Resource not found"},
		{"an unknown collection is not found", "member", "collections.info", `{"id":"` + nobody + `"}`, 404, "Resource not found"},
		{"the documents of an unknown collection are forbidden", "member", "collections.documents", `{"id":"` + nobody + `"}`, 403, "Authorization error"},
		{"a document's id is no collection's", "member", "collections.info", `{"id":"` + documentID(0) + `"}`, 404, "Resource not found"},
		{"a short word is no slug", "member", "documents.info", `{"id":"handbook"}`, 400, "id: Invalid input"},
		{"a path is no slug", "member", "documents.info", `{"id":"/doc/open-page-document00"}`, 400, "id: Invalid input"},
		{"a URL is no slug", "member", "collections.info", `{"id":"https://example.com/collection/open-openopen01"}`, 400, "id: Invalid input"},
		{"an export needs an id", "member", "documents.export", `{}`, 400, "id: Invalid input"},
		{"a parent is given by its UUID", "member", "documents.list", `{"parentDocumentId":"document00"}`, 400, "parentDocumentId: Invalid input"},
		{"a backlink is given by its UUID", "member", "documents.list", `{"backlinkDocumentId":"document00"}`, 400, "backlinkDocumentId: Invalid input"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			expectError(t, call(t, w, keyOf(test.who), test.endpoint, test.body), test.status, test.message)
		})
	}
}

func TestIDsTakeThreeForms(t *testing.T) {
	w := permissionWorkspace(t)
	for _, id := range []string{documentID(0), "D0000000-0000-4000-8000-000000000000", "document00", "open-page-document00", "any-other-words-document00", "-document00"} {
		got := data[titled](t, call(t, w, keyOf("member"), "documents.info", fmt.Sprintf(`{"id":%q}`, id)))
		if got.Title != "Open page" {
			t.Errorf("%s leads to %q", id, got.Title)
		}
	}
	for _, id := range []string{closedID, "closeclos1", "closed-closeclos1"} {
		got := data[titled](t, call(t, w, keyOf("admin"), "collections.info", fmt.Sprintf(`{"id":%q}`, id)))
		if got.Name != "Closed" {
			t.Errorf("%s leads to %q", id, got.Name)
		}
	}
}

func TestUsersAreShownAsMuchAsTheCallerMaySee(t *testing.T) {
	w := permissionWorkspace(t)
	show := func(caller, user string) map[string]any {
		return data[map[string]any](t, call(t, w, keyOf(caller), "users.info", fmt.Sprintf(`{"id":%q}`, people[user])))
	}
	tests := []struct {
		caller, user    string
		email, settings bool
	}{
		{"admin", "member", true, true},
		{"member", "member", true, true},
		{"member", "other", false, false}, // in lists, with the address
		{"viewer", "other", false, false},
		{"viewer", "viewer", true, true},
	}
	for _, test := range tests {
		user := show(test.caller, test.user)
		_, email := user["email"]
		_, settings := user["notificationSettings"]
		if email != test.email || settings != test.settings {
			t.Errorf("the %s sees of the %s: email %v, settings %v", test.caller, test.user, email, settings)
		}
	}
	if self := data[titled](t, call(t, w, keyOf("viewer"), "users.info", `{}`)); self.Name != "viewer" {
		t.Errorf("users.info without id is %q", self.Name)
	}
	expectError(t, call(t, w, keyOf("admin"), "users.info", `{"id":"`+documentID(1)+`"}`), 403, "Authorization error")
	expectTitles(t, call(t, w, keyOf("admin"), "users.list", `{"role":"guest"}`), "guest")
	expectTitles(t, call(t, w, keyOf("admin"), "users.list", `{"filter":"viewers"}`), "viewer")
	expectTitles(t, call(t, w, keyOf("admin"), "users.list", `{"filter":"invited"}`))
}

func TestADeletedCollectionIsGoneAndItsDocumentsAreInTheTrash(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page", CollectionID: readOnlyID, DeletedAt: noon})
	for _, col := range w.store.collections {
		if col.ID == readOnlyID {
			col.DeletedAt = noon
		}
	}
	expectTitles(t, call(t, w, keyOf("admin"), "collections.list", `{}`), "Open")
	expectError(t, call(t, w, keyOf("admin"), "collections.info", `{"id":"`+readOnlyID+`"}`), 404, "Resource not found")
	expectError(t, call(t, w, keyOf("admin"), "documents.list", `{"collectionId":"`+readOnlyID+`"}`), 403, "Authorization error")
	expectTitles(t, call(t, w, keyOf("member"), "documents.deleted", `{}`), "Page")
	got := data[struct{ IsCollectionDeleted bool }](t, call(t, w, keyOf("member"), "documents.info", `{"id":"document00"}`))
	if !got.IsCollectionDeleted {
		t.Error("the document does not say that its collection was deleted")
	}
}

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
