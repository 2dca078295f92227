package workspace

import (
	"outline-mcp/internal/workspace/access"
	"time"
)

// A Seed is the content that a workspace starts with. In all of it an empty
// text stands for what is null in the API, and a zero time for what has not
// happened.
type Seed struct {
	Team        Team
	Users       []User // in the order they joined
	Groups      []Group
	Keys        []Key
	Collections []Collection // in the order of the sidebar
	Documents   []Document   // siblings in their order, each after its parent
	Comments    []Comment    // in the order they were made, each after the one it answers
}

// A Team is the workspace itself.
type Team struct {
	ID   string
	Name string
}

// A Role is the role of a user in the team.
type Role = access.Role

// The roles, from the least to the most powerful.
const (
	Guest  = access.Guest
	Viewer = access.Viewer
	Member = access.Member
	Admin  = access.Admin
)

// A Membership gives one user a permission on a collection or document.
type Membership = access.Membership

// The permissions that a collection gives to all members and a membership to one
// user. A collection without a permission is private.
const (
	Read      = access.Read
	ReadWrite = access.ReadWrite
	Manage    = access.Manage // ReadWrite, and the collection itself; for memberships only
)

// A User is an account.
type User struct {
	ID        string
	Name      string
	Email     string
	Color     string // of the avatar, as in "#FF5C80"
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

// A Key is an API key. Scopes is nil for one without limits.
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
	URLID       string // ten letters or digits, the end of the collection's address
	Name        string
	Description string
	Icon        string
	Color       string
	Permission  string // Read, ReadWrite, or "" for private
	Memberships []Membership
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ArchivedAt  time.Time
	ArchivedBy  string // the ID of a user
	DeletedAt   time.Time
}

// A Document is one page. It is a draft until PublishedAt is set.
type Document struct {
	ID            string
	URLID         string // ten letters or digits, the end of the document's address
	Title         string
	Text          string // Markdown in Outline's own form
	Icon          string
	Color         string
	Language      string // as detected from the text, an ISO 639-1 code
	CollectionID  string // "" for a draft outside the collections
	ParentID      string
	TemplateID    string
	CreatedBy     string   // the ID of a user
	UpdatedBy     string   // the ID of a user
	Collaborators []string // the IDs of all users who wrote it
	Memberships   []Membership
	Revision      int
	FullWidth     bool
	CreatedAt     time.Time
	UpdatedAt     time.Time
	PublishedAt   time.Time
	ArchivedAt    time.Time
	DeletedAt     time.Time
	Source        *Source // nil for what was written here
}

// A Source says where an imported or duplicated document came from.
type Source struct {
	ImportedAt         time.Time
	FileName           string
	OriginalDocumentID string
}

// isDraft and isActive tell in which state a document is: a draft, or
// published and neither archived nor in the trash.
func (d *Document) isDraft() bool { return d.PublishedAt.IsZero() }

func (d *Document) isActive() bool {
	return d.state() == access.Active
}

// state returns the state of the document. The trash comes before the archive,
// and both before the state of a draft.
func (d *Document) state() access.State {
	switch {
	case !d.DeletedAt.IsZero():
		return access.Deleted
	case !d.ArchivedAt.IsZero():
		return access.Archived
	case d.isDraft():
		return access.Draft
	}
	return access.Active
}
