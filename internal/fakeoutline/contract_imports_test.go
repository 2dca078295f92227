package fakeoutline

import (
	"outline-mcp/outline/recorded"
	"testing"
	"time"
)

// unlikeImports are the exchanges of documents.import that are not
// answered as recorded, each with the reason.
var unlikeImports = map[string]string{
	"1535": "of HTML only the words are taken",
	"1537": "Outline raised the revision once more",
	"1538": "Word files are not converted",
	"1547": "PDF files are not converted",
}

func TestWorkspaceImportsDocumentsAsRecorded(t *testing.T) {
	for _, r := range recorded.Read[recording](t, "imports") {
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
