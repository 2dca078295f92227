package fakeoutline

import (
	"fmt"
	"strings"
	"time"

	"outline-mcp/outline/prosemirror"
)

// A Seed is the initial content of a workspace. Throughout, an empty string is
// null in the API, and a zero time is a time that is not set.
type Seed struct {
	Team        Team
	Users       []User // in the order they joined
	Groups      []Group
	Keys        []Key
	Collections []Collection // in the order of the sidebar
	Documents   []Document   // siblings in order, each after its parent
	Revisions   []Revision   // in the order of creation
	Comments    []Comment    // in the order of creation, each after the one it replies to
	Templates   []Template   // in the order of creation
	Attachments []Attachment // in the order of creation
	Exports     []Export     // in the order of creation
	Stars       []Favorite   // newest first
	Pins        []Favorite   // newest first
	Shares      []Share      // in the order of creation
}

// A Team is the organization that owns the workspace.
type Team struct {
	ID         string
	Name       string
	Commenting Commenting // who may comment; "" is MembersComment
	Guidance   string     // for AI clients
}

// A User is a user account.
type User struct {
	ID        string
	Name      string
	Email     string
	Color     string // of the avatar, such as "#FF5C80"
	Role      Role
	Suspended bool
	CreatedAt time.Time
}

// A Group is a named set of users.
type Group struct {
	ID        string
	Name      string
	UserIDs   []string
	CreatedAt time.Time
}

// A Key is an API key. Nil Scopes allow every method.
type Key struct {
	ID        string
	Secret    string
	Name      string
	UserID    string
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt time.Time
}

// A Collection is a tree of documents.
type Collection struct {
	ID          string
	URLID       string // ten letters or digits, the end of the collection's path
	Name        string
	Description string
	Icon        string
	Color       string
	Permission  string // Read, ReadWrite, or "" for private
	Memberships []Membership

	// Whether members who may write in it may manage its templates.
	MembersManageTemplates bool

	CreatedAt  time.Time
	UpdatedAt  time.Time
	ArchivedAt time.Time
	ArchivedBy string // the ID of a user
	DeletedAt  time.Time
}

// A Document is a document. It is a draft until PublishedAt is set.
type Document struct {
	ID            string
	URLID         string // ten letters or digits, the end of the document's path
	Title         string
	Text          string            // Markdown
	Tree          *prosemirror.Node // takes the place of Text, for what Markdown cannot express; may be nil
	Icon          string
	Color         string
	Language      string // as detected from the text, an ISO 639-1 code
	CollectionID  string // "" for a draft without a collection
	ParentID      string
	TemplateID    string
	CreatedBy     string   // the ID of a user
	UpdatedBy     string   // the ID of a user
	Collaborators []string // the IDs of all users who edited it
	Memberships   []Membership
	Revision      int
	FullWidth     bool
	Opened        bool // in Outline's editor, without which releases take no comments on passages
	CreatedAt     time.Time
	UpdatedAt     time.Time
	PublishedAt   time.Time
	ArchivedAt    time.Time
	DeletedAt     time.Time
	DeletedBy     string  // the ID of a user; "" if unknown
	Source        *Source // nil for a document created in the workspace
}

// A Source describes where an imported or duplicated document came from.
type Source struct {
	ImportedAt         time.Time
	FileName           string
	OriginalDocumentID string
}

// isDraft reports whether the document is not published, whether or not it is
// archived or deleted.
func (d *Document) isDraft() bool { return d.PublishedAt.IsZero() }

// isActive reports whether the document is published and neither archived nor
// deleted.
func (d *Document) isActive() bool {
	return d.state() == stateActive
}

// state returns the state of the document. Deleted takes precedence over
// archived, and archived over draft.
func (d *Document) state() state {
	switch {
	case !d.DeletedAt.IsZero():
		return stateDeleted
	case !d.ArchivedAt.IsZero():
		return stateArchived
	case d.isDraft():
		return stateDraft
	}
	return stateActive
}

// load stores a seed.
func (s *store) load(seed Seed) error {
	s.team, s.groups = seed.Team, seed.Groups
	for _, u := range seed.Users {
		if s.users[u.ID] != nil {
			return fmt.Errorf("workspace: user %s is there twice", u.ID)
		}
		s.users[u.ID] = &u
		s.userIDs = append(s.userIDs, u.ID)
	}
	for _, k := range seed.Keys {
		if s.users[k.UserID] == nil {
			return fmt.Errorf("workspace: key %q belongs to the unknown user %q", k.Name, k.UserID)
		}
		s.keys[k.Secret] = &k
		s.secrets = append(s.secrets, k.Secret)
	}
	for _, c := range seed.Collections {
		if err := s.claim(c.ID, c.URLID); err != nil {
			return fmt.Errorf("workspace: collection %q: %w", c.Name, err)
		}
		s.collections[c.ID] = &c
		s.collectionIDs = append(s.collectionIDs, c.ID)
		s.byURLID[c.URLID] = c.ID
	}
	for _, d := range seed.Documents {
		if err := s.loadDocument(d); err != nil {
			return fmt.Errorf("workspace: document %q: %w", d.Title, err)
		}
	}
	for _, r := range seed.Revisions {
		if err := s.loadRevision(r); err != nil {
			return fmt.Errorf("workspace: revision %s: %w", r.ID, err)
		}
	}
	for _, c := range seed.Comments {
		if err := s.loadComment(c); err != nil {
			return fmt.Errorf("workspace: comment %s: %w", c.ID, err)
		}
	}
	for _, t := range seed.Templates {
		if err := s.claim(t.ID, t.URLID); err != nil {
			return fmt.Errorf("workspace: template %s: %w", t.ID, err)
		}
		s.addTemplate(&t)
	}
	for _, a := range seed.Attachments {
		if !isUUID(a.ID) || s.taken(a.ID) || s.users[a.UserID] == nil {
			return fmt.Errorf("workspace: attachment %s: its id is no UUID, or taken, or its uploader is unknown", a.ID)
		}
		s.addAttachment(&attachment{Attachment: a, declared: max(a.Declared, len(a.Content))})
	}
	for _, e := range seed.Exports {
		user := s.users[e.UserID]
		if !isUUID(e.ID) || s.taken(e.ID) || user == nil {
			return fmt.Errorf("workspace: export %s: its id is no UUID, or taken, or its user is unknown", e.ID)
		}
		s.addExport(&export{
			ID: e.ID, Format: markdownFormat, Name: e.Name, CollectionID: e.CollectionID, UserID: e.UserID, CreatedAt: e.CreatedAt,
			file: s.archiveOf(&caller{User: user}, e.CollectionID),
		})
	}
	return s.loadFavorites(seed)
}

func (s *store) loadDocument(d Document) error {
	if err := s.claim(d.ID, d.URLID); err != nil {
		return err
	}
	if s.users[d.CreatedBy] == nil || s.users[d.UpdatedBy] == nil {
		return fmt.Errorf("its author %q or editor %q is unknown", d.CreatedBy, d.UpdatedBy)
	}
	if d.CollectionID != "" && s.collections[d.CollectionID] == nil {
		return fmt.Errorf("its collection %s is unknown", d.CollectionID)
	}
	if d.CollectionID == "" && !d.isDraft() {
		return fmt.Errorf("it is published outside the collections")
	}
	if d.ParentID != "" {
		parent, ok := s.documents[d.ParentID]
		switch {
		case !ok:
			return fmt.Errorf("its parent %s is unknown or comes after it", d.ParentID)
		case parent.CollectionID != d.CollectionID:
			return fmt.Errorf("its parent %s is in another collection", d.ParentID)
		case d.isActive() && !parent.isActive():
			return fmt.Errorf("its parent %s is a draft, archived or deleted, and it is not", d.ParentID)
		}
	}
	s.put(d, &content{root: d.Tree, source: d.Text, dialect: s.features.dialect})
	if d.isActive() {
		above := d.ParentID
		if above == "" {
			above = d.CollectionID
		}
		s.children[above] = append(s.children[above], d.ID)
	}
	return nil
}

// claim returns an error unless a new document or collection can have the IDs.
func (s *store) claim(id, url string) error {
	switch {
	case !isUUID(id) || id != strings.ToLower(id):
		return fmt.Errorf("the id %q is no UUID in lower case", id)
	case urlIDOf(url) != url:
		return fmt.Errorf("the urlId %q is not ten letters or digits", url)
	case s.documents[id] != nil || s.collections[id] != nil:
		return fmt.Errorf("the id %s is taken", id)
	case s.byURLID[url] != "":
		return fmt.Errorf("the urlId %s is taken", url)
	}
	return nil
}

// loadComment stores a comment of a seed.
func (s *store) loadComment(c Comment) error {
	switch parent := s.comments[c.ParentID]; {
	case !isUUID(c.ID) || s.taken(c.ID):
		return fmt.Errorf("the id is no UUID, or taken")
	case s.documents[c.DocumentID] == nil:
		return fmt.Errorf("its document %s is unknown", c.DocumentID)
	case c.ParentID != "" && (parent == nil || parent.DocumentID != c.DocumentID):
		return fmt.Errorf("the comment %s that it answers is unknown, comes after it or is on another document", c.ParentID)
	case !isComment(c.Data):
		return fmt.Errorf("its data is no document of the comment editor")
	}
	if c.Anchor != "" {
		content := s.documents[c.DocumentID].body.content
		content.attached = append(content.attached, &c)
	}
	s.addComment(&c)
	return nil
}
