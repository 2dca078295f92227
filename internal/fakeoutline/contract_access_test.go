package fakeoutline

import (
	"encoding/json"
	"testing"
	"time"

	"outline-mcp/outline/recorded"
)

// TestAccessIsAsRecorded replays who was given access to collections and documents, and
// public links.
func TestAccessIsAsRecorded(t *testing.T) {
	seed := seedOfSequence(t)
	seed.Users = append(seed.Users, User{
		ID: "fe736d3b-aeed-437e-9617-17116b366f21", Name: "Sue Spended", Email: "suspended@acme.example.com", Color: "#F5BE31",
		Role: Member, Suspended: true, CreatedAt: recorded2.Add(383 * time.Millisecond),
	})
	at := func(ms int) time.Time { return recorded2.Add(time.Duration(ms) * time.Millisecond) }
	seed.Groups = []Group{
		{ID: "bc5021f4-38a9-41fb-ba42-f3e480c04375", Name: "Engineering", UserIDs: []string{max2}, CreatedAt: at(514)},
	}
	for i := range seed.Collections {
		id := map[string]string{secret2: "78337d35-8dec-484b-ac9c-26e294ecdc89", handbook2: "7f3841b2-c4c5-4cb2-b890-318f4751b062"}[seed.Collections[i].ID]
		if id != "" {
			seed.Collections[i].Memberships = []Membership{{ID: id, UserID: ada2, Permission: Manage}}
		}
	}
	seed.Documents = nil
	for _, d := range []struct{ id, urlID, title, collection, parent string }{
		{plan2, "1LgR3ZlPGH", "Secret plan", secret2, ""},
		{guide2, "eigKHQGuhC", "Onboarding guide", handbook2, ""},
		{firstDay2, "pSUkFQgxPy", "First day", handbook2, guide2},
		{"611696fb-0bdf-43c5-8fa4-51779f83e52a", "zw59kMpVcv", "Retro notes", handbook2, ""},
		{"6abf442b-3b0d-467b-9c68-cf3bee67bf65", "oY5fM9q6AZ", "K two", project2, ""},
		{"2422864f-f388-4aa8-9c46-a4c9fac19f79", "TEZV20JM3T", "Mentions", handbook2, ""},
		{"dea0ac1d-d480-452c-8b25-907b7a04a4c0", "YCKwvxyxjd", "50% done_plan", handbook2, ""},
		{"f09fc791-a9d4-4a7b-80c6-9c8ae8045760", "Vgv60EpTnH", "Draft roadmap", handbook2, ""},
		{"c5530dc4-c9f8-4bb6-bd84-013ee01db979", "pagec5530d", "None", handbook2, ""},
	} {
		seed.Documents = append(seed.Documents, Document{ID: d.id, URLID: d.urlID, Title: d.title, Text: "text", CollectionID: d.collection, ParentID: d.parent,
			CreatedBy: ada2, UpdatedBy: ada2, PublishedAt: recorded2})
	}
	sequence{exchanges: recorded.Read[json.RawMessage](t, "access"), seed: seed, absent: []string{"shares.list"}, before: map[string]func(*Workspace){
		"1096": func(w *Workspace) {
			w.store.groups = append(w.store.groups, Group{ID: "7d31d5aa-519a-429d-bf7d-173892e12220", Name: "Support team", CreatedAt: at(42684)})
		},
	}, unlike: map[string]string{
		"1133": "groups have no settings here", "1135": "groups have no settings here",
		"1157": "what a document inherits has IDs of our own",
		"1565": "links have no title here", "1569": "links have no title here", "1590": "links have no title here",
	}}.replay(t)
}
