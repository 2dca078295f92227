package fakeoutline

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// An envelope is an answer as clients read it.
type envelope struct {
	OK         bool
	Error      string
	Status     int
	Message    string
	Data       json.RawMessage
	Pagination *struct {
		Limit, Offset int
		NextPath      string
		Total         *int
	}
}

// transmit sends a request to a workspace and returns the response and its body.
func transmit(t testing.TB, w *Workspace, req *http.Request) (*http.Response, []byte) {
	t.Helper()
	res, err := w.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, text
}

// call calls an endpoint with a key and returns the answer.
func call(t testing.TB, w *Workspace, key, endpoint, body string) envelope {
	t.Helper()
	req := newCall(t, key, endpoint, body)
	res, text := transmit(t, w, req)
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%s %s answered no JSON: %v: %.200s", endpoint, body, err, text)
	}
	if e.Status != res.StatusCode || e.OK != (res.StatusCode == 200) {
		t.Fatalf("%s %s: the envelope says %d %v, the status is %d", endpoint, body, e.Status, e.OK, res.StatusCode)
	}
	return e
}

func newCall(t testing.TB, key, endpoint, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, BaseURL+"/"+endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req
}

// data decodes the data of an answer that must be a success.
func data[T any](t testing.TB, e envelope) T {
	t.Helper()
	if !e.OK {
		t.Fatalf("answer is %d %s: %s", e.Status, e.Error, e.Message)
	}
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

type titled struct {
	ID, URL, Title, Name string
	Document             *titled
	Context              string
	Ranking              float64
}

// titles are the titles or names of the listed objects.
func titles(t testing.TB, e envelope) []string {
	t.Helper()
	list := []string{}
	for _, item := range data[[]titled](t, e) {
		if item.Document != nil {
			item = *item.Document
		}
		list = append(list, item.Title+item.Name)
	}
	return list
}

func expectTitles(t testing.TB, e envelope, want ...string) {
	t.Helper()
	if got := titles(t, e); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

func expectError(t testing.TB, e envelope, status int, message string) {
	t.Helper()
	if e.Status != status || e.Message != message {
		t.Errorf("answer is %d %q, want %d %q", e.Status, e.Message, status, message)
	}
}

// The users of the workspaces that tests build, by what they are.
var people = map[string]string{
	"admin":  "a0000000-0000-4000-8000-000000000001",
	"member": "a0000000-0000-4000-8000-000000000002",
	"other":  "a0000000-0000-4000-8000-000000000003",
	"viewer": "a0000000-0000-4000-8000-000000000004",
	"guest":  "a0000000-0000-4000-8000-000000000005",
}

// keyOf is the key of one of the people.
func keyOf(who string) string { return "ol_api_" + who }

// collectionIDs are the collections of the workspaces that tests build: one
// open to all, one that all may read, one private to the member, and one the
// admin made for the guest.
var (
	openID     = "c0000000-0000-4000-8000-000000000001"
	readOnlyID = "c0000000-0000-4000-8000-000000000002"
	closedID   = "c0000000-0000-4000-8000-000000000003"
	sharedID   = "c0000000-0000-4000-8000-000000000004"
)

// noon is the time in the workspaces that tests build.
var noon = time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)

// newTestWorkspace builds a workspace with the people, the collections, and
// documents. A document without author is the member's, one without collection
// and state is published in the open collection, and each was changed a minute
// after the one before.
func newTestWorkspace(t testing.TB, documents ...Document) *Workspace {
	t.Helper()
	seed := Seed{Team: Team{ID: "e0000000-0000-4000-8000-000000000001", Name: "Test"}}
	for who, id := range people {
		role := Role(who)
		if who == "other" {
			role = Member
		}
		seed.Users = append(seed.Users, User{ID: id, Name: who, Email: who + "@example.com", Role: role, CreatedAt: noon})
		seed.Keys = append(seed.Keys, Key{ID: id, Secret: keyOf(who), UserID: id, CreatedAt: noon})
	}
	membership := func(n int, who, permission string) []Membership {
		return []Membership{{ID: fmt.Sprintf("b0000000-0000-4000-8000-%012d", n), UserID: people[who], Permission: permission}}
	}
	seed.Collections = []Collection{
		{ID: openID, URLID: "openopen01", Name: "Open", Permission: ReadWrite},
		{ID: readOnlyID, URLID: "readread01", Name: "Read only", Permission: Read},
		{ID: closedID, URLID: "closeclos1", Name: "Closed", Memberships: membership(1, "member", ReadWrite)},
		{ID: sharedID, URLID: "sharedsha1", Name: "Shared", Memberships: membership(2, "guest", Read)},
	}
	for i, d := range documents {
		if d.ID == "" {
			d.ID = documentID(i)
		}
		if d.URLID == "" {
			d.URLID = fmt.Sprintf("document%02d", i)
		}
		if d.CreatedBy == "" {
			d.CreatedBy = people["member"]
		}
		if d.CollectionID == "" {
			d.CollectionID = openID
		}
		d.UpdatedBy, d.Collaborators = d.CreatedBy, []string{d.CreatedBy}
		if d.Revision != draftRevision {
			d.PublishedAt = noon
		}
		d.CreatedAt, d.UpdatedAt = noon, noon.Add(time.Duration(i)*time.Minute)
		seed.Documents = append(seed.Documents, d)
	}
	w, err := Empty(Options{Answers: true, Now: func() time.Time { return noon.Add(time.Hour) }}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// draftRevision marks the documents that newTestWorkspace leaves drafts.
const draftRevision = -1

func documentID(i int) string { return fmt.Sprintf("d0000000-0000-4000-8000-%012d", i) }

type shown struct {
	ID, URL, Title, Text, CollectionID, ParentDocumentID string
	Icon, PublishedAt, ArchivedAt, DeletedAt             *string
	CollaboratorIDs                                      []string
	Revision                                             int
}

func show(t testing.TB, w *Workspace, id string) shown {
	t.Helper()
	return data[shown](t, do(t, w, "documents.info", fmt.Sprintf(`{"id":%q}`, id)))
}

func do(t testing.TB, w *Workspace, endpoint, body string) envelope {
	t.Helper()
	e := call(t, w, keyOf("member"), endpoint, body)
	if !e.OK {
		t.Fatalf("%s %s: %d %s", endpoint, body, e.Status, e.Message)
	}
	return e
}

// update changes the document of older.
func update(t *testing.T, w *Workspace, fields string) shown {
	t.Helper()
	return data[shown](t, do(t, w, "documents.update", `{"id":"document00",`+fields+`}`))
}
