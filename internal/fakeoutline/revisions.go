package fakeoutline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"outline-mcp/internal/fakeoutline/api"
)

// revisionsList implements revisions.list, newest first. It includes deleted
// revisions.
func (s *store) revisionsList(r *request, in struct {
	DocumentID string `in:"documentId,required,uuid"`
	orderInput
}) (api.Answer, error) {
	compare, err := revisionOrder(in.orderInput)
	if err != nil {
		return api.Answer{}, err
	}
	d, ok := s.documents[in.DocumentID]
	if !ok || !s.listsRevisions(d, r.caller) {
		return api.Answer{}, api.Forbidden()
	}
	list := slices.Clone(s.history.of[d.ID])
	slices.SortStableFunc(list, compare)
	return api.Answer{Data: api.List(api.Slice(list, r.Page), func(revision *revision) api.JSON { return s.presentRevision(revision, !s.features.august2026) }), Page: r.Uncounted()}, nil
}

// listsRevisions reports whether the caller may see the revisions of a
// document.
func (s *store) listsRevisions(d *document, c *caller) bool {
	return c.mayListRevisions(s.rightsOn(d, c), d.state())
}

// revisionOrder reads the sort and direction of a list of revisions. Every
// column is accepted. In those that the workspace does not keep, all revisions
// are equal, which leaves the order of creation, as recorded of "version".
func revisionOrder(in orderInput) (func(a, b *revision) int, error) {
	by := func(a, b *revision) int { return a.CreatedAt.Compare(b.CreatedAt) }
	if in.Sort != nil {
		switch *in.Sort {
		case "createdAt", "updatedAt":
		case "title":
			by = func(a, b *revision) int { return cmp.Compare(a.Title, b.Title) }
		case "name":
			by = func(a, b *revision) int { return cmp.Compare(a.Name, b.Name) }
		case "version", "editorVersion", "id", "documentId", "userId", "icon", "color", "text", "content", "deletedAt", "collaboratorIds":
			return func(*revision, *revision) int { return 0 }, nil
		default:
			return nil, api.InvalidField("sort", "Invalid sort parameter")
		}
	}
	return directed(by, in.ascending()), nil
}

// revisionsInfo implements revisions.info for a revision or for the present
// state of a document, which gets an ID that no other request knows.
func (s *store) revisionsInfo(r *request, in struct {
	ID         string `in:"id,uuid"`
	DocumentID string `in:"documentId,uuid"`
}) (api.Answer, error) {
	id, documentID := in.ID, in.DocumentID
	switch {
	case id == "" && documentID == "":
		return api.Answer{}, api.Invalid("body: id or documentId is required")
	case id != "":
		revision, err := s.revision(r.caller, id)
		if err != nil {
			return api.Answer{}, err
		}
		return s.revisionAnswer(r, revision), nil
	}
	d, ok := s.documents[documentID]
	if !ok || !s.listsRevisions(d, r.caller) {
		return api.Answer{}, api.Forbidden()
	}
	present := Revision{
		ID: api.DerivedUUID(d.ID, "present"), DocumentID: d.ID, Title: d.Title, Icon: d.Icon, Color: d.Color,
		CreatedBy: d.UpdatedBy, CreatedAt: d.UpdatedAt,
	}
	return s.revisionAnswer(r, &revision{present, d.body.content}), nil
}

// revision returns a revision that the caller may see.
func (s *store) revision(c *caller, id string) (*revision, error) {
	revision, ok := s.history.byID[id]
	switch {
	case !ok || !revision.DeletedAt.IsZero():
		return nil, api.NotFound()
	case !s.listsRevisions(s.documents[revision.DocumentID], c):
		return nil, api.Forbidden()
	}
	return revision, nil
}

// revisionAnswer returns the answer with one revision.
func (s *store) revisionAnswer(r *request, revision *revision) api.Answer {
	return api.Answer{Data: s.presentRevision(revision, true)}
}

// presentedRevision is the JSON of a revision.
type presentedRevision struct {
	ID            string          `json:"id"`
	DocumentID    string          `json:"documentId"`
	Title         string          `json:"title"`
	Data          json.RawMessage `json:"data,omitempty"`
	Text          string          `json:"text,omitempty"`
	Icon          string          `json:"icon,omitempty"`
	Color         *string         `json:"color"`
	Collaborators []presentedUser `json:"collaborators"`
	CreatedAt     api.Timestamp   `json:"createdAt"`
	CreatedBy     presentedUser   `json:"createdBy"`
	CreatedByID   string          `json:"createdById"`
	*storedRevision
}

// storedRevision are the members of a revision that the present state of a
// document does not have.
type storedRevision struct {
	Name           *string        `json:"name"`
	SourceMetadata *presentedAuth `json:"sourceMetadata,omitempty"`
	DeletedAt      *api.Timestamp `json:"deletedAt"`
}

type presentedAuth struct {
	AuthType string `json:"authType"`
}

// presentRevision returns a revision as JSON, in full with its tree and its
// text, which has the title on top.
func (s *store) presentRevision(r *revision, inFull bool) api.JSON {
	author := s.presentAuthor(r.CreatedBy)
	collaborators := []presentedUser{author}
	for _, id := range r.With {
		collaborators = append(collaborators, s.presentAuthor(id))
	}
	p := presentedRevision{
		ID: r.ID, DocumentID: r.DocumentID, Title: r.Title, Icon: r.Icon, Color: api.StringOrNull(r.Color),
		Collaborators: collaborators, CreatedAt: api.Timestamp(r.CreatedAt), CreatedBy: author, CreatedByID: r.CreatedBy,
	}
	if inFull {
		p.Data = r.content.treeJSON()
		p.Text = strings.TrimSuffix("# "+r.Title+"\n\n"+r.content.markdown().Text, "\n\n")
	}
	if s.history.byID[r.ID] != nil {
		p.storedRevision = &storedRevision{Name: api.StringOrNull(r.Name), DeletedAt: api.TimeOrNull(r.DeletedAt)}
		if r.AuthType != "" && s.features.august2026 {
			p.SourceMetadata = &presentedAuth{r.AuthType}
		}
	}
	return api.Encode(p)
}
