package workspace

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"outline-mcp/internal/workspace/ident"
	"outline-mcp/internal/workspace/text"
	"time"
)

//go:embed all:content
var sampleFiles embed.FS

// New returns a workspace with the sample content and the demo keys.
func New(opts Options) (*Workspace, error) {
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
	UpdatedAt  time.Time `json:"updatedAt"`
	Revision   int       `json:"revision"`
	State      string    `json:"state"`   // published, draft, archived, deleted
	StateAt    time.Time `json:"stateAt"` // when it was archived or deleted
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
			col.Memberships = append(col.Memberships, Membership{ID: ident.DerivedUUID(c.ID, userID), UserID: userID, Permission: ReadWrite})
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
	for _, c := range m.Comments {
		seed.Comments = append(seed.Comments, Comment{
			ID: c.ID, DocumentID: c.Document, ParentID: c.Parent, Data: text.ParseComment(c.Text), Anchor: c.Anchor,
			CreatedBy: c.Author, CreatedAt: c.CreatedAt, UpdatedAt: c.CreatedAt,
			ResolvedBy: c.ResolvedBy, ResolvedAt: c.ResolvedAt,
		})
	}
	seed.Documents, err = readDocuments(files, parentsFirst(m.Documents))
	seed.Revisions = presentRevisions(seed.Documents)
	return seed, err
}

// presentRevisions returns a revision of each document that is or was published,
// of its present state, as Outline has it once nobody has changed it for a
// while.
func presentRevisions(documents []Document) []Revision {
	var revisions []Revision
	for _, d := range documents {
		if !d.isDraft() {
			revisions = append(revisions, Revision{
				ID: ident.DerivedUUID(d.ID, "revision 1"), DocumentID: d.ID, Title: d.Title, Icon: d.Icon, Color: d.Color,
				Text: d.Text, AuthType: byApp, CreatedBy: d.UpdatedBy, CreatedAt: d.UpdatedAt,
			})
		}
	}
	return revisions
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
		keys[i].ID = ident.DerivedUUID(keys[i].UserID, keys[i].Name)
		keys[i].CreatedAt = created
	}
	return keys
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
			CreatedBy: m.Author, UpdatedBy: m.Author, Collaborators: []string{m.Author},
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
			d.DeletedAt = m.StateAt
		default:
			return nil, fmt.Errorf("document %q: unknown state %q", m.Title, m.State)
		}
		documents = append(documents, d)
	}
	return documents, nil
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
