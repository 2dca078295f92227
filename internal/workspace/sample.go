package workspace

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
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
	if opts.Now == nil {
		started := time.Now()
		opts.Now = func() time.Time { return SampleDay().Add(time.Since(started)) }
	}
	files, err := fs.Sub(sampleFiles, "content")
	if err != nil {
		return nil, fmt.Errorf("workspace: open the sample content: %w", err)
	}
	return load(opts, files)
}

// load returns a workspace with the demo keys and the content that
// workspace.json describes.
func load(opts Options, files fs.FS) (*Workspace, error) {
	seed, err := readManifest(files)
	if err != nil {
		return nil, fmt.Errorf("workspace: load the content: %w", err)
	}
	w, err := Empty(opts, seed)
	if err != nil {
		return nil, err
	}
	w.store.demo = true
	return w, nil
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
		keys[i].ID = api.DerivedUUID(keys[i].UserID, keys[i].Name)
		keys[i].CreatedAt = created
	}
	return keys
}

// manifest is the content of workspace.json.
type manifest struct {
	Team struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"team"`
	Users []struct {
		ID    string `json:"id"`
		Name  string `json:"name"`
		Email string `json:"email"`
		Role  Role   `json:"role"`
		Key   string `json:"key"` // the demo key of this user: admin, member or viewer
	} `json:"users"`
	Collections []struct {
		ID          string    `json:"id"`
		URLID       string    `json:"urlId"`
		Name        string    `json:"name"`
		Description string    `json:"description"`
		Icon        string    `json:"icon"`
		Color       string    `json:"color"`
		Permission  string    `json:"permission"`
		Members     []string  `json:"members"`
		CreatedAt   time.Time `json:"createdAt"`
	} `json:"collections"`
	Documents []manifestDocument `json:"documents"`
	Comments  []manifestComment  `json:"comments"`
	Templates []manifestTemplate `json:"templates"`

	Attachments []struct {
		ID       string `json:"id"`
		Document string `json:"document"`
		File     string `json:"file"`
		Type     string `json:"type"`
		Author   string `json:"author"`
	} `json:"attachments"`
	Stars []struct {
		User       string    `json:"user"`
		Document   string    `json:"document"`
		Collection string    `json:"collection"`
		CreatedAt  time.Time `json:"createdAt"`
	} `json:"stars"`
	Pins []struct {
		Document  string    `json:"document"`
		CreatedAt time.Time `json:"createdAt"`
	} `json:"pins"` // on the home page
	Exports []struct {
		ID         string    `json:"id"`
		Name       string    `json:"name"`
		Collection string    `json:"collection"`
		Author     string    `json:"author"`
		CreatedAt  time.Time `json:"createdAt"`
	} `json:"exports"`
}

type manifestTemplate struct {
	ID         string    `json:"id"`
	URLID      string    `json:"urlId"`
	Title      string    `json:"title"`
	Icon       string    `json:"icon"`
	Collection string    `json:"collection"` // "" is all of the workspace
	Author     string    `json:"author"`
	CreatedAt  time.Time `json:"createdAt"`
	Text       string    `json:"text"` // Markdown
}

type manifestComment struct {
	ID         string    `json:"id"`
	Document   string    `json:"document"`
	Parent     string    `json:"parent"`
	Text       string    `json:"text"`   // Markdown
	Anchor     string    `json:"anchor"` // without Markdown
	Author     string    `json:"author"`
	CreatedAt  time.Time `json:"createdAt"`
	ResolvedBy string    `json:"resolvedBy"`
	ResolvedAt time.Time `json:"resolvedAt"`
}

type manifestDocument struct {
	ID         string    `json:"id"`
	URLID      string    `json:"urlId"`
	Title      string    `json:"title"`
	Icon       string    `json:"icon"`
	Collection string    `json:"collection"`
	Parent     string    `json:"parent"`
	File       string    `json:"file"`
	Author     string    `json:"author"`
	CreatedAt  time.Time `json:"createdAt"`
	Editor     string    `json:"editor"` // who changed it last; "" is the author
	Via        string    `json:"via"`    // how the editor was authenticated; "" is the app
	UpdatedAt  time.Time `json:"updatedAt"`
	Revision   int       `json:"revision"`
	State      string    `json:"state"`   // published, draft, archived, deleted
	StateAt    time.Time `json:"stateAt"` // when it was archived or deleted

	// Before holds the earlier states of the document, oldest first.
	Before []manifestRevision `json:"before"`
}

type manifestRevision struct {
	Title     string    `json:"title"` // "" is the document's
	Name      string    `json:"name"`
	File      string    `json:"file"`
	Author    string    `json:"author"`
	With      []string  `json:"with"` // who else changed the document since the state before
	Via       string    `json:"via"`  // as of the document
	CreatedAt time.Time `json:"createdAt"`
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

	seed := Seed{Team: Team{ID: m.Team.ID, Name: m.Team.Name}}
	var founded time.Time
	for _, c := range m.Collections {
		if founded.IsZero() || c.CreatedAt.Before(founded) {
			founded = c.CreatedAt
		}
		col := Collection{
			ID: c.ID, URLID: c.URLID, Name: c.Name, Description: c.Description, Icon: c.Icon, Color: c.Color,
			Permission: c.Permission, CreatedAt: c.CreatedAt, UpdatedAt: c.CreatedAt,
		}
		for _, userID := range c.Members {
			col.Memberships = append(col.Memberships, Membership{ID: api.DerivedUUID(c.ID, userID), UserID: userID, Permission: ReadWrite})
		}
		seed.Collections = append(seed.Collections, col)
	}
	acting := make(map[string]string)
	for i, u := range m.Users {
		seed.Users = append(seed.Users, User{
			ID: u.ID, Name: u.Name, Email: u.Email, Role: u.Role, Color: avatarColor(u.ID),
			CreatedAt: founded.Add(time.Duration(i) * time.Minute),
		})
		acting[cmp.Or(u.Key, "nobody")] = u.ID
	}
	seed.Keys = demoKeys(acting, founded)
	for _, e := range m.Exports {
		seed.Exports = append(seed.Exports, Export{ID: e.ID, Name: e.Name, CollectionID: e.Collection, UserID: e.Author, CreatedAt: e.CreatedAt})
	}
	for _, f := range m.Stars {
		seed.Stars = append(seed.Stars, Favorite{
			ID: api.DerivedUUID(f.User, "star "+f.Document+f.Collection), UserID: f.User, DocumentID: f.Document, CollectionID: f.Collection, CreatedAt: f.CreatedAt,
		})
	}
	for _, f := range m.Pins {
		seed.Pins = append(seed.Pins, Favorite{ID: api.DerivedUUID(f.Document, "pin"), DocumentID: f.Document, CreatedAt: f.CreatedAt})
	}
	for _, a := range m.Attachments {
		content, err := fs.ReadFile(files, a.File)
		if err != nil {
			return Seed{}, fmt.Errorf("attachment %s: %w", a.ID, err)
		}
		seed.Attachments = append(seed.Attachments, Attachment{
			ID: a.ID, DocumentID: a.Document, UserID: a.Author, Name: path.Base(a.File), ContentType: a.Type, Content: content,
		})
	}
	for _, t := range m.Templates {
		seed.Templates = append(seed.Templates, Template{
			ID: t.ID, URLID: t.URLID, Title: t.Title, Tree: prosemirror.Parse(t.Text), Icon: t.Icon, CollectionID: t.Collection,
			CreatedBy: t.Author, UpdatedBy: t.Author, CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt, PublishedAt: t.CreatedAt,
		})
	}
	for _, c := range m.Comments {
		seed.Comments = append(seed.Comments, Comment{
			ID: c.ID, DocumentID: c.Document, ParentID: c.Parent, Data: text.ParseComment(c.Text), Anchor: c.Anchor,
			CreatedBy: c.Author, CreatedAt: c.CreatedAt, UpdatedAt: c.CreatedAt,
			ResolvedBy: c.ResolvedBy, ResolvedAt: c.ResolvedAt,
		})
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
			r.ID, r.DocumentID, r.Icon, r.Color = api.DerivedUUID(d.ID, fmt.Sprintf("revision %d", number)), d.ID, d.Icon, d.Color
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
			add(Revision{
				Title: cmp.Or(m.Title, d.Title), Name: m.Name, Text: string(source), AuthType: cmp.Or(m.Via, byApp),
				CreatedBy: m.Author, With: m.With, CreatedAt: m.CreatedAt,
			})
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
		d := Document{
			ID: m.ID, URLID: m.URLID, Title: m.Title, Icon: m.Icon, Text: string(source),
			CollectionID: m.Collection, ParentID: m.Parent,
			CreatedBy: m.Author, UpdatedBy: cmp.Or(m.Editor, m.Author), Collaborators: m.collaborators(),
			CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Revision: m.Revision, Opened: true,
		}
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
	list := []string{m.Author}
	add := func(ids ...string) {
		for _, id := range ids {
			if id != "" && !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
	}
	for _, r := range m.Before {
		add(r.Author)
		add(r.With...)
	}
	add(m.Editor)
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
		parent := d.Parent
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
