package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"outline-mcp/internal/fakeoutline"
)

// sharedWiki has two collections, in each of which a page is above another, and people
// of all roles: Hana is an admin, Max manages the first collection, Vera and Gus were
// invited to pages.
func sharedWiki() fakeoutline.Seed {
	seed := emptySeed()
	for i, role := range []fakeoutline.Role{fakeoutline.Member, fakeoutline.Viewer, fakeoutline.Guest} {
		id, name := uuid(70+i), []string{"Max Member", "Vera Viewer", "Gus Guest"}[i]
		seed.Users = append(seed.Users, fakeoutline.User{ID: id, Name: name, Email: strings.ToLower(name[:3]) + "@lights.example", Role: role, CreatedAt: wikiDay(0)})
		seed.Keys = append(seed.Keys, fakeoutline.Key{ID: uuid(80 + i), Secret: "ol_api_" + strings.ToLower(name[:3]), UserID: id, CreatedAt: wikiDay(0)})
	}
	seed.Groups = []fakeoutline.Group{{ID: uuid(90), Name: "Keepers", UserIDs: []string{uuid(72)}, CreatedAt: wikiDay(0)}, {ID: uuid(91), Name: "Spies", CreatedAt: wikiDay(0)}}
	seed.Collections[0].Memberships = []fakeoutline.Membership{{ID: uuid(60), UserID: uuid(70), Permission: fakeoutline.Manage}, {ID: uuid(61), GroupID: uuid(90), Permission: fakeoutline.Read}}
	closed := seed.Collections[0]
	closed.ID, closed.URLID, closed.Name, closed.Permission = uuid(50), "wVj43W43Sy", "Closed", ""
	closed.Memberships = []fakeoutline.Membership{{ID: uuid(62), UserID: uuid(99_000_000), Permission: fakeoutline.Manage}, {ID: uuid(63), GroupID: uuid(91), Permission: fakeoutline.Read}}
	seed.Collections = append(seed.Collections, closed)
	parent, child := wikiPage(1, "", "Handbook", "All lamps."), wikiPage(2, uuid(1), "Rules", "Light them.")
	parent.Memberships = []fakeoutline.Membership{{ID: uuid(64), UserID: uuid(72), Permission: fakeoutline.ReadWrite}}
	secret := wikiPage(3, "", "Secret", "Dark.")
	secret.CollectionID = closed.ID
	shared, draft := wikiPage(5, "", "Shared", "Half dark."), wikiPage(6, "", "Draft", "Not yet.")
	shared.CollectionID, shared.Memberships = closed.ID, []fakeoutline.Membership{{ID: uuid(65), UserID: uuid(72), Permission: fakeoutline.Read}}
	draft.CollectionID, draft.PublishedAt, draft.CreatedBy = "", time.Time{}, uuid(70)
	seed.Documents = []fakeoutline.Document{parent, child, secret, shared, draft}
	seed.Shares = []fakeoutline.Share{
		{ID: uuid(40), DocumentID: uuid(1), Published: true, Children: true, CreatedBy: uuid(99_000_000), CreatedAt: wikiDay(1), UpdatedAt: wikiDay(1)},
		{ID: uuid(41), DocumentID: uuid(2), CreatedBy: uuid(70), CreatedAt: wikiDay(1), UpdatedAt: wikiDay(1)},
	}
	return seed
}

func TestEveryWayToOpenADocumentIsListed(t *testing.T) {
	w := wiki(t, sharedWiki())
	c := limited(t, defaultLimit, true, w)
	answer := bounded(t, c, defaultLimit, "list_access", map[string]any{"document_id": uuid(2)})
	for _, line := range []string{
		"# 5 ways to open the document \"Rules\" D000000002",
		"- all members and viewers, read_write: the collection is open to the workspace",
		`- person "Max Member" ` + uuid(70) + ", admin: invited to the collection",
		`- group "Keepers" ` + uuid(90) + ", read: invited to the collection",
		`- person "Gus Guest" ` + uuid(72) + ", read_write: invited to a document above",
		"- anyone with the link http://outline.demo.invalid/s/" + uuid(40) + `, read: public link to the document above, "Handbook" D000000001`,
	} {
		if !strings.Contains(answer.Text, line) {
			t.Errorf("no %s in %s", line, answer.Text)
		}
	}
	if strings.Contains(answer.Text, uuid(41)) {
		t.Errorf("a link that does not work is listed: %s", answer.Text)
	}
	paged := bounded(t, c, defaultLimit, "list_access", map[string]any{"document_id": uuid(2), "limit": 2, "offset": 2})
	if !strings.Contains(paged.Text, "3–4 shown") || !strings.Contains(paged.Text, "offset 4") || strings.Contains(paged.Text, "Max") || !strings.Contains(paged.Text, "Keepers") {
		t.Error(paged.Text)
	}
}

func TestRolesSeeAndChangeAccessAsOutlineLetsThem(t *testing.T) {
	of := func(t *testing.T, key string) *client.Client {
		return limited(t, defaultLimit, true, wiki(t, sharedWiki()), "OUTLINE_API_KEY="+key)
	}
	for _, test := range []struct {
		key, tool string
		arguments map[string]any
		code      string
		says      string
	}{
		{fakeoutline.AdminKey, "list_access", map[string]any{"collection_id": uuid(50)}, "", "Spies"},
		{fakeoutline.AdminKey, "list_access", map[string]any{"collection_id": "closed"}, "", "Spies"},
		{fakeoutline.AdminKey, "share_document", map[string]any{"collection_id": "Closed", "link": "on"}, "", "Anyone with the link can read the collection \"Closed\""},
		{fakeoutline.AdminKey, "share_document", map[string]any{"collection_id": "Cloud", "link": "on"}, "not_found", ""},
		{"ol_api_max", "list_access", map[string]any{"document_id": uuid(1)}, "", "Gus Guest"},
		{"ol_api_vie", "list_access", map[string]any{"document_id": uuid(1)}, "unauthorized", ""},
		{"ol_api_ver", "list_access", map[string]any{"document_id": uuid(1)}, "", "Not known: who is invited to the document itself"},
		{"ol_api_gus", "list_access", map[string]any{"document_id": uuid(1)}, "", "Gus Guest"},
		{"ol_api_gus", "list_access", map[string]any{"document_id": uuid(5)}, "", "Not known: who can open the document through its collection"},
		{"ol_api_max", "list_access", map[string]any{"document_id": uuid(6)}, "", `person "Max Member" ` + uuid(70) + ", admin: the document is their draft"},
		{"ol_api_gus", "list_access", map[string]any{"document_id": uuid(3)}, "forbidden", ""},
		{"ol_api_max", "list_access", map[string]any{"collection_id": uuid(50)}, "forbidden", ""},

		{"ol_api_max", "share_document", map[string]any{"document_id": uuid(1), "user": "vera", "role": "read"}, "", `Gave "Vera Viewer"`},
		{"ol_api_max", "share_document", map[string]any{"document_id": uuid(1), "user": "Gus Guest", "role": "none"}, "", `Took the access of "Gus Guest"`},
		{"ol_api_max", "share_document", map[string]any{"document_id": uuid(2), "user": "Gus Guest", "role": "none"}, "invalid_arguments", "above it"},
		{"ol_api_max", "share_document", map[string]any{"collection_id": wikiCollection, "group": "spies", "role": "read_write"}, "", `Gave "Spies"`},
		{"ol_api_max", "share_document", map[string]any{"collection_id": wikiCollection, "group": "Keepers", "role": "read_write"}, "", "before, it was read"},
		{"ol_api_max", "share_document", map[string]any{"collection_id": wikiCollection, "group": uuid(90), "role": "read"}, "", "Nothing changed"},
		{"ol_api_max", "share_document", map[string]any{"collection_id": wikiCollection, "user": "Max Member", "role": "none"}, "invalid_arguments", "must have manage permissions"},
		{"ol_api_max", "share_document", map[string]any{"document_id": uuid(1), "group": "nobody", "role": "read"}, "not_found", "no group"},
		{"ol_api_max", "share_document", map[string]any{"document_id": uuid(1), "link": "end"}, "forbidden", "only who made a link"},
		{"ol_api_max", "share_document", map[string]any{"document_id": uuid(2), "link": "on"}, "", uuid(41)},
		{"ol_api_max", "share_document", map[string]any{"document_id": uuid(1), "link": "off"}, "", "does not work any more"},
		{"ol_api_ver", "share_document", map[string]any{"document_id": uuid(2), "link": "on"}, "forbidden", ""},
		{"ol_api_ver", "share_document", map[string]any{"document_id": uuid(1), "user": "Max Member", "role": "admin"}, "forbidden", ""},
		{"ol_api_gus", "share_document", map[string]any{"document_id": uuid(1), "link": "on"}, "forbidden", ""},
		{"ol_api_gus", "share_document", map[string]any{"document_id": uuid(1), "user": uuid(70), "role": "admin"}, "forbidden", ""},
		{fakeoutline.AdminKey, "share_document", map[string]any{"document_id": uuid(1), "user": "Hana Weissbach", "role": "read"}, "invalid_arguments", "yourself"},
		{fakeoutline.AdminKey, "share_document", map[string]any{"document_id": uuid(1), "link": "on", "link_name": "Bad name!"}, "invalid_arguments", "urlId"},
		{fakeoutline.AdminKey, "share_document", map[string]any{"document_id": uuid(1), "link": "end"}, "", "permanently deleted"},
		{fakeoutline.AdminKey, "share_document", map[string]any{"collection_id": wikiCollection, "link": "on"}, "", "Anyone with the link"},
	} {
		answer := bounded(t, of(t, test.key), defaultLimit, test.tool, test.arguments)
		if string(answer.Code) != test.code || !strings.Contains(answer.Text, test.says) {
			t.Errorf("%s %s %v: code %q: %s", test.key, test.tool, test.arguments, answer.Code, answer.Text)
		}
	}
}

func TestALinkOpensOneDocumentUnlessAllBelowIsAskedFor(t *testing.T) {
	seed := sharedWiki()
	seed.Shares = nil
	c := limited(t, defaultLimit, false, wiki(t, seed))
	below := func() bool {
		return strings.Contains(bounded(t, c, defaultLimit, "list_access", map[string]any{"document_id": uuid(2)}).Text, "public link to the document above")
	}
	bounded(t, c, defaultLimit, "share_document", map[string]any{"document_id": uuid(1), "link": "on"})
	if below() {
		t.Error("a link opens what is below")
	}
	answer := bounded(t, c, defaultLimit, "share_document", map[string]any{"document_id": uuid(1), "link": "on", "include_children": true, "link_name": "hand-book"})
	if !below() || !strings.Contains(answer.Text, "/s/hand-book") {
		t.Errorf("a link does not open what is below, or has not the name: %s", answer.Text)
	}
}

func TestNobodyOutsideTheBoundaryAppears(t *testing.T) {
	c := limited(t, defaultLimit, true, wiki(t, sharedWiki()), "OUTLINE_COLLECTIONS=Engineering")
	for _, test := range []struct {
		tool    string
		outside map[string]any
		unknown map[string]any
	}{
		{"list_access", map[string]any{"document_id": uuid(3)}, map[string]any{"document_id": uuid(4)}},
		{"list_access", map[string]any{"collection_id": uuid(50)}, map[string]any{"collection_id": uuid(51)}},
		{"share_document", map[string]any{"document_id": uuid(3), "link": "on"}, map[string]any{"document_id": uuid(4), "link": "on"}},
		{"share_document", map[string]any{"collection_id": uuid(50), "user": "Max Member", "role": "read"}, map[string]any{"collection_id": uuid(51), "user": "Max Member", "role": "read"}},
	} {
		outside, unknown := bounded(t, c, defaultLimit, test.tool, test.outside).Text, bounded(t, c, defaultLimit, test.tool, test.unknown).Text
		if masked := strings.NewReplacer(uuid(3), "X", uuid(4), "X", uuid(50), "X", uuid(51), "X"); masked.Replace(outside) != masked.Replace(unknown) {
			t.Errorf("%s: outside %s, unknown %s", test.tool, outside, unknown)
		}
	}
	inside := bounded(t, c, defaultLimit, "list_access", map[string]any{"document_id": uuid(2)})
	if inside.Code != "" || !strings.Contains(inside.Text, "Keepers") || strings.Contains(inside.Text, "Spies") || strings.Contains(inside.Text, "Closed") {
		t.Error(inside.Text)
	}
	for _, arguments := range []map[string]any{{"document_id": uuid(2), "link": "on"}, {"document_id": uuid(2), "link": "off"}, {"document_id": uuid(1), "user": "Vera Viewer", "role": "read"}} {
		if answer := bounded(t, c, defaultLimit, "share_document", arguments); answer.Code != "" {
			t.Error(answer.Text)
		}
	}
	reads := limited(t, defaultLimit, true, wiki(t, sharedWiki()), "OUTLINE_WRITE_COLLECTIONS=Closed")
	for _, arguments := range []map[string]any{{"document_id": uuid(2), "link": "on"}, {"document_id": uuid(1), "user": "Vera Viewer", "role": "read"}, {"collection_id": wikiCollection, "link": "on"}} {
		if answer := bounded(t, reads, defaultLimit, "share_document", arguments); answer.Code != "forbidden" || !strings.Contains(answer.Text, "does not write in it") {
			t.Error(answer.Text)
		}
	}
}
