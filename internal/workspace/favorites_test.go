package workspace

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
)

// favorites is the data of stars.list and pins.list.
type favorites struct {
	Stars, Pins, Documents []map[string]any
}

func TestFavoritesHaveTheRecordedKeys(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	do(t, w, "stars.create", `{"documentId":"`+documentID(0)+`"}`)
	call(t, w, keyOf("admin"), "pins.create", `{"documentId":"`+documentID(0)+`"}`)
	keys := func(list []map[string]any) []string {
		if len(list) == 0 {
			return nil
		}
		return slices.Sorted(maps.Keys(list[0]))
	}
	for endpoint, file := range map[string]string{"stars.list": "117-stars.list.json", "pins.list": "120-pins.list.json"} {
		text, err := os.ReadFile("testdata/favorites/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var recorded recording
		var want struct{ Data favorites }
		decode(t, text, &recorded)
		decode(t, recorded.Response.Body, &want)
		have := data[favorites](t, do(t, w, endpoint, `{}`))
		for part, lists := range map[string][2][]map[string]any{
			"stars": {have.Stars, want.Data.Stars}, "pins": {have.Pins, want.Data.Pins}, "documents": {have.Documents, want.Data.Documents},
		} {
			recordedKeys := slices.DeleteFunc(keys(lists[1]), func(key string) bool { return key == "lastViewedAt" }) // views are not kept
			if got := keys(lists[0]); !slices.Equal(got, recordedKeys) {
				t.Errorf("%s: %s have the keys %q, recorded %q", endpoint, part, got, recordedKeys)
			}
		}
	}
}

func TestRefusalsOfFavoritesAreAsRecorded(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Page"})
	for file, request := range map[string][3]string{
		"1433-stars.create-none.json":       {"admin", "stars.create", `{}`},
		"1447-pins.create-member-home.json": {"member", "pins.create", `{"documentId":"` + documentID(0) + `"}`},
	} {
		text, err := os.ReadFile("testdata/favorites/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var recorded recording
		var want struct{ Message string }
		decode(t, text, &recorded)
		if err := json.Unmarshal(recorded.Response.Body, &want); err != nil {
			t.Fatal(err)
		}
		expectError(t, call(t, w, keyOf(request[0]), request[1], request[2]), recorded.Response.Status, want.Message)
	}
}

func TestStarsBelongToOneUserAndPinsToAll(t *testing.T) {
	w := newTestWorkspace(t, Document{Title: "Open"}, Document{Title: "Closed", CollectionID: closedID}, Document{Title: "Later"})
	listed := func(who, endpoint string) []string {
		var list []string
		for _, d := range data[favorites](t, call(t, w, keyOf(who), endpoint, `{}`)).Documents {
			list = append(list, d["title"].(string))
		}
		return list
	}
	for _, i := range []int{0, 1, 2} {
		call(t, w, keyOf("admin"), "pins.create", `{"documentId":"`+documentID(i)+`"}`)
	}
	first := data[map[string]any](t, call(t, w, keyOf("member"), "stars.create", `{"documentId":"`+documentID(0)+`"}`))
	again := data[map[string]any](t, call(t, w, keyOf("member"), "stars.create", `{"documentId":"`+documentID(0)+`"}`))
	if first["id"] != again["id"] {
		t.Errorf("starring again gives %v, not %v", again["id"], first["id"])
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
