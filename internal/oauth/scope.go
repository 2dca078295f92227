package oauth

import (
	"slices"
	"strings"
)

// A Scope is what a person gives an app, as it is written in tokens and metadata.
type Scope string

// The scopes. Who may write may read.
const (
	Read  Scope = "read"
	Write Scope = "read write"
)

// Writes reports whether the scope includes changing the workspace.
func (s Scope) Writes() bool { return s == Write }

// scopeOf returns what a client asks for with a scope parameter. Names that are not ours
// are ignored (RFC 6749, section 3.3), because clients send openid or offline_access
// without being told to. A request without a known name is for all that there is: some
// clients leave the scope out.
func (s *Server) scopeOf(asked string) Scope {
	names := strings.Fields(asked)
	if s.options.ReadOnly || slices.Contains(names, "read") && !slices.Contains(names, "write") {
		return Read
	}
	return Write
}

// offered returns the names of the scopes that people can give.
func (s *Server) offered() []string {
	if s.options.ReadOnly {
		return []string{"read"}
	}
	return []string{"read", "write"}
}

// outlineScope returns what is asked of Outline.
func (s *Server) outlineScope(scope Scope) string {
	if scope.Writes() {
		return s.options.Outline.WriteScope
	}
	return s.options.Outline.ReadScope
}
