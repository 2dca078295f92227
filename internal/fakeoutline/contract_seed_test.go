package fakeoutline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"outline-mcp/outline/prosemirror"
)

// The cast of the recordings.
const (
	adaID  = "1f63da76-8b6c-4175-ada4-8f67dce7c385" // admin
	maxID  = "05ae5159-a1b9-49a4-93f9-9594d0edab72" // member
	veraID = "f9be00e7-446a-41f4-8bcb-080727058e97" // viewer
	gusID  = "719acf88-0ed0-41eb-b7fb-5e988f1d1cbc" // guest
	sueID  = "f84f4609-5708-424b-a28e-1fe3d6faf931" // suspended

	handbookID = "44435d03-6314-49ee-9fd2-cfe3335f7829"
	privateID  = "26dd2686-2da0-4410-8a6b-1cf54082d911" // Ada's
	probeID    = "6c121479-29cb-4ec4-8ae6-a3aed2ff48a5"

	deployGuideID = "00ed4f62-c550-4809-8176-61d3a749b928"
	rollbackID    = "bf0f9fdb-a296-4186-9ad6-703abc1f0b97"
)

// recordedObject is a document, collection or user in a recorded answer.
type recordedObject struct {
	ID, URL, URLID, Title, Text, Icon, Color, Language, Name, Description string

	CreatedBy, UpdatedBy, ArchivedBy struct{ ID string }

	CollectionID, ParentDocumentID, TemplateID                           string
	CollaboratorIDs                                                      []string
	Permission                                                           *string
	TemplateManagement                                                   string
	Revision                                                             *int
	IsCollectionDeleted, FullWidth                                       bool
	CreatedAt, UpdatedAt, PublishedAt, ArchivedAt, DeletedAt, ResolvedAt time.Time
	SourceMetadata                                                       *Source
	Children                                                             []recordedObject
	Data                                                                 *prosemirror.Node
}

// implied is the state of the workspace that a recorded exchange implies: the
// cast, what the answer shows, and where the answer is a page of a longer list
// other documents before and behind it.
func implied(t *testing.T, r *recording) Seed {
	seed := cast()
	var answer struct {
		Data       json.RawMessage
		Pagination struct{ Limit, Offset, Total int }
	}
	if !strings.HasPrefix(string(r.Response.Body), `"`) {
		decode(t, r.Response.Body, &answer)
	}
	var request struct{ ID, Query string }
	_ = json.Unmarshal(r.Request.Body, &request)

	var documents []Document
	switch r.endpoint() {
	case "collections.list":
		seed.Collections = slices.DeleteFunc(seed.Collections, func(c Collection) bool { return r.As == "admin" || c.ID != privateID })
		for _, c := range recordedObjects(t, answer.Data) {
			seed.Collections = append(seed.Collections, c.collection())
		}
	case "collections.documents":
		for _, node := range recordedObjects(t, answer.Data) {
			documents = append(documents, node.nodes("")...)
		}
	case "collections.info":
		for _, c := range recordedObjects(t, answer.Data) {
			if c.ID != "" {
				i := slices.IndexFunc(seed.Collections, func(s Collection) bool { return s.ID == c.ID })
				seed.Collections[i] = c.collection()
			}
		}
	case "documents.export":
		if r.Response.Status == 200 {
			var exported string
			if json.Unmarshal(answer.Data, &exported) != nil {
				decode(t, r.Response.Body, &exported)
			}
			title, body, _ := strings.Cut(strings.TrimPrefix(exported, "# "), "\n\n")
			documents = append(documents, Document{ID: request.ID, URLID: "exported01", Title: title, Tree: exportedTree(body)})
		}
	default:
		for _, d := range recordedObjects(t, answer.Data) {
			if d.Revision != nil {
				documents = append(documents, d.document())
				if d.IsCollectionDeleted {
					i := slices.IndexFunc(seed.Collections, func(s Collection) bool { return s.ID == d.CollectionID })
					seed.Collections[i].DeletedAt = d.DeletedAt
				}
			}
		}
		documents = around(withParents(documents), answer.Pagination.Offset, answer.Pagination.Total, request.Query)
	}
	seed.Documents = withParents(slices.Concat(documents, unseen(r.number(), &seed)))
	for i := range seed.Documents {
		d := &seed.Documents[i]
		if d.CreatedBy == "" {
			d.CreatedBy, d.UpdatedBy = adaID, adaID
			d.CollectionID, d.PublishedAt = handbookID, recordedAt.Add(-time.Hour)
		}
	}
	return seed
}

// unseen is what an answer does not show but depends on.
func unseen(number string, seed *Seed) []Document {
	guide := Document{ID: deployGuideID, URLID: "1FF9VyHA4X", Title: "Deploy guide"}
	switch number {
	case "072":
		return []Document{{ID: rollbackID, URLID: "sp1Mv7RCiz", Title: "Rollback"}}
	case "213":
		return nil
	case "214", "331":
		guide.Memberships = []Membership{{ID: "6fdf5390-f7f4-4483-8b2e-6f2495ee540a", UserID: gusID, Permission: Read}}
		return []Document{guide}
	case "224":
		return []Document{guide}
	case "243":
		for i := range seed.Collections {
			if seed.Collections[i].ID == privateID {
				seed.Collections[i].DeletedAt = recordedAt
			}
		}
	}
	return nil
}

func cast() Seed {
	at := func(ms int) time.Time { return time.Date(2026, time.November, 20, 10, 9, 10, ms*1e6, time.UTC) }
	seed := Seed{
		Team: Team{ID: "cec51765-6719-4239-92bd-0496fd057976", Name: "Acme Wiki"},
		Users: []User{
			{ID: adaID, Name: "Ada Admin", Email: "admin@acme.example.com", Color: "#FF5C80", Role: Admin, CreatedAt: at(55)},
			{ID: maxID, Name: "Max Member", Email: "member@acme.example.com", Color: "#2930FF", Role: Member, CreatedAt: at(62)},
			{ID: veraID, Name: "Vera Viewer", Email: "viewer@acme.example.com", Color: "#1c9152", Role: Viewer, CreatedAt: at(66)},
			{ID: gusID, Name: "Gus Guest", Email: "guest@acme.example.com", Color: "#FF5C80", Role: Guest, CreatedAt: at(69)},
			{ID: sueID, Name: "Sue Spended", Email: "suspended@acme.example.com", Color: "#9E5CF7", Role: Member, Suspended: true, CreatedAt: at(73)},
		},
		Groups: []Group{{ID: "b23cefd5-61e9-40b0-b565-85cf5e1666d4", Name: "Engineering", UserIDs: []string{maxID}, CreatedAt: at(101)}},
		Collections: []Collection{
			{ID: handbookID, URLID: "MrSBIwKq5R", Name: "Engineering Handbook", Permission: ReadWrite},
			{ID: privateID, URLID: "ZvJYqUS87T", Name: "Private", Memberships: adasMembership(privateID)},
			{ID: probeID, URLID: "ZpHD2eYtgb", Name: "Probe", Permission: ReadWrite},
		},
	}
	for name, user := range map[string]string{
		"admin": adaID, "member": maxID, "viewer": veraID, "guest": gusID, "suspended": sueID,
		"scoped": maxID, "route_scoped": maxID, "global_read": maxID, "expired": adaID,
	} {
		key := Key{
			ID: "2ddd7777-566d-4295-94e7-7d97c959e308", Secret: testKeys[name], Name: "seed " + name, UserID: user, CreatedAt: at(79),
			Scopes: map[string][]string{
				"scoped":       {"documents:read", "collections:read"},
				"route_scoped": {"/api/documents.list", "/api/documents.search"},
				"global_read":  {"read"},
			}[name],
		}
		if name == "expired" {
			key.ExpiresAt = recordedAt
			key.UserID = veraID
		}
		seed.Keys = append(seed.Keys, key)
	}
	return seed
}

// adasMembership makes a private collection hers.
func adasMembership(collectionID string) []Membership {
	if collectionID != privateID {
		return nil
	}
	return []Membership{{ID: "dfabd544-2a91-4b4d-b2f8-462a108b98b8", UserID: adaID, Permission: Manage}}
}

// recordedObjects returns the objects of an answer, those of search results
// and of the second version of the API included.
func recordedObjects(t *testing.T, data json.RawMessage) []recordedObject {
	t.Helper()
	if len(data) == 0 || data[0] == '"' {
		return nil
	}
	if data[0] == '{' {
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	var list []struct {
		recordedObject
		Document  *recordedObject
		Documents []recordedObject
	}
	decode(t, data, &list)
	objects := make([]recordedObject, 0, len(list))
	for _, item := range list {
		if item.Document != nil {
			item.recordedObject = *item.Document
		}
		objects = append(append(objects, item.recordedObject), item.Documents...)
	}
	return objects
}

func (o recordedObject) document() Document {
	d := Document{
		ID: o.ID, URLID: o.URLID, Title: o.Title, Tree: shownTree(o.Text), Icon: o.Icon, Color: o.Color, Language: o.Language,
		CollectionID: o.CollectionID, ParentID: o.ParentDocumentID, TemplateID: o.TemplateID,
		CreatedBy: o.CreatedBy.ID, UpdatedBy: o.UpdatedBy.ID, Collaborators: o.CollaboratorIDs, Revision: *o.Revision,
		CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt, PublishedAt: o.PublishedAt, ArchivedAt: o.ArchivedAt, DeletedAt: o.DeletedAt,
		Source: o.SourceMetadata,
	}
	if o.Data != nil {
		d.Tree = o.Data
	}
	if o.ID == deployGuideID {
		d.Memberships = []Membership{{ID: "6fdf5390-f7f4-4483-8b2e-6f2495ee540a", UserID: gusID, Permission: Read}}
	}
	return d
}

// shownTree returns a tree that the API shows as a text. Markdown does not tell
// empty paragraphs and neighboring lists from blank lines.
func shownTree(text string) *prosemirror.Node {
	return treeOf(text, prosemirror.ToText)
}

// exportedTree returns a tree that is exported as CommonMark.
func exportedTree(text string) *prosemirror.Node {
	return treeOf(text, prosemirror.ToCommonMark)
}

func treeOf(text string, write func(*prosemirror.Node) string) *prosemirror.Node {
	tree := prosemirror.Parse(text)
	if write(tree) == text {
		return tree
	}
	parts := strings.Split(text, "\n\n\n")
	tree = prosemirror.Parse(parts[0])
	for i, part := range parts[1:] {
		blocks := prosemirror.Parse(part).Content
		next := tree.With(slices.Concat(tree.Content, blocks))
		if write(next) != strings.Join(parts[:i+2], "\n\n\n") {
			next = tree.With(slices.Concat(tree.Content, []*prosemirror.Node{{Type: prosemirror.Paragraph}}, blocks))
		}
		tree = next
	}
	return tree
}

func (o recordedObject) collection() Collection {
	c := Collection{
		ID: o.ID, URLID: o.URLID, Name: o.Name, Description: o.Description, Icon: o.Icon, Color: o.Color,
		Memberships: adasMembership(o.ID), CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
		ArchivedAt: o.ArchivedAt, ArchivedBy: o.ArchivedBy.ID,
	}
	if o.Permission != nil {
		c.Permission = *o.Permission
	}
	return c
}

// nodes are a document of a tree and those below it.
func (o recordedObject) nodes(parent string) []Document {
	list := []Document{{ID: o.ID, URLID: o.URL[len(o.URL)-10:], Title: o.Title, ParentID: parent}}
	for _, child := range o.Children {
		list = append(list, child.nodes(o.ID)...)
	}
	return list
}

// around adds documents to those on a page, so that there are offset before it
// and total in all. They are like the first one on the page, hold the query in
// their text, and were changed later or earlier than all of the page.
func around(documents []Document, offset, total int, query string) []Document {
	before := min(offset, total-len(documents))
	behind := total - before - len(documents)
	drafts := len(documents) > 0 && documents[0].isDraft()
	for i := range max(before, 0) + max(behind, 0) {
		d := Document{
			ID: fmt.Sprintf("00000000-0000-4000-9000-%012d", i), URLID: fmt.Sprintf("filler%04d", i), Title: "Filler", Text: query,
			UpdatedAt: recordedAt,
		}
		if drafts {
			d.CreatedBy, d.UpdatedBy = adaID, adaID
		}
		if i >= before {
			d.UpdatedAt = recordedAt.Add(-23 * time.Hour)
		}
		documents = append(documents, d)
	}
	return documents
}

// withParents puts parents before their children. A parent that is missing is
// made up in the child's state, changed before all others.
func withParents(documents []Document) []Document {
	byID := make(map[string]Document)
	for _, d := range documents {
		byID[d.ID] = d
	}
	var ordered []Document
	done := make(map[string]bool)
	var add func(d Document)
	add = func(d Document) {
		if done[d.ID] {
			return
		}
		done[d.ID] = true
		if parent, ok := byID[d.ParentID]; ok {
			add(parent)
		} else if d.ParentID != "" {
			parent := d
			parent.ID, parent.ParentID, parent.Title, parent.Tree = d.ParentID, "", "Parent", nil
			parent.URLID = "parent" + d.ParentID[:4]
			if parent.ID == deployGuideID {
				parent.URLID = "1FF9VyHA4X"
			}
			parent.UpdatedAt = recordedAt.Add(-24 * time.Hour)
			add(parent)
		}
		ordered = append(ordered, d)
	}
	for _, d := range documents {
		add(d)
	}
	return ordered
}
