package access

import "slices"

// A Caller is a user who makes a request with an API key.
type Caller struct {
	ID     string // the user's
	Role   Role
	Scopes []string // of the key; nil allows every method

	Commenting Commenting // the setting of the user's team

	// NarrowScopes is set in releases, where redirect, memberships and
	// group_memberships count as writing.
	NarrowScopes bool
}

// HasScope reports whether the scopes of the caller's key cover a method such as
// "documents.info".
func (c *Caller) HasScope(method string) bool {
	covers := func(s string) bool { return scope(s).allows(method, c.NarrowScopes) }
	return c.Scopes == nil || slices.ContainsFunc(c.Scopes, covers)
}

// A Detail is how much of a user an answer shows.
type Detail int

// The details, each with what the ones before it show.
const (
	Brief     Detail = iota // name, role and avatar: the author of something
	WithEmail               // to other members, in lists
	Full                    // with settings: to the user and to admins
)

// DetailOf returns how much the caller sees of a user.
func (c *Caller) DetailOf(userID string) Detail {
	switch {
	case c.ID == userID, c.Role == Admin:
		return Full
	case c.Role == Member:
		return WithEmail
	}
	return Brief
}
