package fakeoutline

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"outline-mcp/outline/prosemirror"
)

//go:embed all:content
var sampleFiles embed.FS

// SampleDay returns the day that the sample content was written for, Monday,
// November 2, 2026, at 09:30 UTC. Its documents were changed in the three years
// before, some of them in the last week.
func SampleDay() time.Time { return time.Date(2026, time.November, 2, 9, 30, 0, 0, time.UTC) }

// New returns a workspace with the sample content and the demo keys. Unless the
// options have a clock, its clock starts at [SampleDay], so that the age of a
// document does not depend on when the sample is used.
func New(opts Options) (*Workspace, error) {
	seed, err := Sample()
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		started := time.Now()
		opts.Now = func() time.Time { return SampleDay().Add(time.Since(started)) }
	}
	w, err := Empty(opts, seed)
	if err != nil {
		return nil, err
	}
	w.store.demo = true
	return w, nil
}

// Sample returns the sample content with the demo keys.
func Sample() (Seed, error) {
	files, err := fs.Sub(sampleFiles, "content")
	if err != nil {
		return Seed{}, fmt.Errorf("workspace: open the sample content: %w", err)
	}
	seed, err := readManifest(files)
	if err != nil {
		return Seed{}, fmt.Errorf("workspace: load the content: %w", err)
	}
	return seed, nil
}

// demoKeys returns the demo keys, given the IDs of the users who act as admin,
// member and viewer.
func demoKeys(acting map[string]string, created time.Time) []Key {
	keys := []Key{
		{Name: "demo admin", Secret: AdminKey, UserID: acting["admin"]},
		{Name: "demo member", Secret: MemberKey, UserID: acting["member"]},
		{Name: "demo viewer", Secret: ViewerKey, UserID: acting["viewer"]},
		{Name: "demo scoped", Secret: ScopedKey, UserID: acting["member"], Scopes: []string{"documents:read", "collections:read"}},
		{Name: "demo expired", Secret: "ol_api_demo_expired", UserID: acting["member"], ExpiresAt: created.AddDate(0, 0, 1)},
	}
	for i := range keys {
		keys[i].ID = derivedUUID(keys[i].UserID, keys[i].Name)
		keys[i].CreatedAt = created
	}
	return keys
}

// A manifest is the content of workspace.json: a seed whose texts are in files.
type manifest struct {
	Team  Team
	Users []struct {
		User
		Key string // the demo key of this user: admin, member or viewer
	}
	Collections []struct {
		Collection
		Members []string
	}
	Documents []manifestDocument
	Comments  []struct {
		Comment
		Text string // Markdown
	}
	Templates []struct {
		Template
		Text string // Markdown
	}
	Attachments []struct {
		Attachment
		File string
	}
	Stars   []Favorite
	Pins    []Favorite // on the home page
	Exports []Export
}

type manifestDocument struct {
	Document
	File    string
	Via     string    // how the editor was authenticated; "" is the app
	State   string    // published, draft, archived, deleted
	StateAt time.Time // when it was archived or deleted

	// Before holds the earlier states of the document, oldest first. One without a title
	// has that of the document.
	Before []struct {
		Revision
		File string
	}
}

func readManifest(files fs.FS) (Seed, error) {
	source, err := fs.ReadFile(files, "workspace.json")
	if err != nil {
		return Seed{}, err
	}
	var m manifest
	if err := json.Unmarshal(source, &m); err != nil {
		return Seed{}, fmt.Errorf("workspace.json: %w", err)
	}

	seed := Seed{Team: m.Team, Exports: m.Exports, Stars: m.Stars, Pins: m.Pins}
	var founded time.Time
	for _, c := range m.Collections {
		if founded.IsZero() || c.CreatedAt.Before(founded) {
			founded = c.CreatedAt
		}
		c.UpdatedAt = c.CreatedAt
		for _, userID := range c.Members {
			c.Memberships = append(c.Memberships, Membership{ID: derivedUUID(c.ID, userID), UserID: userID, Permission: ReadWrite})
		}
		seed.Collections = append(seed.Collections, c.Collection)
	}
	acting := make(map[string]string)
	for i, u := range m.Users {
		u.Color, u.CreatedAt = avatarColor(u.ID), founded.Add(time.Duration(i)*time.Minute)
		seed.Users = append(seed.Users, u.User)
		acting[cmp.Or(u.Key, "nobody")] = u.ID
	}
	seed.Keys = demoKeys(acting, founded)
	for i, f := range seed.Stars {
		seed.Stars[i].ID = derivedUUID(f.UserID, "star "+f.DocumentID+f.CollectionID)
	}
	for i, f := range seed.Pins {
		seed.Pins[i].ID = derivedUUID(f.DocumentID, "pin")
	}
	for _, a := range m.Attachments {
		if a.Content, err = fs.ReadFile(files, a.File); err != nil {
			return Seed{}, fmt.Errorf("attachment %s: %w", a.ID, err)
		}
		a.Name = path.Base(a.File)
		seed.Attachments = append(seed.Attachments, a.Attachment)
	}
	for _, t := range m.Templates {
		t.Tree, t.UpdatedBy, t.UpdatedAt, t.PublishedAt = prosemirror.Parse(t.Text), t.CreatedBy, t.CreatedAt, t.CreatedAt
		seed.Templates = append(seed.Templates, t.Template)
	}
	for _, c := range m.Comments {
		c.Data, c.UpdatedAt = parseComment(c.Text), c.CreatedAt
		seed.Comments = append(seed.Comments, c.Comment)
	}
	ordered := parentsFirst(m.Documents)
	if seed.Documents, err = readDocuments(files, ordered); err != nil {
		return Seed{}, err
	}
	seed.Revisions, err = readRevisions(files, ordered, seed.Documents)
	return seed, err
}

// readRevisions returns the earlier states of the documents and, of each one
// that is or was published, a revision of its present state, as Outline has it
// once nobody has changed it for a while.
func readRevisions(files fs.FS, list []manifestDocument, documents []Document) ([]Revision, error) {
	var revisions []Revision
	for i, d := range documents {
		if d.isDraft() {
			continue
		}
		number := 0
		add := func(r Revision) {
			number++
			r.ID, r.DocumentID, r.Icon, r.Color = derivedUUID(d.ID, fmt.Sprintf("revision %d", number)), d.ID, d.Icon, d.Color
			revisions = append(revisions, r)
		}
		for _, m := range list[i].Before {
			source, err := fs.ReadFile(files, m.File)
			switch {
			case err != nil:
				return nil, fmt.Errorf("document %q: %w", d.Title, err)
			case m.CreatedAt.Before(d.CreatedAt) || !m.CreatedAt.Before(d.UpdatedAt):
				return nil, fmt.Errorf("document %q: the earlier state %s is not from between createdAt and updatedAt", d.Title, m.File)
			}
			m.Title, m.Text, m.AuthType = cmp.Or(m.Title, d.Title), string(source), cmp.Or(m.AuthType, byApp)
			add(m.Revision)
		}
		add(Revision{Title: d.Title, Text: d.Text, AuthType: cmp.Or(list[i].Via, byApp), CreatedBy: d.UpdatedBy, CreatedAt: d.UpdatedAt})
	}
	return revisions, nil
}

func readDocuments(files fs.FS, list []manifestDocument) ([]Document, error) {
	documents := make([]Document, 0, len(list))
	for _, m := range list {
		source, err := fs.ReadFile(files, m.File)
		if err != nil {
			return nil, fmt.Errorf("document %q: %w", m.Title, err)
		}
		if m.CreatedAt.IsZero() || m.State != "published" && m.State != "draft" && m.StateAt.IsZero() {
			return nil, fmt.Errorf("document %q: createdAt is missing, or stateAt for the state %s", m.Title, m.State)
		}
		d := m.Document
		d.Text, d.UpdatedBy, d.Collaborators, d.Opened = string(source), cmp.Or(d.UpdatedBy, d.CreatedBy), m.collaborators(), true
		if m.State != "draft" {
			d.PublishedAt = m.CreatedAt
		}
		switch m.State {
		case "published", "draft":
		case "archived":
			d.ArchivedAt = m.StateAt
		case "deleted":
			d.DeletedAt, d.DeletedBy = m.StateAt, d.UpdatedBy
		default:
			return nil, fmt.Errorf("document %q: unknown state %q", m.Title, m.State)
		}
		documents = append(documents, d)
	}
	return documents, nil
}

// collaborators returns the IDs of all who changed the document.
func (m manifestDocument) collaborators() []string {
	list := []string{m.CreatedBy}
	add := func(ids ...string) {
		for _, id := range ids {
			if id != "" && !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
	}
	for _, r := range m.Before {
		add(r.CreatedBy)
		add(r.With...)
	}
	add(m.UpdatedBy)
	return list
}

// parentsFirst returns the documents with each one after its parent and
// siblings in their order. A document with an unknown parent keeps its place.
func parentsFirst(list []manifestDocument) []manifestDocument {
	known := make(map[string]bool)
	for _, d := range list {
		known[d.ID] = true
	}
	below := make(map[string][]manifestDocument)
	for _, d := range list {
		parent := d.ParentID
		if !known[parent] {
			parent = ""
		}
		below[parent] = append(below[parent], d)
	}
	ordered := make([]manifestDocument, 0, len(list))
	var add func(parent string)
	add = func(parent string) {
		for _, d := range below[parent] {
			ordered = append(ordered, d)
			add(d.ID)
		}
	}
	add("")
	return ordered
}
