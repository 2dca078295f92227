package fakeoutline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/test/fixtures"
)

// A sequence is a part of the second series of recordings, each on the state that
// the ones before it left.
type sequence struct {
	exchanges []json.RawMessage
	seed      Seed              // what its first exchange found
	absent    []string          // the methods that the workspace does not have, which are left out
	unlike    map[string]string // by number, the exchanges that are not answered as recorded, with the reason
	before    map[string]func(*Workspace)
	ours      map[string]string   // IDs of the workspace by what was recorded
	revisions map[string][]string // the recorded IDs of revisions in the order of creation, by document
}

// replay holds the answers of a workspace against those of the sequence.
func (s sequence) replay(t *testing.T) {
	t.Helper()
	clock := recorded2
	w, err := Empty(Options{Now: func() time.Time { return clock }, PublishTime: 500 * time.Millisecond}, s.seed)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]string{}
	maps.Copy(ours, s.ours)
	templates := len(w.store.templateIDs)
	for _, line := range s.exchanges {
		for recorded, own := range ours {
			line = bytes.ReplaceAll(line, []byte(recorded), []byte(own))
		}
		var r recording
		decode(t, line, &r)
		method := r.endpoint()
		if slices.Contains(s.absent, method) {
			adopt(t, w, &r)
			templates = len(w.store.templateIDs)
			continue
		}
		if before := s.before[r.number()]; before != nil {
			before(w)
		}
		var answer struct {
			Data struct {
				recordedObject
				FileOperation recordedObject

				Memberships, GroupMemberships []struct{ ID, UserID, GroupID, DocumentID, CollectionID string }
			}
		}
		_ = json.Unmarshal(r.Response.Body, &answer)
		clock = clock.Add(time.Millisecond)
		if changes(&r) || method == "fileOperations.info" {
			for _, at := range []time.Time{answer.Data.CreatedAt, answer.Data.UpdatedAt, answer.Data.ResolvedAt, answer.Data.ArchivedAt, answer.Data.FileOperation.CreatedAt} {
				if at.After(clock) {
					clock = at
				}
			}
		}
		if strings.HasSuffix(method, ".create") && answer.Data.ID != "" && !bytes.HasPrefix(r.Request.Body, []byte(`{"id"`)) {
			// The workspace takes the ID of a new object, too.
			r.Request.Body = fmt.Appendf(nil, `{"id":%q,%s`, answer.Data.ID, r.Request.Body[1:])
		}
		t.Run(r.Name, func(t *testing.T) {
			r.report(t, slices.DeleteFunc(exchange(t, w, &r), func(difference string) bool {
				// Outline stores the tree of a template as it was sent; here, it has the attributes of a
				// document's.
				return byTheWay(difference) || strings.HasPrefix(method, "templates.") && strings.HasSuffix(difference, ".attrs was not recorded")
			}), s.unlike)
		})
		if strings.HasPrefix(method, "templates.") {
			if ids := w.store.templateIDs; len(ids) > templates {
				made := w.store.templates[ids[templates]]
				ours[answer.Data.ID], ours[answer.Data.URLID] = made.ID, made.URLID
			}
			templates = len(w.store.templateIDs)
		}
		for documentID, recorded := range s.revisions {
			for i, revision := range w.store.history.of[documentID] {
				ours[recorded[i]] = revision.ID
			}
		}
		if id := answer.Data.FileOperation.ID; id != "" {
			ours[id] = w.store.exportIDs[len(w.store.exportIDs)-1]
		}
		for _, m := range append(answer.Data.Memberships, answer.Data.GroupMemberships...) {
			if strings.Contains(method, ".add_") {
				ours[m.ID] = ownMembership(w, m.DocumentID, m.CollectionID, m.UserID, m.GroupID)
			}
		}
		if shares := w.store.shares; method == "shares.create" && r.Response.Status == 200 && len(shares) > 0 {
			ours[answer.Data.ID] = shares[len(shares)-1].ID
		}
		if method == "collections.create" && r.Response.Status == 200 {
			made := w.store.collections[w.store.collectionIDs[0]]
			ours[answer.Data.ID], ours[answer.Data.URLID] = made.ID, made.URLID
		}
		if d := w.store.documents[answer.Data.ID]; d != nil && d.URLID != answer.Data.URLID && answer.Data.URLID != "" {
			ours[answer.Data.URLID] = d.URLID
		}
		if method == "documents.create" && !answer.Data.PublishedAt.IsZero() {
			if d := w.store.documents[answer.Data.ID]; d != nil {
				ours[answer.Data.PublishedAt.Format("2006-01-02T15:04:05.000Z")] = d.PublishedAt.Format("2006-01-02T15:04:05.000Z")
			}
		}
	}
}

// ownMembership returns the ID of a membership of a user or a group.
func ownMembership(w *Workspace, documentID, collectionID, userID, groupID string) string {
	var list []Membership
	if d := w.store.documents[documentID]; d != nil {
		list = d.Memberships
	}
	if c := w.store.collections[collectionID]; c != nil {
		list = c.Memberships
	}
	for _, m := range list {
		if m.UserID == userID && m.GroupID == groupID {
			return m.ID
		}
	}
	return ""
}

// adopt stores the template that an exchange with an endpoint that the workspace does not
// have leaves.
func adopt(t *testing.T, w *Workspace, r *recording) {
	t.Helper()
	switch r.endpoint() {
	case "documents.templatize", "templates.update", "templates.restore":
		var answer struct{ Data recordedObject }
		decode(t, r.Response.Body, &answer)
		o := answer.Data
		made := &Template{
			ID: o.ID, URLID: o.URLID, Title: o.Title, Tree: o.Data, Icon: o.Icon, Color: o.Color, FullWidth: o.FullWidth, CollectionID: o.CollectionID,
			CreatedBy: o.CreatedBy.ID, UpdatedBy: o.UpdatedBy.ID, CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, PublishedAt: o.PublishedAt,
		}
		if w.store.templates[o.ID] == nil {
			w.store.addTemplate(made)
		}
		w.store.templates[o.ID] = made
	case "templates.delete":
		var asked struct{ ID string }
		decode(t, r.Request.Body, &asked)
		w.store.templates[asked.ID].DeletedAt = recorded2
	}
}

// byTheWay reports whether a difference is in what Outline does after its answer:
// it finds out the language, and saves what depends on a comment a moment later; or in
// how long its steps take and how large its exports are.
func byTheWay(difference string) bool {
	place, times, _ := strings.Cut(difference, " ")
	var ours, recorded time.Time
	if have, want, ok := strings.Cut(strings.TrimPrefix(times, "is "), ", recorded "); ok {
		ours, _ = time.Parse(time.RFC3339, have)
		recorded, _ = time.Parse(time.RFC3339, want)
	}
	return strings.HasSuffix(place, ".language") || strings.HasSuffix(place, ".size") ||
		strings.HasSuffix(place, "edAt") && !ours.IsZero() && ours.Sub(recorded).Abs() < 200*time.Millisecond
}

// seedOfSequence holds the people and collections of the second series.
func seedOfSequence(t *testing.T) Seed {
	t.Helper()
	seed := seed2(t, &recording{})
	for who, key := range map[string]Key{
		"global_read": {UserID: ada2, Scopes: []string{"read"}},
		"scoped":      {UserID: max2, Scopes: []string{"documents:read", "collections:read"}},
	} {
		key.ID, key.Secret = derivedUUID("key", who), testKeys[who]
		seed.Keys = append(seed.Keys, key)
	}
	return seed
}

const commentingOff = "collections have no switch for comments here"

func TestCommentsAreAsRecorded(t *testing.T) {
	seed := seedOfSequence(t)
	page2("611696fb-0bdf-43c5-8fa4-51779f83e52a", handbook2)(&seed)
	page2("f09fc791-a9d4-4a7b-80c6-9c8ae8045760", handbook2)(&seed)
	seed.Documents[1].PublishedAt = time.Time{}
	page2("8a13a102-4620-459b-8f5c-6154a931ed9a", handbook2)(&seed)
	seed.Documents[2].ArchivedAt = recorded2
	page2(binned2, handbook2)(&seed)
	seed.Documents[3].DeletedAt = recorded2
	seed.Comments = []Comment{{ // of an exchange before these
		ID: "8ad243ad-2a8d-4839-bae0-9c0619b87aa4", DocumentID: "611696fb-0bdf-43c5-8fa4-51779f83e52a", Data: parseComment("x"), CreatedBy: ada2, CreatedAt: recorded2,
	}}
	sequence{
		exchanges: fixtures.Recorded[json.RawMessage](t, "comments"), seed: seed,
		absent: []string{"reactions.list", "comments.remove_reaction"},
		unlike: map[string]string{
			"1277": "Outline shows an empty paragraph at the end, which nobody has written",
			"1338": "Outline's answer to a reply leaves out who has resolved the thread",
			"1371": commentingOff, "1372": commentingOff, "1373": commentingOff, "1374": commentingOff,
		},
		before: map[string]func(*Workspace){
			"1320": func(w *Workspace) { // comments.add_reaction
				w.store.comments["21433f72-4efb-44c4-87fc-78d566d37792"].Reactions = []Reaction{{"👍", []string{ada2, max2}}, {"🎉", []string{vera2}}}
			},
			"1327": func(w *Workspace) { // comments.remove_reaction
				w.store.comments["21433f72-4efb-44c4-87fc-78d566d37792"].Reactions[0].UserIDs = []string{max2}
			},
		},
	}.replay(t)
}

const noTemplateOfDocument = "an update does not change the template of a document here"

// meeting2 is a template of Handbook.
func meeting2() Template {
	at := recorded2.Add(9047 * time.Millisecond)
	return Template{
		ID: "c0336812-ba0d-463b-9121-5d59082482fb", URLID: "qtiUrLSeQb", Title: "Meeting {date}", CollectionID: handbook2,
		Tree:      prosemirror.Parse("## Agenda\n\nWritten by {author}"),
		CreatedBy: ada2, UpdatedBy: ada2, CreatedAt: at, UpdatedAt: at, PublishedAt: at,
	}
}

func TestTemplatesAreAsRecorded(t *testing.T) {
	seed := seedOfSequence(t)
	page2("611696fb-0bdf-43c5-8fa4-51779f83e52a", handbook2)(&seed)
	page2("f47474c5-3f4d-457b-bb64-0c10711945d1", "")(&seed)
	draft := &seed.Documents[1]
	draft.Title, draft.Text, draft.PublishedAt = "Draft plan", "A zebra draft without a collection.", time.Time{}
	seed.Templates = []Template{meeting2()}
	private := slices.IndexFunc(seed.Collections, func(c Collection) bool { return c.ID == secret2 })
	seed.Collections[private].Memberships = []Membership{{ID: "4cd3c0ab-6a06-4d05-90c8-5e6ffee1b07b", UserID: ada2, Permission: Manage}}
	sequence{
		exchanges: fixtures.Recorded[json.RawMessage](t, "templates"), seed: seed, absent: []string{
			"templates.duplicate", "templates.archive", "documents.list", "documents.templatize", "templates.update", "templates.delete", "templates.restore",
		},
		unlike: map[string]string{
			"1001": noTemplateOfDocument, "1002": noTemplateOfDocument,
			"966": "Outline's answer to the move of a template denies what the caller may do with it",
		},
	}.replay(t)
}

// TestPeopleAndMentionsAreAsRecorded replays lists of users, single users, and text
// that mentions them.
func TestPeopleAndMentionsAreAsRecorded(t *testing.T) {
	seed := seedOfSequence(t)
	seed.Users = append(seed.Users, User{
		ID: "fe736d3b-aeed-437e-9617-17116b366f21", Name: "Sue Spended", Email: "suspended@acme.example.com", Color: "#F5BE31",
		Role: Member, Suspended: true, CreatedAt: recorded2.Add(383 * time.Millisecond),
	})
	page2("611696fb-0bdf-43c5-8fa4-51779f83e52a", handbook2)(&seed)
	seed.Documents[0].Title = "Retro notes"
	sequence{exchanges: fixtures.Recorded[json.RawMessage](t, "people"), seed: seed, before: map[string]func(*Workspace){
		// Outline counts one more revision a moment later, and the ID of a mention that
		// was written without one is random.
		"1198": func(w *Workspace) {
			d := w.store.documents["2422864f-f388-4aa8-9c46-a4c9fac19f79"]
			stored := d.Document
			stored.Revision++
			tree := d.body.tree()
			w.store.put(stored, w.store.content(tree))
			prosemirror.Walk(tree, func(n *prosemirror.Node) bool {
				if n.Type == prosemirror.Mention && n.Attrs.String("modelId") == vera2 {
					n.Attrs = slices.Clone(n.Attrs)
					n.Attrs[slices.IndexFunc(n.Attrs, func(a prosemirror.Attr) bool { return a.Name == "id" })].Value = "b7952a47-10f8-4c04-a4e3-242f81d4a4d8"
				}
				return true
			})
		},
	}, unlike: map[string]string{"1206": "Outline has counted this revision before"}}.replay(t)
}
