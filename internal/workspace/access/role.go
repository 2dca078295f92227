// Package access decides what a caller may do in Outline: what roles, the scopes
// of API keys and memberships permit.
package access

import "strings"

// A Role is the role of a user in the workspace.
type Role string

// The roles, from the least to the most powerful.
const (
	Guest  Role = "guest"
	Viewer Role = "viewer"
	Member Role = "member"
	Admin  Role = "admin"
)

// AtLeast reports whether r is as powerful as other. The empty role is below all
// others.
func (r Role) AtLeast(other Role) bool { return r.rank() >= other.rank() }

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
