package fakeoutline

import (
	"slices"
	"strings"
)

// A target is the document or the collection that memberships are in.
type target struct {
	document   *document // nil for a collection
	collection *Collection
	manage     bool // whether the caller may change who has access
}

// documentTarget returns a document that the caller may change or, to manage it, whose
// memberships the caller may change. As recorded, an unknown document is forbidden.
func (s *store) documentTarget(c *caller, id string, manage bool) (target, error) {
	d, ok := s.findDocument(id)
	if !ok {
		return target{}, apiForbidden()
	}
	t := target{document: d, manage: c.has(s.sharing(d), Manage)}
	if col, in := s.collections[d.CollectionID]; in && c.rights(col).Manage {
		t.manage = true
	}
	if manage && !t.manage || !manage && !s.rightsOn(d, c).Write {
		return target{}, apiForbidden()
	}
	return t, nil
}

// collectionTarget returns a collection that the caller may read or, to manage it,
// manage.
func (s *store) collectionTarget(c *caller, id string, manage bool) (target, error) {
	col, ok := s.findCollection(id)
	if !ok || manage && !c.rights(col).Manage || !manage && !c.rights(col).Read {
		return target{}, apiForbidden()
	}
	return target{collection: col, manage: manage}, nil
}

// of returns the place of documents., or of collections.
func (s *store) targetOf(r *request, id string, manage bool) (target, error) {
	if strings.HasPrefix(r.Method, "collections.") {
		return s.collectionTarget(r.caller, id, manage)
	}
	return s.documentTarget(r.caller, id, manage)
}

// memberships returns those of the target, without what a document inherits.
func (t target) memberships() []Membership {
	if t.document != nil {
		return t.document.Memberships
	}
	return t.collection.Memberships
}

// setMemberships stores the memberships of a target. Neither revision nor times change.
func (s *store) setMemberships(t target, list []Membership) {
	if t.document != nil {
		next := t.document.Document
		next.Memberships = list
		s.put(next, t.document.body.content)
		return
	}
	next := *t.collection
	next.Memberships = list
	s.collections[next.ID] = &next
}

// A grant is a membership as an answer shows it.
type grant struct {
	ID           string  `json:"id"`
	UserID       string  `json:"userId,omitzero"`
	GroupID      string  `json:"groupId,omitzero"`
	DocumentID   *string `json:"documentId"`
	CollectionID *string `json:"collectionId"`
	Permission   string  `json:"permission"`
	CreatedByID  string  `json:"createdById,omitzero"` // of a user
	SourceID     *string `json:"sourceId"`
}

// A userGrant has the place among what is shared with the user, too.
type userGrant struct {
	grant
	Index *string `json:"index"`
}

func (s *store) presentGrant(t target, m Membership, source string) apiJSON {
	g := grant{ID: m.ID, UserID: m.UserID, GroupID: m.GroupID, Permission: m.Permission}
	if source != "" {
		g.SourceID = &source
	}
	author := ""
	if t.document != nil {
		g.DocumentID, author = &t.document.ID, t.document.CreatedBy
	} else {
		g.CollectionID = &t.collection.ID
		for _, one := range t.collection.Memberships {
			if one.Permission == Manage && author == "" {
				author = one.UserID
			}
		}
	}
	if m.GroupID != "" {
		return encodeJSON(g)
	}
	g.CreatedByID = m.CreatedBy
	if g.CreatedByID == "" {
		g.CreatedByID = author
	}
	shown := userGrant{grant: g}
	if t.document != nil && source == "" {
		shown.Index = new("P")
	}
	return encodeJSON(shown)
}

// listGrants implements memberships and group_memberships, newest first. A document has
// those of the documents above it, too. That a group is found by its name as a user is, is
// not recorded.
func (s *store) listGrants(r *request, in struct {
	ID         string `in:"id,slug"`
	Query      string `in:"query"`
	Permission string `in:"permission,one=read|read_write|admin"`
}) (apiAnswer, error) {
	t, err := s.targetOf(r, in.ID, false)
	if err != nil {
		return apiAnswer{}, err
	}
	groups := strings.HasSuffix(r.Method, "group_memberships")
	type found struct {
		Membership
		source string
	}
	var all []found
	add := func(list []Membership, inherited bool) {
		for _, m := range slices.Backward(list) {
			name := ""
			if u, ok := s.user(m.UserID); ok {
				name = u.Name
			}
			if g := s.group(m.GroupID); g != nil {
				name = g.Name
			}
			same := func(f found) bool { return f.UserID == m.UserID && f.GroupID == m.GroupID }
			if groups != (m.GroupID != "") || in.Permission != "" && in.Permission != m.Permission || !strings.Contains(strings.ToLower(name), strings.ToLower(in.Query)) || slices.ContainsFunc(all, same) {
				continue
			}
			f := found{Membership: m}
			if inherited {
				f.ID, f.source = derivedUUID(m.ID, t.document.ID), m.ID
			}
			all = append(all, f)
		}
	}
	add(t.memberships(), false)
	if t.document != nil {
		for above := s.documents[t.document.ParentID]; above != nil; above = s.documents[above.ParentID] {
			add(above.Memberships, true)
		}
	}
	var memberships, who []apiJSON
	for _, f := range apiSlice(all, r.Page) {
		memberships = append(memberships, s.presentGrant(t, f.Membership, f.source))
		if groups {
			who = append(who, encodeJSON(presentGroup(*s.group(f.GroupID))))
		} else if u, ok := s.user(f.UserID); ok {
			who = append(who, encodeJSON(presentUser(u, brief)))
		}
	}
	names := [2]string{"memberships", "users"}
	if groups {
		names = [2]string{"groupMemberships", "groups"}
	}
	return apiAnswer{Data: jsonObject(map[string]apiJSON{names[0]: jsonArray(memberships...), names[1]: jsonArray(who...)}), Page: r.Counted(len(all))}, nil
}

// setUser implements add_user and remove_user.
func (s *store) setUser(r *request, in struct {
	ID         string `in:"id,slug"`
	UserID     string `in:"userId,required,uuid"`
	Permission string `in:"permission,one=read|read_write|admin"`
}) (apiAnswer, error) {
	adds, inDocument := strings.HasSuffix(r.Method, "add_user"), strings.HasPrefix(r.Method, "documents.")
	user, known := s.user(in.UserID)
	if inDocument && adds && in.UserID == r.caller.ID {
		return apiAnswer{}, apiInvalid("You cannot invite yourself")
	}
	if inDocument && !known {
		return apiAnswer{}, apiNotFound()
	}
	leaves := inDocument && !adds && in.UserID == r.caller.ID // whoever was invited may leave
	t, err := s.targetOf(r, in.ID, !leaves)
	if leaves && err != nil {
		d, ok := s.findDocument(in.ID)
		t, err = target{document: d}, nil
		if !ok {
			err = apiForbidden()
		}
	}
	if err != nil || !known {
		return apiAnswer{}, apiForbidden()
	}
	m := Membership{UserID: in.UserID, Permission: in.Permission}
	if m.Permission == "" {
		if m.Permission = ReadWrite; user.Role == Viewer {
			m.Permission = Read
		}
	}
	m, err = s.setMembership(r, t, m, adds)
	if err != nil || !adds {
		return apiDone, err
	}
	return apiAnswer{Data: jsonObject(map[string]apiJSON{
		"users": jsonArray(encodeJSON(presentUser(user, brief))), "memberships": jsonArray(s.presentGrant(t, m, "")),
	})}, nil
}

// setGroup implements add_group and remove_group.
func (s *store) setGroup(r *request, in struct {
	ID         string `in:"id,slug"`
	GroupID    string `in:"groupId,required,uuid"`
	Permission string `in:"permission,one=read|read_write|admin"`
}) (apiAnswer, error) {
	t, err := s.targetOf(r, in.ID, true)
	if err == nil && s.group(in.GroupID) == nil {
		err = apiForbidden()
	}
	if err != nil {
		return apiAnswer{}, err
	}
	adds := strings.HasSuffix(r.Method, "add_group")
	m := Membership{GroupID: in.GroupID, Permission: in.Permission}
	if m.Permission == "" {
		m.Permission = ReadWrite
	}
	m, err = s.setMembership(r, t, m, adds)
	if err != nil || !adds {
		return apiDone, err
	}
	return apiAnswer{Data: jsonObject(map[string]apiJSON{"groupMemberships": jsonArray(s.presentGrant(t, m, ""))})}, nil
}

// setMembership adds a membership to a target, changes the one of the same user or group,
// or removes it. As recorded, a collection keeps a user who manages it.
func (s *store) setMembership(r *request, t target, m Membership, adds bool) (Membership, error) {
	list := slices.Clone(t.memberships())
	at := slices.IndexFunc(list, func(one Membership) bool { return one.UserID == m.UserID && one.GroupID == m.GroupID })
	switch {
	case adds && at >= 0:
		m.ID, m.CreatedBy = list[at].ID, list[at].CreatedBy
		list[at] = m
	case adds:
		m.ID, m.CreatedBy = s.uuid(), r.caller.ID
		list = append(list, m)
	case at < 0 && t.document != nil:
		return m, apiNotFound()
	case at < 0 && m.GroupID != "":
		return m, apiInvalidRequest("This Group is not a part of the collection")
	case at < 0:
		return m, apiInvalidRequest("User is not a collection member")
	default:
		list = slices.Delete(list, at, at+1)
	}
	manages := func(one Membership) bool { return one.Permission == Manage }
	if t.collection != nil && slices.ContainsFunc(t.collection.Memberships, manages) && !slices.ContainsFunc(list, manages) {
		return m, apiInvalid("At least one user or group must have manage permissions")
	}
	s.setMemberships(t, list)
	return m, nil
}

// group returns the group with an ID, or nil.
func (s *store) group(id string) *Group {
	at := slices.IndexFunc(s.groups, func(g Group) bool { return g.ID == id })
	if at < 0 {
		return nil
	}
	return &s.groups[at]
}

// groupsList implements groups.list.
func (s *store) groupsList(r *request, in struct {
	Query string `in:"query"`
}) (apiAnswer, error) {
	if r.caller.Role == Guest {
		return apiAnswer{}, apiForbidden()
	}
	list := slices.DeleteFunc(slices.Clone(s.groups), func(g Group) bool {
		return !strings.Contains(strings.ToLower(g.Name), strings.ToLower(in.Query))
	})
	type member struct {
		presentedMember
		User presentedUser `json:"user"`
	}
	groups, members := []presentedGroup{}, []member{}
	for _, g := range apiSlice(list, r.Page) {
		groups = append(groups, presentGroup(g))
		for _, id := range g.UserIDs {
			if u, ok := s.user(id); ok {
				members = append(members, member{presentedMember{ID: id + "-" + g.ID, UserID: id, GroupID: g.ID, Permission: "member"}, presentUser(u, brief)})
			}
		}
	}
	return apiAnswer{Data: jsonObject(map[string]apiJSON{"groups": encodeJSON(groups), "groupMemberships": encodeJSON(members)}), Page: r.Counted(len(list))}, nil
}
