package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// unlikeImports are the exchanges of documents.import in testdata/imports that are not
// answered as recorded, each with the reason.
var unlikeImports = map[string]string{
	"1535": "of HTML only the words are taken",
	"1537": "Outline raised the revision once more",
	"1538": "Word files are not converted",
	"1547": "PDF files are not converted",
}

func TestWorkspaceImportsDocumentsAsRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/imports/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d recordings: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r recording
			decode(t, content, &r)
			seed := seed2(t, &recording{})
			page2("6abf442b-3b0d-467b-9c68-cf3bee67bf65", project2)(&seed) // the parent
			seed.Collections = append(seed.Collections, Collection{ID: "b1842e69-71ed-4779-9099-4724b9204c8e", URLID: "readonly01", Name: "Read only", Permission: Read})
			seed.Keys = append(seed.Keys, Key{ID: withFiles2, Secret: testKeys["scoped"], UserID: ada2, Scopes: []string{"documents:read", "collections:read"}})
			w, err := Empty(Options{Now: func() time.Time { return recorded2.Add(time.Hour) }}, seed)
			if err != nil {
				t.Fatal(err)
			}
			found := exchange(t, w, &r)
			reason, listed := unlikeImports[name[:4]]
			switch {
			case listed && len(found) == 0:
				t.Errorf("is answered as recorded, but listed: %s", reason)
			case !listed:
				for _, difference := range found {
					t.Error(difference)
				}
			}
		})
	}
}
