package workspace

import (
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/text"
	"outline-mcp/outline/prosemirror"
	"time"
	"unicode/utf8"
)

// The maximum length of a document's title, in code points, and text, in UTF-16
// code units. Both are recorded.
const (
	maxTitle = 100
	maxText  = 1_536_000
)

// documentsCreate implements documents.create. A parent determines the
// collection. A published document comes first among its siblings unless the
// request has an index.
func (s *store) documentsCreate(r *request) (api.Answer, error) {
	f := &r.Fields
	id := f.UUID("id")
	title, body := f.String("title"), f.String("text")
	icon, color := f.Icon(), f.Color()
	collectionID, parentID, templateID := f.OptionalUUID("collectionId"), f.OptionalUUID("parentDocumentId"), f.OptionalUUID("templateId")
	publish, fullWidth := f.Bool("publish"), f.Bool("fullWidth")
	index := f.Index(0)
	switch {
	case f.Err != nil:
		return api.Answer{}, f.Err
	case publish && collectionID == "" && parentID == "":
		return api.Answer{}, api.Invalid("collectionId or parentDocumentId is required to publish")
	}
	collectionID, err := s.collectionForNew(r.caller, collectionID, parentID)
	var template *Template
	if templateID != "" && err == nil {
		// As recorded, a draft of somebody else will do, too.
		if template = s.templates[templateID]; template == nil || !template.DeletedAt.IsZero() || !s.features.templates || r.caller.Role == Guest {
			return api.Answer{}, api.Forbidden()
		}
	}
	switch {
	case err != nil:
		return api.Answer{}, err
	case id != "" && s.taken(id):
		return api.Answer{}, api.Invalid("id must be unique (id)")
	}
	if err := checkContent(title, body); err != nil {
		return api.Answer{}, err
	}

	tree := prosemirror.Parse(text.StoreImages(text.LinkEmbeds(body), s.uuid))
	if template != nil {
		filledTitle, filledTree := s.filled(template, r.caller)
		if title == "" {
			title = filledTitle
		}
		if body == "" {
			tree = filledTree
		}
		if icon == "" {
			icon, color = template.Icon, template.Color
		}
		fullWidth = fullWidth || template.FullWidth
	}
	now := s.now()
	if id == "" {
		id = s.uuid()
	}
	d := Document{
		ID: id, URLID: s.urlID(), Title: title, Icon: icon, Color: color, FullWidth: fullWidth,
		CollectionID: collectionID, ParentID: parentID, TemplateID: templateID,
		CreatedBy: r.caller.ID, UpdatedBy: r.caller.ID, Collaborators: []string{r.caller.ID},
		CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	if publish {
		// Outline publishes in a separate step, after it sets updatedAt.
		d.PublishedAt = now.Add(time.Millisecond)
		d.Revision++
		s.insert(&d, index)
	}
	created := s.put(d, &content{root: tree})
	if publish {
		s.closeRevision(created, byAPI)
	}
	return s.documentAnswer(r, created), nil
}

// collectionForNew returns the collection of a new document with the given
// collection and parent, if the caller may create documents there.
func (s *store) collectionForNew(c *caller, collectionID, parentID string) (string, error) {
	switch {
	case parentID != "":
		parent, ok := s.documents[parentID]
		if !ok || !parent.isActive() || !s.rightsOn(parent, c).Write {
			return "", api.Forbidden()
		}
		return parent.CollectionID, nil
	case collectionID != "":
		if _, err := s.collectionToWrite(c, collectionID); err != nil {
			return "", err
		}
		return collectionID, nil
	case !c.Role.AtLeast(Member):
		return "", api.Forbidden()
	}
	return "", nil
}

// collectionToWrite returns a collection in which the caller may create
// documents.
func (s *store) collectionToWrite(c *caller, id string) (*Collection, error) {
	col, ok := s.findCollection(id)
	if !ok || !col.ArchivedAt.IsZero() || !c.rights(col).Write {
		return nil, api.Forbidden()
	}
	return col, nil
}

// checkContent checks the lengths of a title and a text.
func checkContent(title, text string) error {
	if utf8.RuneCountInString(title) > maxTitle {
		return api.Invalid("Document title must be %d characters or less (title)", maxTitle)
	}
	if len(text) > maxText && utf16Length(text) > maxText {
		return api.Invalid("Document text must be %d characters or less (text)", maxText)
	}
	return nil
}

// utf16Length returns the length of a text in UTF-16 code units.
func utf16Length(text string) int {
	length := 0
	for _, r := range text {
		length++
		if r > 0xFFFF {
			length++
		}
	}
	return length
}
