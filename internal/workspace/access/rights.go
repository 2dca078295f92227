package access

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

// A Grant says whether something is permitted: not at all, by the caller's role,
// or by memberships. The zero Grant permits nothing.
type Grant struct {
	Allowed     bool
	memberships []string // the IDs of those that permit it; nil if the role does
}

var byRole = Grant{Allowed: true}

// or returns g, or other if g permits nothing.
func (g Grant) or(other Grant) Grant {
	if g.Allowed {
		return g
	}
	return other
}

// when returns g if the condition holds, else a grant that permits nothing.
func when(condition bool, g Grant) Grant {
	if condition {
		return g
	}
	return Grant{}
}

// grantFrom returns what those of the memberships grant that are the caller's and
// have one of the permissions.
func (c *Caller) grantFrom(memberships []Membership, permissions ...string) Grant {
	var g Grant
	for _, m := range memberships {
		if m.UserID != c.ID {
			continue
		}
		for _, p := range permissions {
			if m.Permission == p {
				g.Allowed, g.memberships = true, append(g.memberships, m.ID)
			}
		}
	}
	return g
}

// CollectionRights are a caller's rights on a collection.
type CollectionRights struct {
	See    Grant // the collection's name and description
	Read   Grant // its documents
	Write  Grant // its documents
	Manage Grant // the collection itself
}

// OnCollection returns the caller's rights on a collection with a permission and
// memberships. An admin sees and manages every collection, but cannot read the
// documents of a private one without a membership.
func (c *Caller) OnCollection(permission string, memberships []Membership) CollectionRights {
	var r CollectionRights
	if permission != "" && c.Role != Guest {
		r.Read = byRole
	} else {
		r.Read = c.grantFrom(memberships, Read, ReadWrite, Manage)
	}
	switch {
	case c.Role == Viewer:
	case permission == ReadWrite && c.Role != Guest:
		r.Write = byRole
	default:
		r.Write = c.grantFrom(memberships, ReadWrite, Manage)
	}
	r.See = r.Read
	switch c.Role {
	case Admin:
		r.See, r.Manage = byRole, byRole
	case Member:
		r.Manage = c.grantFrom(memberships, Manage)
	}
	return r
}

// DocumentRights are a caller's rights on a document. The zero value permits
// nothing.
type DocumentRights struct {
	Read, Write Grant
	Archive     Grant // archive, unpublish and share it
}

// Documents returns the rights on the documents of the collection.
func (r CollectionRights) Documents() DocumentRights {
	return DocumentRights{r.Read, r.Write, r.Write}
}

// OnOwnDraft adds the rights of a draft's author.
func (c *Caller) OnOwnDraft(r DocumentRights, authorID string) DocumentRights {
	own := when(authorID == c.ID, byRole)
	return DocumentRights{own.or(r.Read), own.or(r.Write), own.or(r.Archive)}
}

// WithMemberships returns the rights extended by memberships in the document.
// Only those that manage it let the caller archive it: otherwise that is up to
// the collection.
func (c *Caller) WithMemberships(r DocumentRights, memberships []Membership) DocumentRights {
	return DocumentRights{
		Read:    r.Read.or(c.grantFrom(memberships, Read, ReadWrite, Manage)),
		Write:   r.Write.or(c.grantFrom(memberships, ReadWrite, Manage)),
		Archive: r.Archive.or(c.grantFrom(memberships, Manage)),
	}
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
		Resolve: may && (own || document.Write.Allowed),
	}
}

// MayComment reports whether the caller may comment on a document, given the
// rights on it and its state.
func (c *Caller) MayComment(document DocumentRights, state State) bool {
	return c.Commenting.allows(c.Role) && (state == Draft || state == Active) && document.Read.Allowed
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
