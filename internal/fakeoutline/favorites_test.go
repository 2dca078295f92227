package fakeoutline

import (
	"maps"
	"slices"
	"testing"

	"outline-mcp/test/fixtures"
)

// favorites is the data of stars.list and pins.list.
type favorites struct {
	Stars, Pins, Documents []map[string]any
}

func TestFavoritesHaveTheRecordedKeys(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	w.store.stars = []Favorite{{ID: "star", UserID: people["member"], DocumentID: documentID(0)}}
	w.store.pins = []Favorite{{ID: "pin", DocumentID: documentID(0)}}
	keys := func(list []map[string]any) []string {
		if len(list) == 0 {
			return nil
		}
		return slices.Sorted(maps.Keys(list[0]))
	}
	for _, r := range fixtures.Recorded[recording](t, "favorites") {
		if number := r.number(); number != "117" && number != "120" { // the others are of other documents
			continue
		}
		var want struct{ Data favorites }
		decode(t, r.Response.Body, &want)
		have := data[favorites](t, do(t, w, r.endpoint(), `{}`))
		for part, lists := range map[string][2][]map[string]any{
			"stars": {have.Stars, want.Data.Stars}, "pins": {have.Pins, want.Data.Pins}, "documents": {have.Documents, want.Data.Documents},
		} {
			recordedKeys := slices.DeleteFunc(keys(lists[1]), func(key string) bool { return key == "lastViewedAt" }) // views are not kept
			if got := keys(lists[0]); !slices.Equal(got, recordedKeys) {
				t.Errorf("%s: %s have the keys %q, recorded %q", r.Name, part, got, recordedKeys)
			}
		}
	}
}

func TestStarsBelongToOneUserAndPinsToAll(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Open"}, Document{Title: "Closed", CollectionID: closedID}, Document{Title: "Later"})
	w.store.stars = []Favorite{{ID: "star", UserID: people["member"], DocumentID: documentID(0)}}
	for i := range 3 {
		w.store.pins = slices.Insert(w.store.pins, 0, Favorite{ID: "pin", DocumentID: documentID(i)})
	}
	listed := func(who, endpoint string) []string {
		var list []string
		for _, d := range data[favorites](t, call(t, w, keyOf(who), endpoint, `{}`)).Documents {
			list = append(list, d["title"].(string))
		}
		return list
	}
	for _, test := range []struct {
		who, endpoint string
		want          []string
	}{
		{"member", "stars.list", []string{"Open"}},
		{"other", "stars.list", nil},
		{"other", "pins.list", []string{"Later", "Open"}},
	} {
		if got := listed(test.who, test.endpoint); !slices.Equal(got, test.want) {
			t.Errorf("%s of %s: %q, not %q", test.endpoint, test.who, got, test.want)
		}
	}
	do(t, w, "documents.archive", `{"id":"`+documentID(2)+`"}`)
	if got := listed("other", "pins.list"); !slices.Equal(got, []string{"Open"}) {
		t.Errorf("after archiving one, the pins are %q", got)
	}
}
