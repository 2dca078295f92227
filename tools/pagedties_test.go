package tools_test

import (
	"fmt"
	"testing"

	"outline-mcp/internal/fakeoutline"
)

// TestEachOfManyDocumentsOfOneMomentIsListedOnce pages through what was archived or deleted
// at once, which Outline returns in another order for each page.
func TestEachOfManyDocumentsOfOneMomentIsListedOnce(t *testing.T) {
	const count = 297
	for _, list := range []string{"list_archived_documents", "list_trash"} {
		seed := emptySeed()
		moment := wikiDay(1000)
		for n := range count {
			d := wikiPage(n+1, "", fmt.Sprint("Page ", n), "x")
			d.CreatedAt, d.UpdatedAt = wikiDay(n), moment
			if list == "list_trash" {
				d.DeletedAt = moment
			} else {
				d.ArchivedAt = moment
			}
			seed.Documents = append(seed.Documents, d)
		}
		w, err := fakeoutline.Empty(fakeoutline.Options{ShuffleTies: true}, seed)
		if err != nil {
			t.Fatal(err)
		}
		c := limited(t, defaultLimit, true, w.Transport())
		listed := map[string]int{}
		pages := 0
		for offset := 0; ; pages++ {
			page, _ := read[struct {
				Documents []struct {
					DocumentID string `json:"document_id"`
				}
				HasMore    bool `json:"has_more"`
				NextOffset int  `json:"next_offset"`
			}](t, c, list, map[string]any{"limit": 25, "offset": offset})
			for _, d := range page.Documents {
				listed[d.DocumentID]++
			}
			if !page.HasMore {
				break
			}
			offset = page.NextOffset
		}
		if len(listed) != count || pages != count/25 {
			t.Errorf("%s: %d of %d are listed on %d pages", list, len(listed), count, pages+1)
		}
		for id, times := range listed {
			if times > 1 {
				t.Errorf("%s: %s is listed %d times", list, id, times)
			}
		}
	}
}
