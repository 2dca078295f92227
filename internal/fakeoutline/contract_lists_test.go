package fakeoutline

import (
	"encoding/json"
	"fmt"
	"net/http"
	"outline-mcp/outline/recorded"
	"slices"
	"strings"
	"testing"
	"time"
)

// A recordedList is an exchange about a list of documents or users, reduced to the IDs in
// the answer.
type recordedList struct {
	Name, As, Path string
	Body           json.RawMessage
	Status         int
	IDs            []string
	Hits           []any
	Pagination     map[string]any
	Answer         any // where it is no list
}

// unlikeLists2 are the exchanges that are answered otherwise, each with the reason.
var unlikeLists2 = map[string]string{
	"546": "nobody has viewed a document, so that its popularity orders nothing",
	"547": "the same",
	"550": "without a collection the order by index is arbitrary",
	"605": "who viewed what is not kept",
	"606": "the same",
	"607": "the same",
	"608": "the same",
}

func TestListsAreAsRecorded(t *testing.T) {
	w, err := Empty(Options{Now: func() time.Time { return recorded2.Add(20 * time.Second) }}, beforeLists(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recorded.Read[recordedList](t, "list_answers") {
		t.Run(r.Name, func(t *testing.T) {
			(&recording{Name: r.Name}).report(t, r.differences(t, w), unlikeLists2)
		})
	}
}

// differences makes a recorded request and compares the answer.
func (r *recordedList) differences(t *testing.T, w *Workspace) []string {
	t.Helper()
	path, query, _ := strings.Cut(r.Path, "?")
	req := newCall(t, testKeys[r.As], path, string(r.Body))
	req.URL.RawQuery = query
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Data       []map[string]any
		Pagination map[string]any
	}
	var whole any
	if err := json.NewDecoder(res.Body).Decode(&whole); err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != r.Status || r.Status != http.StatusOK || r.Answer != nil {
		return append(differences("", whole, r.Answer), differences(".status", float64(res.StatusCode), float64(r.Status))...)
	}
	encoded, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	decode(t, encoded, &answer)
	ids := []string{}
	var hits []any
	for _, item := range answer.Data {
		if document, ok := item["document"].(map[string]any); ok {
			delete(item, "document")
			hits = append(hits, item)
			item = document
		}
		ids = append(ids, item["id"].(string))
	}
	var found []string
	if !slices.Equal(ids, r.IDs) {
		found = append(found, fmt.Sprintf("lists %q, recorded %q", ids, r.IDs))
	} else {
		found = differences(".data", hits, r.Hits)
	}
	return append(found, differences(".pagination", any(answer.Pagination), any(r.Pagination))...)
}

// beforeLists is what the exchanges found.
func beforeLists(t *testing.T) Seed {
	t.Helper()
	seed := seed2(t, &recording{})
	seed.Users = append(seed.Users, User{
		ID: "fe736d3b-aeed-437e-9617-17116b366f21", Name: "Sue Spended", Email: "suspended@acme.example.com",
		Role: Member, Suspended: true, CreatedAt: recorded2.Add(383 * time.Millisecond),
	})
	seed.Keys = append(seed.Keys,
		Key{ID: "scoped", Secret: testKeys["scoped"], UserID: ada2, Scopes: []string{"documents:read", "collections:read"}},
		Key{ID: "route_scoped", Secret: testKeys["route_scoped"], UserID: max2, Scopes: []string{"/api/documents.list", "/api/documents.search"}},
		Key{ID: "global_read", Secret: testKeys["global_read"], UserID: max2, Scopes: []string{"read"}},
	)
	for i := range seed.Collections {
		if c := &seed.Collections[i]; c.ID == secret2 {
			c.Memberships = []Membership{{ID: "adas", UserID: ada2, Permission: Manage}}
		}
	}
	for _, o := range slices.Backward(recorded.Read[recordedObject](t, "list_documents")) { // the newest is on top
		d := o.document()
		if !d.isDraft() {
			d.Revision++ // a revision of it was written meanwhile
		}
		if deletedBy := map[string]string{"Deleted note": ada2, "Max deleted note": max2}[d.Title]; deletedBy != "" {
			d.DeletedAt, d.DeletedBy = d.CreatedAt.Add(time.Millisecond), deletedBy
		}
		seed.Documents = append(seed.Documents, d)
	}
	seed.Documents = withParents(seed.Documents)
	return seed
}
