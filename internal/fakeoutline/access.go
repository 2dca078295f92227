package fakeoutline

import (
	"slices"
	"strings"
)

// A Role is the role of a user in the workspace.
type Role string

// The roles, from the least to the most powerful.
const (
	Guest  Role = "guest"
	Viewer Role = "viewer"
	Member Role = "member"
	Admin  Role = "admin"
)

// atLeast reports whether r is as powerful as other. The empty role is below all
// others.
func (r Role) atLeast(other Role) bool { return r.rank() >= other.rank() }

func (r Role) rank() int {
	switch r {
	case Guest:
		return 1
	case Viewer:
		return 2
	case Member:
		return 3
	case Admin:
		return 4
	}
	return 0
}

// Title returns the name of the role with an initial capital. The role must not
// be empty.
func (r Role) Title() string { return strings.ToUpper(string(r[:1])) + string(r[1:]) }

// A caller is the user of the API key, access token or session of a request.
type caller struct {
	*User
	Scopes []string // of the key or token; nil allows every method
	groups []string // the IDs of the groups of the user

	Commenting Commenting // the setting of the user's team

	// narrowScopes is set in releases, where redirect, memberships and
	// group_memberships count as writing.
	narrowScopes bool

	oauth      bool            // authenticated by an access token
	visible    map[string]bool // the collections of lists, once looked up
	restricted bool            // the list is restricted to a collection
}

// hasScope reports whether the scopes of the caller's key cover a method such as
// "documents.info".
func (c *caller) hasScope(method string) bool {
	covers := func(s string) bool { return scope(s).allows(method, c.narrowScopes) }
	return c.Scopes == nil || slices.ContainsFunc(c.Scopes, covers)
}

// A detail is how much of a user an answer shows.
type detail int

// The details, each with what the ones before it show.
const (
	brief     detail = iota // name, role and avatar: the author of something
	withEmail               // to other members, in lists
	full                    // with settings: to the user and to admins
)

// detailOf returns how much the caller sees of a user.
func (c *caller) detailOf(userID string) detail {
	switch {
	case c.ID == userID, c.Role == Admin:
		return full
	case c.Role == Member:
		return withEmail
	}
	return brief
}

// A scope is an entry in the scopes of an API key. It has one of these forms:
// "*"; "read", "write" or "create" for every resource; "namespace:read" and so
// on for one resource; or "/api/namespace.method" for one method. A "*" may
// replace the namespace or the method.
type scope string

// allows reports whether the scope covers a method such as "documents.info".
// narrow is that of [caller.narrowScopes].
func (s scope) allows(method string, narrow bool) bool {
	if s == "*" {
		return true
	}
	namespace, verb, _ := strings.Cut(method, ".")
	if route, ok := strings.CutPrefix(string(s), "/api/"); ok {
		scopeNamespace, scopeVerb, _ := strings.Cut(route, ".")
		return matchesName(scopeNamespace, namespace) && matchesName(scopeVerb, verb)
	}
	scopeNamespace, level, ok := strings.Cut(string(s), ":")
	if !ok {
		scopeNamespace, level = "*", string(s)
	}
	return matchesName(scopeNamespace, namespace) && (level == "write" || level == levelOf(verb, narrow))
}

func matchesName(pattern, name string) bool { return pattern == "*" || pattern == name }

// levelOf returns the least scope that covers a method. Many methods that only
// read, such as search_titles, count as writing.
func levelOf(verb string, narrow bool) string {
	switch verb {
	case "redirect", "memberships", "group_memberships":
		if narrow {
			return "write"
		}
		return "read"
	case "list", "info", "search", "documents", "drafts", "viewed", "export", "config":
		return "read"
	case "create":
		return "create"
	}
	return "write"
}

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
	UserID     string // "" for that of a group
	GroupID    string
	Permission string
	CreatedBy  string // "" for whoever made or manages what it is in
}

// of reports whether the membership is the caller's, or that of a group of the caller.
func (m Membership) of(c *caller) bool {
	return m.UserID == c.ID || m.GroupID != "" && slices.Contains(c.groups, m.GroupID)
}

// has reports whether one of the memberships gives the caller one of the
// permissions.
func (c *caller) has(memberships []Membership, permissions ...string) bool {
	return slices.ContainsFunc(memberships, func(m Membership) bool {
		return m.of(c) && slices.Contains(permissions, m.Permission)
	})
}

// collectionRights are a caller's rights on a collection.
type collectionRights struct {
	See    bool // the collection's name and description
	Read   bool // its documents
	Write  bool // its documents
	Manage bool // the collection itself
}

// onCollection returns the caller's rights on a collection with a permission and
// memberships. An admin sees and manages every collection, but cannot read the
// documents of a private one without a membership.
func (c *caller) onCollection(permission string, memberships []Membership) collectionRights {
	r := collectionRights{
		Read:   c.Role != Guest && permission != "" || c.has(memberships, Read, ReadWrite, Manage),
		Write:  (c.Role == Admin || c.Role == Member) && permission == ReadWrite || c.has(memberships, ReadWrite, Manage),
		Manage: c.Role == Admin || c.has(memberships, Manage),
	}
	r.See = r.Read || c.Role == Admin
	return r
}

// documentRights are a caller's rights on a document. The zero value permits
// nothing.
type documentRights struct {
	Read, Write bool
	Archive     bool // archive, unpublish and share it
}

// Documents returns the rights on the documents of the collection.
func (r collectionRights) Documents() documentRights {
	return documentRights{r.Read, r.Write, r.Write}
}

// onOwnDraft adds the rights of a draft's author.
func (c *caller) onOwnDraft(r documentRights, authorID string) documentRights {
	own := authorID == c.ID
	return documentRights{own || r.Read, own || r.Write, own || r.Archive}
}

// withMemberships returns the rights extended by memberships in the document.
// Only those that manage it let the caller archive it: otherwise that is up to
// the collection.
func (c *caller) withMemberships(r documentRights, memberships []Membership) documentRights {
	return documentRights{
		Read:    r.Read || c.has(memberships, Read, ReadWrite, Manage),
		Write:   r.Write || c.has(memberships, ReadWrite, Manage),
		Archive: r.Archive || c.has(memberships, Manage),
	}
}

// A state is the state of a document.
type state int

// The states of a document.
const (
	stateActive   state = iota // published
	stateDraft                 // not published
	stateArchived              // in the archive
	stateDeleted               // in the trash
)

// mayListRevisions reports whether the caller may see the revisions of a document,
// given the rights on it and its state. A guest who may only read sees only the text.
func (c *caller) mayListRevisions(rights documentRights, state state) bool {
	if c.Role != Guest {
		return rights.Read
	}
	return rights.Write && (state == stateActive || state == stateDraft)
}

// commentRights are a caller's rights on a comment that the caller may read.
type commentRights struct {
	Comment bool // answer it, and react to it
	Change  bool // edit and delete it
	Resolve bool // resolve and unresolve its thread
}

// onComment returns the caller's rights on a comment by an author, given the
// rights on its document and the state of the document.
func (c *caller) onComment(authorID string, document documentRights, state state) commentRights {
	own := authorID == c.ID
	may := c.mayComment(document, state)
	return commentRights{
		Comment: may,
		Change:  may && (own || c.Role == Admin),
		Resolve: may && (own || document.Write),
	}
}

// mayComment reports whether the caller may comment on a document, given the
// rights on it and its state.
func (c *caller) mayComment(document documentRights, state state) bool {
	return c.Commenting.allows(c.Role) && (state == stateDraft || state == stateActive) && document.Read
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
