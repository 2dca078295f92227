package fakeoutline

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// A Template is a template for documents. It is a draft until PublishedAt is set.
type Template struct {
	ID           string
	URLID        string // ten letters or digits, the end of its path
	Title        string
	Tree         *prosemirror.Node
	Icon         string
	Color        string
	FullWidth    bool
	CollectionID string // "" for all of the workspace
	CreatedBy    string // the ID of a user
	UpdatedBy    string // the ID of a user
	CreatedAt    time.Time
	UpdatedAt    time.Time
	PublishedAt  time.Time
	DeletedAt    time.Time
}

func (s *store) addTemplate(t *Template) {
	s.templates[t.ID] = t
	s.templateIDs = append(s.templateIDs, t.ID)
	s.byURLID[t.URLID] = t.ID
}

// templateFor returns a template that the caller may read and, if change is set,
// change. What the caller may not see is forbidden.
func (s *store) templateFor(c *caller, id string, change, deleted bool) (*Template, error) {
	t, ok := s.templates[s.resolve(id)]
	switch {
	case !ok || !deleted && !t.DeletedAt.IsZero():
		return nil, apiNotFound()
	case !s.mayReadTemplate(c, t), change && !s.mayManageTemplates(c, t.CollectionID):
		return nil, apiForbidden()
	}
	return t, nil
}

// mayReadTemplate reports whether the caller sees a template: their own drafts, all
// published ones of the workspace, and those of collections that they may read.
func (s *store) mayReadTemplate(c *caller, t *Template) bool {
	switch {
	case t.PublishedAt.IsZero():
		return t.CreatedBy == c.ID
	case t.CollectionID == "":
		return true
	}
	col, ok := s.findCollection(t.CollectionID)
	return ok && c.rights(col).Read
}

// mayManageTemplates reports whether the caller may create and change the templates
// of a collection or, for "", of the workspace.
func (s *store) mayManageTemplates(c *caller, collectionID string) bool {
	if collectionID == "" {
		return c.Role == Admin
	}
	col, ok := s.findCollection(collectionID)
	return ok && (c.rights(col).Manage || col.MembersManageTemplates && c.Role.atLeast(Member) && c.rights(col).Write)
}

// templatesInfo implements templates.info.
func (s *store) templatesInfo(r *request, in slugInput) (apiAnswer, error) {
	t, err := s.templateFor(r.caller, in.ID, false, false)
	if err != nil {
		return apiAnswer{}, err
	}
	return apiAnswer{Data: s.presentTemplate(t)}, nil
}

// templatesList implements templates.list, newest change first.
func (s *store) templatesList(r *request, in struct {
	CollectionID string `in:"collectionId,null,uuid"`
	Query        string `in:"query"`
	orderInput
}) (apiAnswer, error) {
	collectionID, query, sort := in.CollectionID, strings.ToLower(in.Query), valueOr(in.Sort, "")
	if !slices.Contains([]string{"", "createdAt", "updatedAt", "publishedAt", "title"}, sort) {
		return apiAnswer{}, apiInvalidField("sort")
	}
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return apiAnswer{}, err
	}
	var list []*Template
	for _, id := range s.templateIDs {
		t := s.templates[id]
		if t.DeletedAt.IsZero() && s.mayReadTemplate(r.caller, t) && (collectionID == "" || t.CollectionID == collectionID) &&
			strings.Contains(strings.ToLower(t.Title), query) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *Template) int {
		switch sort {
		case "title":
			return strings.Compare(a.Title, b.Title)
		case "createdAt":
			return a.CreatedAt.Compare(b.CreatedAt)
		case "publishedAt":
			return a.PublishedAt.Compare(b.PublishedAt)
		}
		return a.UpdatedAt.Compare(b.UpdatedAt)
	})
	if !in.ascending() {
		slices.Reverse(list)
	}
	return countedAnswer(r, list, s.presentTemplate)
}

func (s *store) presentTemplate(t *Template) apiJSON {
	data := json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[]}]}`)
	if t.Tree != nil {
		data = t.Tree.AppendJSON(nil)
	}
	return encodeJSON(struct {
		ID           string          `json:"id"`
		URL          string          `json:"url"`
		URLID        string          `json:"urlId"`
		Title        string          `json:"title"`
		Data         json.RawMessage `json:"data"`
		Icon         *string         `json:"icon"`
		Color        *string         `json:"color"`
		CreatedAt    apiTimestamp    `json:"createdAt"`
		CreatedBy    presentedUser   `json:"createdBy"`
		UpdatedAt    apiTimestamp    `json:"updatedAt"`
		UpdatedBy    presentedUser   `json:"updatedBy"`
		DeletedAt    *apiTimestamp   `json:"deletedAt"`
		PublishedAt  *apiTimestamp   `json:"publishedAt"`
		FullWidth    bool            `json:"fullWidth"`
		CollectionID *string         `json:"collectionId"`
	}{
		t.ID, "/settings/templates/" + templateSlug(t.Title) + "-" + t.URLID, t.URLID, t.Title, data, stringOrNull(t.Icon), stringOrNull(t.Color),
		apiTimestamp(t.CreatedAt), s.presentAuthor(t.CreatedBy), apiTimestamp(t.UpdatedAt), s.presentAuthor(t.UpdatedBy),
		timeOrNull(t.DeletedAt), timeOrNull(t.PublishedAt), t.FullWidth, stringOrNull(t.CollectionID),
	})
}

// templateSlug returns the slug of a template's title, which keeps the case of letters.
func templateSlug(title string) string {
	return strings.Join(strings.FieldsFunc(title, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}), "-")
}

// filled returns the title and the tree of a new document from a template. As
// recorded, Outline replaces the variables of both.
func (s *store) filled(t *Template, c *caller) (string, *prosemirror.Node) {
	now := s.now().UTC()
	replace := strings.NewReplacer(
		"{date}", now.Format("January 2, 2006"), "{time}", now.Format("3:04 PM"),
		"{datetime}", now.Format("January 2, 2006 at 3:04 PM"), "{author}", c.Name).Replace
	var fill func(n *prosemirror.Node) *prosemirror.Node
	fill = func(n *prosemirror.Node) *prosemirror.Node {
		next := *n
		next.Text = replace(n.Text)
		next.Content = nil
		for _, child := range n.Content {
			next.Content = append(next.Content, fill(child))
		}
		return &next
	}
	tree := t.Tree
	if tree == nil {
		tree = prosemirror.Parse("")
	}
	return replace(t.Title), fill(tree)
}

// templatesCreate implements templates.create.
func (s *store) templatesCreate(r *request, in struct {
	ID           string `in:"id,uuid"`
	Publish      any    `in:"publish"`
	Title        string `in:"title"`
	Icon         string `in:"icon,icon"`
	Color        string `in:"color,color"`
	FullWidth    bool   `in:"fullWidth"`
	CollectionID string `in:"collectionId,null,uuid"`
	Data         any    `in:"data"`
}) (apiAnswer, error) {
	now := s.now()
	t := Template{
		ID: in.ID, Title: in.Title, Icon: in.Icon, Color: in.Color, FullWidth: in.FullWidth, CollectionID: in.CollectionID,
		CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, CreatedAt: now, UpdatedAt: now, PublishedAt: now,
	}
	if in.Publish == false && s.features.august2026 {
		t.PublishedAt = time.Time{}
	}
	if r.Fields.Has("data") {
		tree, err := prosemirror.Decode(encodeJSON(in.Data)[0])
		if err != nil || tree.Type != prosemirror.Doc || len(tree.Content) == 0 || !isKnown(tree) {
			return apiAnswer{}, apiInvalidField("data")
		}
		t.Tree = tree
	}
	switch length := utf8.RuneCountInString(t.Title); {
	case length > maxTemplateTitle:
		return apiAnswer{}, apiInvalidField("title")
	case length > maxTitle:
		return apiAnswer{}, apiInvalid("Template title must be %d characters or less (title)", maxTitle)
	case t.Tree == nil && !t.PublishedAt.IsZero():
		return apiAnswer{}, apiInvalid("A published template must have content")
	case !s.mayManageTemplates(r.caller, t.CollectionID):
		return apiAnswer{}, apiForbidden()
	case t.ID != "" && s.taken(t.ID):
		return apiAnswer{}, apiInvalid("id must be unique (id)")
	}
	if t.ID == "" {
		t.ID = s.uuid()
	}
	t.URLID = s.urlID()
	s.addTemplate(&t)
	return apiAnswer{Data: s.presentTemplate(&t)}, nil
}

// maxTemplateTitle is the maximum length of the title that the request may have.
// The template itself may have no longer one than a document.
const maxTemplateTitle = 255

// isKnown reports whether a tree has only blocks that Outline knows at its top.
func isKnown(tree *prosemirror.Node) bool {
	return !slices.ContainsFunc(tree.Content, func(n *prosemirror.Node) bool { return !prosemirror.IsBlock(n.Type) })
}
