package workspace

import (
	"encoding/json"
	"outline-mcp/internal/workspace/access"
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/ident"
	"outline-mcp/outline/prosemirror"
	"slices"
	"strings"
)

// collectionsInfo implements collections.info.
func (s *store) collectionsInfo(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	col, ok := s.findCollection(id)
	switch {
	case !ok:
		return api.Answer{}, api.NotFound()
	case !r.caller.rights(col).See:
		return api.Answer{}, api.Forbidden()
	}
	return api.Answer{
		Data: s.presentCollection(r, col, true),
	}, nil
}

// collectionsList implements collections.list, which lists the collections
// whose documents the caller may read in the order of the sidebar.
func (s *store) collectionsList(r *request) (api.Answer, error) {
	query := strings.ToLower(r.Fields.String("query"))
	archived := slices.Contains(r.Fields.SomeOf("statusFilter", "archived"), "archived")
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	var list []*Collection
	for _, id := range s.collectionIDs {
		col := s.collections[id]
		if col.DeletedAt.IsZero() && col.ArchivedAt.IsZero() != archived &&
			strings.Contains(strings.ToLower(col.Name), query) && r.caller.rights(col).Read && s.remembers(r.caller, id) {
			list = append(list, col)
		}
	}
	var data []api.JSON
	for _, col := range api.Slice(list, r.Page) {
		data = append(data, s.presentCollection(r, col, false))
	}
	return api.Answer{Data: api.Array(data...), Page: r.Counted(len(list))}, nil
}

// collectionsDocuments implements collections.documents, which returns the
// whole tree.
func (s *store) collectionsDocuments(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	col, ok := s.findCollection(id)
	if !ok || !r.caller.rights(col).Read {
		return api.Answer{}, api.Forbidden()
	}
	return api.Answer{Data: api.Encode(append(s.tree(col.ID), s.archivedWith[col.ID].nodes...))}, nil
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
func (s *store) presentCollection(r *request, c *Collection, inFull bool) api.JSON {
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
		CreatedAt   api.Timestamp   `json:"createdAt"`
		UpdatedAt   api.Timestamp   `json:"updatedAt"`
	}
	type tail struct {
		Index              string         `json:"index"`
		Sharing            bool           `json:"sharing"`
		Commenting         *bool          `json:"commenting"`
		TemplateManagement string         `json:"templateManagement,omitempty"`
		Permission         *string        `json:"permission"`
		DeletedAt          *api.Timestamp `json:"deletedAt"`
		ArchivedAt         *api.Timestamp `json:"archivedAt"`
	}
	h := head{
		ID: c.ID, URL: "/collection/" + ident.TitleSlug(c.Name) + "-" + c.URLID, URLID: c.URLID,
		Name: c.Name, Sort: sort{"index", "asc"},
		Icon: api.StringOrNull(c.Icon), Color: api.StringOrNull(c.Color),
		CreatedAt: api.Timestamp(c.CreatedAt), UpdatedAt: api.Timestamp(c.UpdatedAt),
	}
	if r.version >= treeVersion {
		h.Data = prosemirror.Parse(c.Description).AppendJSON(nil)
	} else {
		h.Description = api.Encode(api.StringOrNull(c.Description))[0]
	}
	t := tail{
		Index: sidebarIndex(slices.Index(s.collectionIDs, c.ID)), Sharing: true,
		Permission: api.StringOrNull(c.Permission), DeletedAt: api.TimeOrNull(c.DeletedAt), ArchivedAt: api.TimeOrNull(c.ArchivedAt),
	}
	if s.features.templateRight {
		t.TemplateManagement = "admin"
		if c.MembersManageTemplates {
			t.TemplateManagement = ReadWrite
		}
	}
	archivedBy, ok := s.user(c.ArchivedBy)
	if !ok && !inFull {
		return api.Encode(struct {
			head
			tail
		}{h, t})
	}
	var by *presentedUser
	if ok {
		by = new(presentUser(archivedBy, access.Brief))
	}
	return api.Encode(struct {
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
