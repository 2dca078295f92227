package fakeoutline

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestDocumentsWithEqualKeysComeInAnotherOrderInEachRequestIfAsked(t *testing.T) {
	for _, shuffled := range []bool{false, true} {
		var seed Seed
		seed.Users = []User{{ID: people["member"], Name: "Author", Role: Member}}
		seed.Keys = []Key{{ID: documentID(99), Secret: keyOf("member"), UserID: people["member"]}}
		seed.Collections = []Collection{{ID: openID, URLID: "openopen01", Name: "Open", Permission: ReadWrite}}
		for i := range 20 {
			seed.Documents = append(seed.Documents, Document{
				ID: documentID(i), URLID: fmt.Sprintf("document%02d", i), Title: "Buoy", Text: "x", CollectionID: openID,
				CreatedBy: people["member"], UpdatedBy: people["member"], CreatedAt: noon, UpdatedAt: noon.Add(time.Duration(i/19) * time.Hour), PublishedAt: noon,
			})
		}
		w, err := Empty(Options{ShuffleTies: shuffled}, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, endpoint := range []string{"documents.list", "documents.search", "documents.search_titles"} {
			ids := func(page string) (list []string) {
				for _, entry := range data[[]struct {
					ID       string
					Document struct{ ID string }
				}](t, call(t, w, keyOf("member"), endpoint, `{"query":"buoy","sort":"updatedAt",`+page+`}`)) {
					list = append(list, max(entry.ID, entry.Document.ID))
				}
				return list
			}
			pages := slices.Concat(ids(`"limit":10`), ids(`"limit":10,"offset":10`))
			if pages[0] != documentID(19) {
				t.Errorf("%s begins with %s, which was not changed last", endpoint, pages[0])
			}
			slices.Sort(pages)
			if repeats := len(slices.Compact(pages)) < 20; repeats != shuffled {
				t.Errorf("%s, shuffled %v: two pages repeat documents: %v", endpoint, shuffled, repeats)
			}
		}
	}
}
