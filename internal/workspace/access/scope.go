package access

import "strings"

// A scope is an entry in the scopes of an API key. It has one of these forms:
// "*"; "read", "write" or "create" for every resource; "namespace:read" and so
// on for one resource; or "/api/namespace.method" for one method. A "*" may
// replace the namespace or the method.
type scope string

// allows reports whether the scope covers a method such as "documents.info".
// narrow is that of [Caller.NarrowScopes].
func (s scope) allows(method string, narrow bool) bool {
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
	return matches(scopeNamespace, namespace) && (level == "write" || level == levelOf(verb, narrow))
}

func matches(pattern, name string) bool { return pattern == "*" || pattern == name }

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
