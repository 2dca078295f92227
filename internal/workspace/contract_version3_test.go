package workspace

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testdata/version3 holds exchanges of the second series about documents in the
// forms of the versions of the API: 628 to 639 and 671, which follow those of
// testdata/lists.

func TestDocumentsHaveTheFormsOfTheVersionsAsRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/version3/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d recordings: %v", len(files), err)
	}
	recordings := make([]recording, len(files))
	for i, file := range files {
		readJSON(t, file, &recordings[i])
	}
	seed := beforeLists(t)
	for _, o := range recordedObjects(t, dataOf(t, &recordings[0])) { // what exchange 627 created, with its tree
		*o.Revision++
		seed.Documents = append([]Document{o.document()}, seed.Documents...)
	}
	w, err := Empty(Options{Now: func() time.Time { return recorded2.Add(20 * time.Second) }}, seed)
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			for _, difference := range exchange(t, w, &recordings[i]) {
				// Outline detects the language and writes a revision after exchange 628.
				if difference != ".data.language is null, recorded string" && difference != ".data.document.revision is 3, recorded 2" {
					t.Error(difference)
				}
			}
		})
	}
}
