package fakeoutline

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// collectionsInfo implements collections.info.
func (s *store) collectionsInfo(r *request, in slugInput) (apiAnswer, error) {
	col, ok := s.findCollection(in.ID)
	switch {
	case !ok:
		return apiAnswer{}, apiNotFound()
	case !r.caller.rights(col).See:
		return apiAnswer{}, apiForbidden()
	}
	return apiAnswer{
		Data: s.presentCollection(r, col, true),
	}, nil
}

// collectionsList implements collections.list, which lists the collections
// whose documents the caller may read in the order of the sidebar.
func (s *store) collectionsList(r *request, in struct {
	Query  string   `in:"query"`
	Status []string `in:"statusFilter,one=archived"`
}) (apiAnswer, error) {
	query, archived := strings.ToLower(in.Query), len(in.Status) > 0
	var list []*Collection
	for _, id := range s.collectionIDs {
		col := s.collections[id]
		if col.DeletedAt.IsZero() && col.ArchivedAt.IsZero() != archived &&
			strings.Contains(strings.ToLower(col.Name), query) && r.caller.rights(col).Read && s.remembers(r.caller, id) {
			list = append(list, col)
		}
	}
	return countedAnswer(r, list, func(col *Collection) apiJSON { return s.presentCollection(r, col, false) })
}

// collectionsDocuments implements collections.documents, which returns the
// whole tree.
func (s *store) collectionsDocuments(r *request, in slugInput) (apiAnswer, error) {
	col, ok := s.findCollection(in.ID)
	if !ok || !r.caller.rights(col).Read {
		return apiAnswer{}, apiForbidden()
	}
	return apiAnswer{Data: encodeJSON(append(s.tree(col.ID), s.archivedWith[col.ID].nodes...))}, nil
}

// A node is a document in the tree of a collection.
type node struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	Children []node `json:"children"`
	Icon     string `json:"icon,omitempty"`
	Color    string `json:"color,omitempty"`
}

// tree returns the tree of active documents below a document or collection.
func (s *store) tree(above string) []node {
	nodes := make([]node, 0, len(s.children[above]))
	for _, id := range s.children[above] {
		nodes = append(nodes, s.node(s.documents[id]))
	}
	return nodes
}

func (s *store) node(d *document) node {
	return node{ID: d.ID, URL: d.path, Title: d.Title, Children: s.tree(d.ID), Icon: d.Icon, Color: d.Color}
}

// presentCollection returns a collection as JSON: with its description or, from
// version 3 of the API, with the tree of it. In full, as in collections.info, it
// includes archivedBy even if that is null.
func (s *store) presentCollection(r *request, c *Collection, inFull bool) apiJSON {
	type sort struct {
		Field     string `json:"field"`
		Direction string `json:"direction"`
	}
	type head struct {
		ID          string          `json:"id"`
		URL         string          `json:"url"`
		URLID       string          `json:"urlId"`
		Name        string          `json:"name"`
		Description json.RawMessage `json:"description,omitempty"`
		Data        json.RawMessage `json:"data,omitempty"`
		Sort        sort            `json:"sort"`
		Icon        *string         `json:"icon"`
		Color       *string         `json:"color"`
		CreatedAt   apiTimestamp    `json:"createdAt"`
		UpdatedAt   apiTimestamp    `json:"updatedAt"`
	}
	type tail struct {
		Index              string        `json:"index"`
		Sharing            bool          `json:"sharing"`
		Commenting         *bool         `json:"commenting"`
		TemplateManagement string        `json:"templateManagement,omitempty"`
		Permission         *string       `json:"permission"`
		DeletedAt          *apiTimestamp `json:"deletedAt"`
		ArchivedAt         *apiTimestamp `json:"archivedAt"`
	}
	h := head{
		ID: c.ID, URL: "/collection/" + titleSlug(c.Name) + "-" + c.URLID, URLID: c.URLID,
		Name: c.Name, Sort: sort{"index", "asc"},
		Icon: stringOrNull(c.Icon), Color: stringOrNull(c.Color),
		CreatedAt: apiTimestamp(c.CreatedAt), UpdatedAt: apiTimestamp(c.UpdatedAt),
	}
	if r.version >= treeVersion {
		h.Data = prosemirror.Parse(c.Description).AppendJSON(nil)
	} else {
		h.Description = encodeJSON(stringOrNull(c.Description))[0]
	}
	t := tail{
		Index: sidebarIndex(slices.Index(s.collectionIDs, c.ID)), Sharing: true,
		Permission: stringOrNull(c.Permission), DeletedAt: timeOrNull(c.DeletedAt), ArchivedAt: timeOrNull(c.ArchivedAt),
	}
	t.TemplateManagement = "admin"
	if c.MembersManageTemplates {
		t.TemplateManagement = ReadWrite
	}
	archivedBy, ok := s.user(c.ArchivedBy)
	if !ok && !inFull {
		return encodeJSON(struct {
			head
			tail
		}{h, t})
	}
	var by *presentedUser
	if ok {
		by = new(presentUser(archivedBy, brief))
	}
	return encodeJSON(struct {
		head
		ArchivedBy *presentedUser `json:"archivedBy"`
		tail
	}{h, by, t})
}

// sidebarIndex returns the sort key of the collection at a position in the
// sidebar. It increases with the position.
func sidebarIndex(place int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	return string([]byte{'P', digits[place/len(digits)%len(digits)], digits[place%len(digits)]})
}

// The maximum length of a collection's name, in code points, and description, in
// UTF-16 code units.
const (
	maxCollectionName = 100
	maxDescription    = 100_000
)

// collectionsCreate implements collections.create. The new collection comes
// first in the sidebar and its creator manages it. If it has no permission,
// only the creator sees it.
func (s *store) collectionsCreate(r *request, in collectionInput) (apiAnswer, error) {
	if err := in.check(); err != nil {
		return apiAnswer{}, err
	}
	switch {
	case in.Name == nil:
		return apiAnswer{}, apiInvalidField("name")
	case !r.caller.Role.atLeast(Member):
		return apiAnswer{}, apiForbidden()
	}
	now := s.now()
	col := &Collection{
		ID: s.uuid(), URLID: s.urlID(), CreatedAt: now, UpdatedAt: now,
		Memberships: []Membership{{ID: s.uuid(), UserID: r.caller.ID, Permission: Manage}},
	}
	in.apply(col)
	s.collections[col.ID] = col
	s.collectionIDs = slices.Insert(s.collectionIDs, 0, col.ID)
	s.byURLID[col.URLID] = col.ID
	return s.collectionAnswer(r, col), nil
}

// collectionsUpdate implements collections.update, which changes only the given
// fields.
func (s *store) collectionsUpdate(r *request, in struct {
	slugInput
	collectionInput
}) (apiAnswer, error) {
	if err := in.check(); err != nil {
		return apiAnswer{}, err
	}
	col, err := s.collectionToManage(r.caller, in.ID)
	switch {
	case err != nil:
		return apiAnswer{}, err
	case !col.ArchivedAt.IsZero():
		return apiAnswer{}, apiForbidden()
	}
	next := *col
	in.apply(&next)
	if next.Name == col.Name && next.Description == col.Description && next.Icon == col.Icon &&
		next.Color == col.Color && next.Permission == col.Permission {
		return s.collectionAnswer(r, col), nil
	}
	if next.Permission == "" && col.Permission != "" && !r.caller.rights(&next).Read {
		// A caller who makes a collection private keeps access to it.
		next.Memberships = append(slices.Clone(next.Memberships), Membership{ID: s.uuid(), UserID: r.caller.ID, Permission: Manage})
	}
	next.UpdatedAt = s.now()
	s.collections[col.ID] = &next
	return s.collectionAnswer(r, &next), nil
}

// A collectionInput is what a request says of a collection.
type collectionInput struct {
	Name        *string `in:"name"`
	Description *string `in:"description,null"`
	Icon        *string `in:"icon,icon"`
	Color       *string `in:"color,color"`
	Permission  *string `in:"permission,null,one=read|read_write"`
	Templates   string  `in:"templateManagement,one=admin|read_write"`
}

func (in collectionInput) check() error {
	name := valueOr(in.Name, "")
	switch {
	case utf8.RuneCountInString(name) > maxCollectionName:
		return apiInvalidField("name")
	case strings.Contains(name, "http://") || strings.Contains(name, "https://"):
		return apiInvalidField("name")
	case utf16Length(valueOr(in.Description, "")) > maxDescription:
		return apiInvalidField("description")
	}
	return nil
}

func (in collectionInput) apply(c *Collection) {
	setIfGiven(&c.Name, in.Name)
	setIfGiven(&c.Description, in.Description)
	c.Description = strings.TrimRight(c.Description, "\n")
	setIfGiven(&c.Icon, in.Icon)
	setIfGiven(&c.Color, in.Color)
	setIfGiven(&c.Permission, in.Permission)
	if in.Templates != "" {
		c.MembersManageTemplates = in.Templates == ReadWrite
	}
}

// collectionToManage returns a collection that the caller may manage. An
// unknown collection is forbidden.
func (s *store) collectionToManage(c *caller, id string) (*Collection, error) {
	col, ok := s.findCollection(id)
	if !ok || !c.rights(col).Manage {
		return nil, apiForbidden()
	}
	return col, nil
}

// collectionAnswer returns the answer with one collection.
func (s *store) collectionAnswer(r *request, col *Collection) apiAnswer {
	return apiAnswer{Data: s.presentCollection(r, col, false)}
}
