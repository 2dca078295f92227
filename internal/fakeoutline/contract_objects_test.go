package fakeoutline

import (
	"encoding/json"
	"testing"
	"time"

	"outline-mcp/test/fixtures"
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
	sequence{exchanges: fixtures.Recorded[json.RawMessage](t, "access"), seed: seed, absent: []string{"shares.list"}, before: map[string]func(*Workspace){
		"1096": func(w *Workspace) {
			w.store.groups = append(w.store.groups, Group{ID: "7d31d5aa-519a-429d-bf7d-173892e12220", Name: "Support team", CreatedAt: at(42684)})
		},
	}, unlike: map[string]string{
		"1133": "groups have no settings here", "1135": "groups have no settings here",
		"1157": "what a document inherits has IDs of our own",
		"1565": "links have no title here", "1569": "links have no title here", "1590": "links have no title here",
	}}.replay(t)
}

// shownIn returns the documents that an exchange of a file shows.
func shownIn(t *testing.T, file, number string) []Document {
	t.Helper()
	for _, r := range fixtures.Recorded[recording](t, file) {
		if r.number() != number {
			continue
		}
		var documents []Document
		for _, o := range recordedObjects(t, dataOf(t, &r)) {
			if o.Revision != nil {
				documents = append(documents, o.document())
			}
		}
		return documents
	}
	t.Fatalf("there is no exchange %s in %s", number, file)
	return nil
}

// TestCollectionsAndWhatIsInThemAreAsRecorded replays the archive of collections,
// copies of documents, drafts, and what is published again. Left out are the exchanges
// about what the workspace does not have: copies and the order of collections, stars,
// pins, subscriptions, views, insights and public shares.
func TestCollectionsAndWhatIsInThemAreAsRecorded(t *testing.T) {
	const readOnly2 = "b1842e69-71ed-4779-9099-4724b9204c8e"
	seed := seedOfSequence(t)
	seed.Collections = []Collection{
		seed.Collections[0], {ID: secret2, URLID: "fxOhcPkX7h", Name: "Secret"}, {ID: readOnly2, URLID: "readonly01", Name: "Read only", Permission: Read},
	}
	page2(binned2, handbook2)(&seed)
	seed.Documents[0].DeletedAt = recorded2
	seed.Documents = append(seed.Documents, shownIn(t, "collections", "1404")...)
	for _, d := range shownIn(t, "collections", "1406") { // which it moves, the last with what is below it
		if d.CollectionID = handbook2; d.ParentID == "" {
			d.Revision--
		}
		seed.Documents = append(seed.Documents, d)
	}
	seed.Documents = withParents(seed.Documents)
	sequence{exchanges: fixtures.Recorded[json.RawMessage](t, "collections"), seed: seed}.replay(t)
}

// TestExportsAreAsRecorded replays exports, without their files, and without those of
// documents, which the workspace does not have.
func TestExportsAreAsRecorded(t *testing.T) {
	seed := seedOfSequence(t)
	seed.Collections = seed.Collections[:1] // it makes another one
	sequence{exchanges: fixtures.Recorded[json.RawMessage](t, "exports"), seed: seed, before: map[string]func(*Workspace){
		"1695": func(w *Workspace) { clear(w.store.exports) }, // fileOperations.delete
	}}.replay(t)
}

// unlikeImports are the exchanges of documents.import that are not
// answered as recorded, each with the reason.
var unlikeImports = map[string]string{
	"1535": "of HTML only the words are taken",
	"1537": "Outline raised the revision once more",
	"1538": "Word files are not converted",
}

func TestWorkspaceImportsDocumentsAsRecorded(t *testing.T) {
	for _, r := range fixtures.Recorded[recording](t, "imports") {
		t.Run(r.Name, func(t *testing.T) {
			seed := seed2(t, &recording{})
			page2("6abf442b-3b0d-467b-9c68-cf3bee67bf65", project2)(&seed) // the parent
			seed.Collections = append(seed.Collections, Collection{ID: "b1842e69-71ed-4779-9099-4724b9204c8e", URLID: "readonly01", Name: "Read only", Permission: Read})
			seed.Keys = append(seed.Keys, Key{ID: withFiles2, Secret: testKeys["scoped"], UserID: ada2, Scopes: []string{"documents:read", "collections:read"}})
			w, err := Empty(Options{Now: func() time.Time { return recorded2.Add(time.Hour) }}, seed)
			if err != nil {
				t.Fatal(err)
			}
			r.report(t, exchange(t, w, &r), unlikeImports)
		})
	}
}

// The documents of these exchanges.
const (
	revised2      = "5c0b91a4-3024-4100-9009-27d7f972f713"
	revisedDraft2 = "488893bc-87e2-4b73-b354-939fd4f896c0"
	binned2       = "e90db616-f3cf-4eac-b1e5-a4c668e80c40"
	binnedAs2     = "cae6a093-11b1-4a2b-ab7a-3e09aa68b5ef" // its revision
)

// revisions2 are the recorded IDs of revisions in the order of creation.
var revisions2 = map[string][]string{
	revised2: {
		"55b73626-ea35-421e-baec-9e84834f49d0", "a1daf21a-6b80-46df-a394-5a805cb18e17", "7d3dfa41-440b-49ba-b6ff-f162094eb02b",
		"4c730473-6dd8-4dfe-b32f-33b72182ce74", "426298f5-da86-435b-94d4-28e53be9c309",
	},
	revisedDraft2: {"fab23185-416f-4678-b7fd-817e4619e20d"},
}

func TestRevisionsAreAsRecorded(t *testing.T) {
	sequence{
		exchanges: fixtures.Recorded[json.RawMessage](t, "revisions"), seed: beforeRevisions(t), revisions: revisions2,
		ours: map[string]string{"d6141e08-0708-401e-8091-17fbb0b16711": derivedUUID(revised2, "present")},
		before: map[string]func(*Workspace){
			"721": func(w *Workspace) { // revisions.update
				w.store.history.of[revised2][2].Name, w.store.history.of[revised2][3].Name = "by Max", "named"
			},
			"754": func(w *Workspace) { // revisions.delete
				gone := w.store.history.of[revised2][4]
				gone.Title, gone.DeletedAt = "", time.Date(2026, time.November, 22, 8, 11, 35, 415*1e6, time.UTC)
			},
		},
	}.replay(t)
}

// beforeRevisions is what the exchanges found: the documents that they try
// beside their own.
func beforeRevisions(t *testing.T) Seed {
	t.Helper()
	seed := seedOfSequence(t)
	page2(plan2, secret2)(&seed)
	page2("611696fb-0bdf-43c5-8fa4-51779f83e52a", handbook2)(&seed)
	page2("f47474c5-3f4d-457b-bb64-0c10711945d1", handbook2)(&seed)
	seed.Documents[2].PublishedAt = time.Time{}
	page2(binned2, handbook2)(&seed)
	seed.Documents[3].DeletedAt = recorded2
	seed.Revisions = []Revision{{
		ID: binnedAs2, DocumentID: binned2, Title: "Deleted note", AuthType: "api", CreatedBy: ada2,
		CreatedAt: time.Date(2026, time.November, 22, 8, 11, 9, 448*1e6, time.UTC),
	}}
	return seed
}
