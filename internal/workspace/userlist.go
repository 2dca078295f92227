package workspace

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/filters"
	"outline-mcp/internal/workspace/ident"
)

// usersList implements users.list, latest first. Suspended users are listed on
// request, and for admins only.
func (s *store) usersList(r *request) (api.Answer, error) {
	f := &r.Fields
	query := strings.ToLower(f.String("query"))
	filter := f.OneOf("filter", "active", "invited", "viewers", "admins", "members", "active", "all", "suspended")
	role := Role(f.OneOf("role", "", roles()...))
	ids, emails := f.Strings("ids", ident.IsUUID, "Invalid UUID"), f.Strings("emails", isEmail, "Invalid email address")
	compare := readUserOrder(f)
	asked := filters.Read(f, userFields(), s.now())
	if f.Has("filters") {
		if slices.ContainsFunc([]string{"ids", "emails", "role", "filter"}, f.Has) && f.Err == nil {
			f.Err = api.Invalid("filters cannot be combined with deprecated parameters ids, emails, role, or filter")
		}
		if asked.Mentions("suspendedAt") {
			filter = "all"
		}
	}
	if r.caller.Role != Admin && (filter == "suspended" || filter == "all") {
		filter = "active"
	}
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	if r.caller.Role == Guest {
		return api.Answer{}, api.Forbidden()
	}
	keep := func(u *User) bool {
		switch filter {
		case "active":
			if u.Suspended {
				return false
			}
		case "suspended":
			if !u.Suspended {
				return false
			}
		case "invited":
			return false
		case "admins", "members", "viewers":
			if string(u.Role)+"s" != filter {
				return false
			}
		}
		if u.Suspended && r.caller.Role != Admin {
			return false
		}
		return (role == "" || u.Role == role) && asked.Accepts(u) &&
			(len(ids) == 0 || slices.Contains(ids, u.ID)) &&
			(len(emails) == 0 || slices.ContainsFunc(emails, func(email string) bool { return strings.EqualFold(email, u.Email) })) &&
			(strings.Contains(strings.ToLower(u.Name), query) || strings.Contains(strings.ToLower(u.Email), query))
	}
	var users []*User
	for _, id := range slices.Backward(s.userIDs) {
		if u := s.users[id]; keep(u) {
			users = append(users, u)
		}
	}
	slices.SortStableFunc(users, compare)
	var data []api.JSON
	for _, u := range api.Slice(users, r.Page) {
		data = append(data, api.Encode(presentUser(u, r.caller.DetailOf(u.ID))))
	}
	return api.Answer{Data: api.Array(data...), Page: r.Counted(len(users))}, nil
}

func roles() []string { return []string{string(Admin), string(Member), string(Viewer), string(Guest)} }

// isEmail reports whether a text is an email address, as far as requests need.
func isEmail(text string) bool {
	name, host, ok := strings.Cut(text, "@")
	return ok && name != "" && strings.Contains(host, ".")
}

// readUserOrder reads the sort and direction of a list of users. Only some of the
// columns that Outline accepts are here.
func readUserOrder(f *api.Fields) func(a, b *User) int {
	by := func(a, b *User) int { return a.CreatedAt.Compare(b.CreatedAt) }
	if f.Has("sort") {
		switch f.String("sort") {
		case "createdAt", "updatedAt", "lastActiveAt":
		case "name":
			by = func(a, b *User) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) }
		case "email":
			by = func(a, b *User) int { return cmp.Compare(a.Email, b.Email) }
		case "role":
			by = func(a, b *User) int { return cmp.Compare(a.Role, b.Role) }
		default:
			f.Fail("sort", "Invalid sort parameter")
		}
	}
	if f.Values["direction"] == "ASC" {
		return by
	}
	return func(a, b *User) int { return by(b, a) }
}

// userFields returns the fields of a user that filters can name. Everybody has
// been active.
func userFields() map[string]filters.Field[*User] {
	text := func(kind filters.Kind, get func(*User) string) filters.Field[*User] {
		return filters.Field[*User]{Kind: kind, Options: roles(), Texts: func(u *User) []string { return []string{get(u)} }}
	}
	return map[string]filters.Field[*User]{
		"id":           text(filters.UUID, func(u *User) string { return u.ID }),
		"name":         text(filters.Text, func(u *User) string { return u.Name }),
		"email":        text(filters.Text, func(u *User) string { return u.Email }),
		"role":         text(filters.Enum, func(u *User) string { return string(u.Role) }),
		"createdAt":    {Kind: filters.Date, Time: func(u *User) time.Time { return u.CreatedAt }},
		"lastActiveAt": {Kind: filters.Date, Time: func(u *User) time.Time { return u.CreatedAt }},
		"suspendedAt": {Kind: filters.Date, Time: func(u *User) time.Time {
			if u.Suspended {
				return u.CreatedAt
			}
			return time.Time{}
		}},
	}
}
