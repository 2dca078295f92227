// Package permission knows which endpoints of Outline's API a role and the
// scopes of an API key allow, as far as that can be told beforehand. What a
// user may do with one document or collection is not its matter.
package permission

import (
	"slices"
	"strings"
)

// Key is what is known of an API key.
type Key struct {
	Role   string   // of its owner: admin, member, viewer or guest; "" or another: not known
	Scopes []string // nil: not limited, or not known
}

// Allows tells whether the key may call an endpoint such as documents.info. It
// is false only for what Outline is sure to refuse.
func (k Key) Allows(endpoint string) bool {
	return roleAllows(k.Role, endpoint) && (k.Scopes == nil || slices.ContainsFunc(k.Scopes, func(s string) bool { return scopeAllows(s, endpoint) }))
}

// AllowsTool tells whether a tool can be used that calls the endpoints, or any
// one of them, where some endpoints are allowed.
func AllowsTool(endpoints []string, anyEndpoint bool, allows func(endpoint string) bool) bool {
	if anyEndpoint {
		return slices.ContainsFunc(endpoints, allows)
	}
	return !slices.ContainsFunc(endpoints, func(endpoint string) bool { return !allows(endpoint) })
}

// Listed is a key as Outline lists it to its owner, without the key itself.
type Listed struct {
	UserID string   // of its owner; "": not told
	Last4  string   // its last four characters
	Scopes []string // nil: not limited
}

// ScopesOf returns the scopes of a key among those that Outline lists, which it
// tells apart by their last four characters, and how many of them the key may
// be. Where several end alike, all their scopes count, and none if one of them
// has none. The owner is the UUID of the key's, "" if that is not known.
func ScopesOf(key, owner string, listed []Listed) (scopes []string, matches int) {
	unlimited := false
	for _, one := range listed {
		if len(key) < 4 || one.Last4 == "" || !strings.HasSuffix(key, one.Last4) || owner != "" && one.UserID != "" && one.UserID != owner {
			continue
		}
		matches++
		unlimited = unlimited || one.Scopes == nil
		scopes = append(scopes, one.Scopes...)
	}
	switch {
	case unlimited:
		return nil, matches
	case matches > 0 && scopes == nil:
		return []string{}, matches // limited to nothing
	}
	return scopes, matches
}

// roleAllows tells whether a role does not rule out an endpoint. Guests may
// write what was shared with them for that; viewers never write documents.
func roleAllows(role, endpoint string) bool {
	switch endpoint {
	case "collections.export_all":
		return role != "member" && role != "viewer" && role != "guest"
	case "documents.archived", "documents.deleted",
		"collections.create", "collections.update", "collections.delete", "collections.export":
		return role != "viewer" && role != "guest"
	case "documents.create", "documents.update", "documents.move", "documents.archive", "documents.restore", "documents.delete":
		return role != "viewer"
	}
	return true
}

// scopeAllows tells whether one scope covers an endpoint. Its forms are "*",
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

// levelOf returns the level of scope that a method needs. Outline counts what
// it does not list as reading as writing, whatever it does.
func levelOf(method string) string {
	switch method {
	case "list", "info", "search", "documents", "drafts", "viewed", "export", "config", "redirect", "memberships", "group_memberships":
		return "read"
	case "create":
		return "create"
	}
	return "write"
}
