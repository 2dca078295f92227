package fakeoutline

import (
	"encoding/json"
	"outline-mcp/outline/recorded"
	"testing"
)

// shownIn returns the documents that an exchange of a file shows.
func shownIn(t *testing.T, file, number string) []Document {
	t.Helper()
	for _, r := range recorded.Read[recording](t, file) {
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
	sequence{exchanges: recorded.Read[json.RawMessage](t, "collections"), seed: seed}.replay(t)
}

// TestExportsAreAsRecorded replays exports, without their files, and without those of
// documents, which the workspace does not have.
func TestExportsAreAsRecorded(t *testing.T) {
	seed := seedOfSequence(t)
	seed.Collections = seed.Collections[:1] // it makes another one
	sequence{exchanges: recorded.Read[json.RawMessage](t, "exports"), seed: seed, before: map[string]func(*Workspace){
		"1695": func(w *Workspace) { clear(w.store.exports) }, // fileOperations.delete
	}}.replay(t)
}
