package fakeoutline

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// workspaceBefore is a workspace in the state that a recorded exchange found.
func workspaceBefore(t *testing.T, earlier []recording, r *recording) *Workspace {
	t.Helper()
	now := recordedAt
	if r.number() == "145" {
		now = time.Date(2026, time.November, 20, 10, 9, 24, 100*1e6, time.UTC) // right after 142
	}
	options := Options{Now: func() time.Time { return now }}
	endpoint := r.endpoint()
	namespace, _, _ := strings.Cut(endpoint, ".")
	if !changes(r) && namespace != "comments" && namespace != "fileOperations" {
		w, err := Empty(options, implied(t, r))
		if err != nil {
			t.Fatal(err)
		}
		return w
	}

	state := stateAfter(t, earlier)
	state.complete(t, r)
	if changes(r) {
		if strings.HasSuffix(endpoint, ".create") {
			state.forget(r)
		}
	} else {
		state.learn(t, r)
	}
	seed := cast()
	for i, col := range seed.Collections {
		if seen, ok := state.collections[col.ID]; ok {
			seed.Collections[i] = seen
		}
	}
	seed.Collections = slices.DeleteFunc(seed.Collections, func(c Collection) bool { return state.forgotten[c.ID] })
	seed.Documents = withParents(slices.SortedFunc(maps.Values(state.documents), func(a, b Document) int { return cmp.Compare(a.ID, b.ID) }))
	seed.Comments = slices.SortedFunc(maps.Values(state.comments), func(a, b Comment) int { return a.CreatedAt.Compare(b.CreatedAt) })
	w, err := Empty(options, seed)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.SortedFunc(maps.Values(state.exports), func(a, b export) int { return a.CreatedAt.Compare(b.CreatedAt) }) {
		w.store.exports[e.ID] = &e
		w.store.exportIDs = append(w.store.exportIDs, e.ID)
	}
	return w
}

// changes reports whether a recording is of an endpoint that writes.
func changes(r *recording) bool { return endpoints()[r.endpoint()].writes }

// A recordedState is what the recordings up to one of them have shown.
type recordedState struct {
	documents   map[string]Document
	collections map[string]Collection
	comments    map[string]Comment
	exports     map[string]export
	forgotten   map[string]bool // what the exchange itself makes
}

// stateAfter is the state that the exchanges left: what their answers showed, with what
// is known to have happened without an answer that shows it.
func stateAfter(t *testing.T, earlier []recording) *recordedState {
	t.Helper()
	state := &recordedState{
		make(map[string]Document), make(map[string]Collection), make(map[string]Comment), make(map[string]export), make(map[string]bool),
	}
	for i := range earlier {
		if r := &earlier[i]; r.Response.Status == 200 {
			state.learn(t, r)
			state.follow(t, r)
		}
	}
	return state
}

// learn adopts the state that an answer shows.
func (s *recordedState) learn(t *testing.T, r *recording) {
	t.Helper()
	var answer struct{ Data json.RawMessage }
	if !strings.HasPrefix(string(r.Response.Body), `"`) {
		decode(t, r.Response.Body, &answer)
	}
	if bare := string(answer.Data); bare == "" || bare[0] == '"' {
		return
	}
	namespace, method, _ := strings.Cut(r.endpoint(), ".")
	switch {
	case namespace == "comments":
		for _, c := range listOf[recordedComment](t, answer.Data) {
			s.comments[c.ID] = c.comment()
		}
	case namespace == "fileOperations" || strings.HasPrefix(method, "export") && namespace == "collections":
		for _, e := range listOf[recordedExport](t, answer.Data) {
			e.recordedFile = cmp.Or(e.FileOperation, e.recordedFile)
			s.exports[e.ID] = export{e.ID, e.Format, e.Name, e.CollectionID, e.DocumentID, e.User.ID, e.CreatedAt, func() []byte { return make([]byte, e.Size) }}
		}
	case namespace == "collections" && method != "documents":
		for _, c := range recordedObjects(t, answer.Data) {
			s.collections[c.ID] = c.collection()
		}
	case namespace == "documents" && (method == "move" || method == "duplicate"):
		var wrapped struct{ Documents json.RawMessage }
		decode(t, answer.Data, &wrapped)
		s.learnDocuments(t, wrapped.Documents)
	case namespace == "documents":
		s.learnDocuments(t, answer.Data)
	}
}

func (s *recordedState) learnDocuments(t *testing.T, data json.RawMessage) {
	for _, d := range recordedObjects(t, data) {
		if d.Revision != nil {
			s.documents[d.ID] = d.document()
		}
	}
}

// follow does what a recorded call did beyond its answer.
func (s *recordedState) follow(t *testing.T, r *recording) {
	var request struct{ ID, AnchorText string }
	_ = json.Unmarshal(r.Request.Body, &request)
	switch r.endpoint() {
	case "documents.create":
		// The revision that follows publishing.
		for _, d := range recordedObjects(t, dataOf(t, r)) {
			if created := s.documents[d.ID]; !created.isDraft() {
				created.Revision++
				s.documents[d.ID] = created
			}
		}
	case "documents.delete":
		for id, d := range s.documents {
			if id == request.ID || d.URLID == request.ID {
				d.DeletedAt = recordedAt.Add(-time.Minute)
				d.Revision++
				s.documents[id] = d
			}
		}
	case "collections.delete":
		col, ok := s.collections[request.ID]
		if !ok {
			col = cast().Collections[slices.IndexFunc(cast().Collections, func(c Collection) bool { return c.ID == request.ID })]
		}
		col.DeletedAt = recordedAt.Add(-time.Minute)
		s.collections[request.ID] = col
		for id, d := range s.documents {
			if d.CollectionID == request.ID {
				d.DeletedAt = col.DeletedAt
				s.documents[id] = d
			}
		}
	case "comments.create":
		for _, c := range listOf[recordedComment](t, dataOf(t, r)) {
			comment := s.comments[c.ID]
			comment.Anchor = request.AnchorText
			s.comments[c.ID] = comment
		}
	case "comments.delete":
		delete(s.comments, request.ID)
	case "comments.add_reaction":
		comment := s.comments[request.ID]
		comment.Reactions = []Reaction{{"👍", []string{adaID}}}
		s.comments[request.ID] = comment
	case "fileOperations.delete":
		delete(s.exports, request.ID)
	}
}

// complete adds what happened before a recording without one: the documents
// that its answer is the first to show.
func (s *recordedState) complete(t *testing.T, r *recording) {
	before := func(id, text string, revision int) {
		if _, seen := s.documents[id]; !seen {
			s.learn(t, r)
		}
		d := s.documents[id]
		d.Tree, d.Revision, d.ArchivedAt = shownTree(text), revision, time.Time{}
		s.documents[id] = d
	}
	set := func(id string, by func(*Document)) {
		d := s.documents[id]
		by(&d)
		s.documents[id] = d
	}
	active := Document{
		URLID: "unrecorded", Title: "Unrecorded", Text: "a", Revision: 3, CollectionID: probeID,
		CreatedBy: adaID, UpdatedBy: adaID, CreatedAt: recordedAt, UpdatedAt: recordedAt, PublishedAt: recordedAt,
	}
	switch r.number() {
	case "153":
		before(lifeCycleID, "bye", 2)
	case "168":
		set(lifeCycleID, func(d *Document) { d.DeletedAt = recordedAt })
	case "170":
		active.ID = "ad0f789b-1aad-487b-a2e9-6461451e7b4f"
		s.documents[active.ID] = active
	case "304":
		active.ID = "98371158-7a8e-4b0a-bc8e-a90dcf40bfe0"
		s.documents[active.ID] = active
	case "305":
		before("98371158-7a8e-4b0a-bc8e-a90dcf40bfe0", "c", 4)
	case "306":
		before("91e9f499-c147-4387-9701-592a686ee3dc",
			"# Alpha\n\nfoo bar\n\nfoo bar\n\nsome **bold** text and a [link](https://example.com)\n\n* one\n* two", 2)
	case "312":
		before("75f6fed0-56d3-4c61-a12c-e149aa9398ee", "* one\n* two", 2)
	case "363":
		// Outline detects the language later.
		set("1592c93c-3ead-4d7d-9db3-e3ade0137dc1", func(d *Document) { d.Language = "da" })
	}
}

const lifeCycleID = "5e0e2f9f-ccd1-4147-94f7-2772e4692851"

// forget removes what the exchange is about to make.
func (s *recordedState) forget(r *recording) {
	var answer struct{ Data struct{ ID string } }
	_ = json.Unmarshal(r.Response.Body, &answer)
	s.forgotten[answer.Data.ID] = true
	delete(s.documents, answer.Data.ID)
	delete(s.collections, answer.Data.ID)
	delete(s.comments, answer.Data.ID)
}

func dataOf(t *testing.T, r *recording) json.RawMessage {
	var answer struct{ Data json.RawMessage }
	decode(t, r.Response.Body, &answer)
	return answer.Data
}

// listOf decodes one object or a list of them.
func listOf[T any](t *testing.T, data json.RawMessage) []T {
	t.Helper()
	if len(data) > 0 && data[0] == '{' {
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	var list []T
	decode(t, data, &list)
	return list
}

type recordedComment struct {
	ID, DocumentID, ParentCommentID, CreatedByID, ResolvedByID, AnchorText string
	Data                                                                   json.RawMessage
	CreatedAt, UpdatedAt, ResolvedAt                                       time.Time
	Reactions                                                              []Reaction
}

func (c recordedComment) comment() Comment {
	return Comment{
		c.ID, c.DocumentID, c.ParentCommentID, c.Data, c.AnchorText, c.CreatedByID, c.CreatedAt, c.UpdatedAt,
		c.ResolvedByID, c.ResolvedAt, c.Reactions,
	}
}

type recordedExport struct {
	recordedFile
	FileOperation recordedFile
}

type recordedFile struct {
	ID, Format, Name, CollectionID, DocumentID string
	User                                       struct{ ID string }
	CreatedAt                                  time.Time
	Size                                       int `json:",string"`
}
