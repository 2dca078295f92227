package auth

import (
	"slices"
	"strings"
)

// Permissions are what is known beforehand of what a credential allows at
// Outline. The zero value allows everything. Rights to single documents and
// collections are not covered.
type Permissions struct {
	Role   string   // of the user: admin, member, viewer or guest; any other is unknown
	Scopes []string // nil if the credential is not limited, or the scopes are unknown
	// Commenting is the team's setting for who may comment: none, members or
	// everyone. Any other is Outline's default, which is members.
	Commenting string
	// Release is set if Outline is a release up to 1.9.2, where roles and scopes allow
	// other calls than in the newest source.
	Release bool
}

// Allows reports whether the credential may call an endpoint such as
// documents.info. It is false only if Outline is certain to refuse the call.
func (p Permissions) Allows(endpoint string) bool {
	if !p.Release && newlyRefused(p.Role, endpoint) || !roleAllows(p.Role, endpoint) || p.TeamForbids(endpoint) {
		return false
	}
	return p.Scopes == nil || slices.ContainsFunc(p.Scopes, func(scope string) bool {
		redirects := scope == "read" && p.Release && strings.HasSuffix(endpoint, ".redirect")
		return scopeAllows(scope, endpoint) && !redirects
	})
}

// newlyRefused reports whether no release, but the newest source refuses an endpoint to
// a role.
func newlyRefused(role, endpoint string) bool {
	return endpoint == "documents.duplicate" && (role == "viewer" || role == "guest") || endpoint == "users.list" && role == "guest"
}

// AllowsTool reports whether a tool that calls all of the endpoints, or any one
// of them, can be used.
func AllowsTool(endpoints []string, anyEndpoint bool, allows func(endpoint string) bool) bool {
	if anyEndpoint {
		return slices.ContainsFunc(endpoints, allows)
	}
	return !slices.ContainsFunc(endpoints, func(endpoint string) bool { return !allows(endpoint) })
}

// ScopesToRead returns the scopes that cover endpoints that change nothing, and little
// else: read, and one for each endpoint that Outline or a release of it counts as writing
// all the same. In releases, these are also those that redirect to a file.
func ScopesToRead(endpoints []string) []string {
	scopes := []string{"read"}
	for _, endpoint := range endpoints {
		scope := "/api/" + endpoint
		if slices.Contains(scopes, scope) || !strings.HasSuffix(endpoint, ".redirect") && scopeAllows("read", endpoint) {
			continue
		}
		scopes = append(scopes, scope)
	}
	return scopes
}

// TeamForbids reports whether a setting of the team, which an admin can change,
// forbids an endpoint to the user's role.
func (p Permissions) TeamForbids(endpoint string) bool {
	return endpoint == "comments.create" && (p.Commenting == "none" || p.Role == "guest" && p.Commenting != "everyone")
}

// roleAllows reports whether a role may call an endpoint. Guests and viewers may write
// what was shared with them for writing, and guests see its history then. Those who
// manage a collection change and delete it and add templates. They restore no documents. All
// of this was measured on Outline 1.9.2 and on the newest source.
func roleAllows(role, endpoint string) bool {
	switch endpoint {
	case "collections.export_all":
		return role != "member" && role != "viewer" && role != "guest"
	case "documents.archived", "documents.deleted", "documents.restore", "collections.create", "collections.export":
		return role != "viewer" && role != "guest"
	case "groups.list", "shares.create":
		return role != "guest"
	case "shares.update", "shares.revoke":
		return role != "viewer" && role != "guest"
	}
	return true
}

// scopeAllows reports whether one scope covers an endpoint. A scope is "*",
// "read", "write" or "create" for all namespaces, "documents:read" for one, and
// "/api/documents.info" for a single endpoint, with "*" for either part.
func scopeAllows(scope, endpoint string) bool {
	if scope == "*" {
		return true
	}
	namespace, method, _ := strings.Cut(endpoint, ".")
	if route, single := strings.CutPrefix(scope, "/api/"); single {
		n, m, _ := strings.Cut(route, ".")
		return covers(n, namespace) && covers(m, method)
	}
	n, level, one := strings.Cut(scope, ":")
	if !one {
		n, level = "*", scope
	}
	return covers(n, namespace) && (level == "write" || level == levelOf(method))
}

func covers(pattern, name string) bool { return pattern == "*" || pattern == name }

// levelOf returns the level of scope that a method needs. Outline treats every
// method as writing that it does not list as reading or creating.
func levelOf(method string) string {
	switch method {
	case "list", "info", "search", "documents", "drafts", "viewed", "export", "config", "redirect", "memberships", "group_memberships":
		return "read"
	case "create":
		return "create"
	}
	return "write"
}
