package workspace

import (
	"slices"
	"time"
	"unicode/utf8"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/outline/prosemirror"
)

// templatesCreate implements templates.create.
func (s *store) templatesCreate(r *request) (api.Answer, error) {
	f := &r.Fields
	now := s.now()
	t := Template{ID: f.UUID("id"), CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, CreatedAt: now, UpdatedAt: now, PublishedAt: now}
	if f.Values["publish"] == false && s.features.august2026 {
		t.PublishedAt = time.Time{}
	}
	s.readTemplate(f, &t)
	switch {
	case f.Err != nil:
		return api.Answer{}, f.Err
	case !s.mayManageTemplates(r.caller, t.CollectionID):
		return api.Answer{}, api.Forbidden()
	case t.ID != "" && s.taken(t.ID):
		return api.Answer{}, api.Invalid("id must be unique (id)")
	}
	if t.ID == "" {
		t.ID = s.uuid()
	}
	t.URLID = s.urlID()
	s.addTemplate(&t)
	return s.templateAnswer(r.caller, &t), nil
}

// maxTemplateTitle is the maximum length of the title that the request may have.
// The template itself may have no longer one than a document.
const maxTemplateTitle = 255

// readTemplate reads the fields of a template.
func (s *store) readTemplate(f *api.Fields, t *Template) {
	if f.Has("title") {
		t.Title = f.String("title")
	}
	if f.Has("icon") {
		t.Icon = f.Icon()
	}
	if f.Has("color") {
		t.Color = f.Color()
	}
	if f.Has("fullWidth") {
		t.FullWidth = f.Bool("fullWidth")
	}
	if f.Has("collectionId") {
		t.CollectionID = f.OptionalUUID("collectionId")
	}
	if f.Has("data") {
		tree, err := prosemirror.Decode(api.Encode(f.Values["data"])[0])
		if err != nil || tree.Type != prosemirror.Doc || len(tree.Content) == 0 || !isKnown(tree) {
			f.Fail("data", "Invalid data")
		}
		t.Tree = tree
	}
	switch length := utf8.RuneCountInString(t.Title); {
	case f.Err != nil:
	case length > maxTemplateTitle:
		f.Fail("title", "Too big: expected string to have <=%d characters", maxTemplateTitle)
	case length > maxTitle:
		f.Err = api.Invalid("Template title must be %d characters or less (title)", maxTitle)
	case t.Tree == nil && !t.PublishedAt.IsZero():
		f.Err = api.Invalid("A published template must have content")
	}
}

// isKnown reports whether a tree has only blocks that Outline knows at its top.
func isKnown(tree *prosemirror.Node) bool {
	return !slices.ContainsFunc(tree.Content, func(n *prosemirror.Node) bool { return !prosemirror.IsBlock(n.Type) })
}
