package access

import "slices"

// The permissions that a collection gives to all members and a membership to one
// user. A collection without a permission is private.
const (
	Read      = "read"
	ReadWrite = "read_write"
	Manage    = "admin" // ReadWrite, and the collection itself; for memberships only
)

// A Membership gives one user a permission on a collection or document.
type Membership struct {
	ID         string
	UserID     string
	Permission string
}

// has reports whether one of the memberships gives the caller one of the
// permissions.
func (c *Caller) has(memberships []Membership, permissions ...string) bool {
	return slices.ContainsFunc(memberships, func(m Membership) bool {
		return m.UserID == c.ID && slices.Contains(permissions, m.Permission)
	})
}

// CollectionRights are a caller's rights on a collection.
type CollectionRights struct {
	See    bool // the collection's name and description
	Read   bool // its documents
	Write  bool // its documents
	Manage bool // the collection itself
}

// OnCollection returns the caller's rights on a collection with a permission and
// memberships. An admin sees and manages every collection, but cannot read the
// documents of a private one without a membership.
func (c *Caller) OnCollection(permission string, memberships []Membership) CollectionRights {
	byRole := c.Role != Guest
	r := CollectionRights{
		Read:   byRole && permission != "" || c.has(memberships, Read, ReadWrite, Manage),
		Write:  c.Role != Viewer && (byRole && permission == ReadWrite || c.has(memberships, ReadWrite, Manage)),
		Manage: c.Role == Admin || c.Role == Member && c.has(memberships, Manage),
	}
	r.See = r.Read || c.Role == Admin
	return r
}

// DocumentRights are a caller's rights on a document. The zero value permits
// nothing.
type DocumentRights struct {
	Read, Write bool
	Archive     bool // archive, unpublish and share it
}

// Documents returns the rights on the documents of the collection.
func (r CollectionRights) Documents() DocumentRights {
	return DocumentRights{r.Read, r.Write, r.Write}
}

// OnOwnDraft adds the rights of a draft's author.
func (c *Caller) OnOwnDraft(r DocumentRights, authorID string) DocumentRights {
	own := authorID == c.ID
	return DocumentRights{own || r.Read, own || r.Write, own || r.Archive}
}

// WithMemberships returns the rights extended by memberships in the document.
// Only those that manage it let the caller archive it: otherwise that is up to
// the collection.
func (c *Caller) WithMemberships(r DocumentRights, memberships []Membership) DocumentRights {
	return DocumentRights{
		Read:    r.Read || c.has(memberships, Read, ReadWrite, Manage),
		Write:   r.Write || c.has(memberships, ReadWrite, Manage),
		Archive: r.Archive || c.has(memberships, Manage),
	}
}

// A State is the state of a document.
type State int

// The states of a document.
const (
	Active   State = iota // published
	Draft                 // not published
	Archived              // in the archive
	Deleted               // in the trash
)

// MayListRevisions reports whether the caller may see the revisions of a document,
// given the rights on it and its state. A guest who may only read sees only the text.
func (c *Caller) MayListRevisions(rights DocumentRights, state State) bool {
	if c.Role != Guest {
		return rights.Read
	}
	return rights.Write && (state == Active || state == Draft)
}

// CommentRights are a caller's rights on a comment that the caller may read.
type CommentRights struct {
	Comment bool // answer it, and react to it
	Change  bool // edit and delete it
	Resolve bool // resolve and unresolve its thread
}

// OnComment returns the caller's rights on a comment by an author, given the
// rights on its document and the state of the document.
func (c *Caller) OnComment(authorID string, document DocumentRights, state State) CommentRights {
	own := authorID == c.ID
	may := c.MayComment(document, state)
	return CommentRights{
		Comment: may,
		Change:  may && (own || c.Role == Admin),
		Resolve: may && (own || document.Write),
	}
}

// MayComment reports whether the caller may comment on a document, given the
// rights on it and its state.
func (c *Caller) MayComment(document DocumentRights, state State) bool {
	return c.Commenting.allows(c.Role) && (state == Draft || state == Active) && document.Read
}

// Commenting is the team's setting for who may comment on what they may read.
// The empty value is MembersComment, the default.
type Commenting string

// The values of the setting.
const (
	NobodyComments   Commenting = "none"
	MembersComment   Commenting = "members" // and viewers and admins
	EveryoneComments Commenting = "everyone"
)

func (s Commenting) allows(role Role) bool {
	return s == EveryoneComments || s != NobodyComments && role != Guest
}
