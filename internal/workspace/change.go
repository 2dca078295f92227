package workspace

import (
	"outline-mcp/internal/workspace/api"
	"slices"
)

// documentToChange finds a document for an endpoint that changes it, and
// reports as an error that the caller may not: an unknown one is treated as
// one that is forbidden.
func (s *store) documentToChange(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	if !ok || !s.rightsOn(d, c).Write.Allowed {
		return nil, api.Forbidden()
	}
	return d, nil
}

// change stores a new version of a document, in the caller's name.
func (s *store) change(c *caller, d *document, by func(*Document)) *document {
	next := d.Document
	by(&next)
	next.Revision++
	next.UpdatedAt, next.UpdatedBy = s.now(), c.ID
	if !slices.Contains(next.Collaborators, c.ID) {
		next.Collaborators = append(slices.Clone(next.Collaborators), c.ID)
	}
	s.unsettled.remove(d.ID)
	return s.put(next)
}

// documentAnswer is the answer that shows one document.
func (s *store) documentAnswer(c *caller, d *document) api.Answer {
	return api.Answer{Data: s.presentDocument(d), Policies: api.Array(s.documentPolicy(c, d))}
}
