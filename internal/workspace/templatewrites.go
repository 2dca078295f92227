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

// templatesUpdate implements templates.update.
func (s *store) templatesUpdate(r *request) (api.Answer, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return api.Answer{}, r.Fields.Err
	}
	t, err := s.templateFor(r.caller, id, true, false)
	if err != nil {
		return api.Answer{}, err
	}
	next := *t
	next.UpdatedAt, next.UpdatedBy = s.now(), r.caller.ID
	switch publish, given := r.Fields.Values["publish"].(bool); {
	case given && publish && t.PublishedAt.IsZero():
		next.PublishedAt = next.UpdatedAt
	case given && !publish:
		next.PublishedAt, next.UpdatedAt = t.PublishedAt, t.UpdatedAt // as recorded, nothing happens
	}
	s.readTemplate(&r.Fields, &next)
	switch {
	case r.Fields.Err != nil:
		return api.Answer{}, r.Fields.Err
	case !s.mayManageTemplates(r.caller, next.CollectionID):
		return api.Answer{}, api.Forbidden()
	}
	s.templates[t.ID] = &next
	return s.templateAnswer(r.caller, &next), nil
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

// templatesDelete implements templates.delete.
func (s *store) templatesDelete(r *request) (api.Answer, error) {
	_, err := s.changeTemplate(r, func(t *Template) error {
		if !t.DeletedAt.IsZero() {
			return api.NotFound()
		}
		t.DeletedAt = s.now()
		return nil
	})
	return api.Done, err
}

// templatesRestore implements templates.restore.
func (s *store) templatesRestore(r *request) (api.Answer, error) {
	t, err := s.changeTemplate(r, func(t *Template) error {
		if t.DeletedAt.IsZero() {
			return api.Forbidden()
		}
		t.DeletedAt, t.UpdatedAt = time.Time{}, s.now()
		return nil
	})
	if err != nil {
		return api.Answer{}, err
	}
	return s.templateAnswer(r.caller, t), nil
}

func (s *store) changeTemplate(r *request, change func(*Template) error) (*Template, error) {
	id := r.Fields.ID()
	if r.Fields.Err != nil {
		return nil, r.Fields.Err
	}
	t, err := s.templateFor(r.caller, id, true, true)
	if err != nil {
		return nil, err
	}
	next := *t
	if err := change(&next); err != nil {
		return nil, err
	}
	s.templates[t.ID] = &next
	return &next, nil
}

// documentsTemplatize implements documents.templatize.
func (s *store) documentsTemplatize(r *request) (api.Answer, error) {
	f := &r.Fields
	id, collectionID := f.ID(), f.OptionalUUID("collectionId")
	publish, ok := f.Values["publish"].(bool)
	if !ok && !f.Has("publish") {
		f.Fail("publish", "Invalid input: expected boolean, received undefined")
	} else if !ok {
		f.Fail("publish", "Invalid input: expected boolean, received %s", api.TypeName(f.Values["publish"]))
	}
	if f.Err != nil {
		return api.Answer{}, f.Err
	}
	d, ok := s.findDocument(id)
	if !ok || !s.rightsOn(d, r.caller).Write.Allowed || !s.mayManageTemplates(r.caller, collectionID) {
		return api.Answer{}, api.Forbidden()
	}
	now := s.now()
	t := Template{
		ID: s.uuid(), URLID: s.urlID(), Title: d.Title, Tree: d.shown().tree().WithoutMarks(prosemirror.Comment), Icon: d.Icon, Color: d.Color,
		FullWidth: d.FullWidth, CollectionID: collectionID, CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, CreatedAt: now, UpdatedAt: now,
	}
	if publish {
		t.PublishedAt = now
	}
	s.addTemplate(&t)
	return s.templateAnswer(r.caller, &t), nil
}
