package access

import "strings"

// A scope is one entry of an API key's list of scopes. Its forms are "*",
// "read", "write" or "create" for every resource, "namespace:read" and so on
// for one, and "/api/namespace.method" for one method, where a "*" may stand
// for either part.
type scope string

// allows reports whether the scope covers a method such as "documents.info".
func (s scope) allows(method string) bool {
	if s == "*" {
		return true
	}
	namespace, verb, _ := strings.Cut(method, ".")
	if route, ok := strings.CutPrefix(string(s), "/api/"); ok {
		scopeNamespace, scopeVerb, _ := strings.Cut(route, ".")
		return matches(scopeNamespace, namespace) && matches(scopeVerb, verb)
	}
	scopeNamespace, level, ok := strings.Cut(string(s), ":")
	if !ok {
		scopeNamespace, level = "*", string(s)
	}
	return matches(scopeNamespace, namespace) && (level == "write" || level == levelOf(verb))
}

func matches(pattern, name string) bool { return pattern == "*" || pattern == name }

// levelOf is the scope that a method needs at least. Many methods that only
// read, search_titles for one, count as writing.
func levelOf(verb string) string {
	switch verb {
	case "list", "info", "search", "documents", "drafts", "viewed", "export",
		"config", "redirect", "memberships", "group_memberships":
		return "read"
	case "create":
		return "create"
	}
	return "write"
}
