package fakeoutline

import (
	"fmt"
	"testing"
)

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
