package workspace

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

const collections2 = "testdata/collections.jsonl"

const deniesAll2 = "Outline's answer denies what the caller may do with what is moved to another collection with what is below it"

// shownIn returns the documents that an exchange of a file shows.
func shownIn(t *testing.T, file, number string) []Document {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		var r struct {
			recording
			Name string
		}
		decode(t, line, &r)
		if !strings.HasPrefix(r.Name, number+"-") {
			continue
		}
		var documents []Document
		for _, o := range recordedObjects(t, dataOf(t, &r.recording)) {
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
	seed.Documents = append(seed.Documents, shownIn(t, collections2, "1404")...)
	for _, d := range shownIn(t, collections2, "1406") { // which it moves, the last with what is below it
		if d.CollectionID = handbook2; d.ParentID == "" {
			d.Revision--
		}
		seed.Documents = append(seed.Documents, d)
	}
	seed.Documents = withParents(seed.Documents)
	sequence{file: collections2, seed: seed, abilities: map[string]string{
		"1403": "Outline's answer denies what an admin may do with what is restored to another collection",
		"1406": deniesAll2, "1410": deniesAll2,
		"1426": "Outline's answer to the creation of a collection names no membership for what the creator may do",
	}}.replay(t)
}

// TestExportsAreAsRecorded replays exports, without their files, and without those of
// documents, which the workspace does not have.
func TestExportsAreAsRecorded(t *testing.T) {
	seed := seedOfSequence(t)
	seed.Collections = seed.Collections[:1] // it makes another one
	sequence{file: "testdata/exports.jsonl", seed: seed}.replay(t)
}
