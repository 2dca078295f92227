package workspace

import (
	"slices"
	"sync"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/ident"
	"outline-mcp/internal/workspace/search"
	"outline-mcp/internal/workspace/text"
)

// A body is the title and text of one version of a document with what is
// derived from them on first use.
type body struct {
	title, text string

	parse  sync.Once
	parsed text.Content

	index   sync.Once
	indexed *search.Index
}

func (b *body) prepared() *text.Content {
	b.parse.Do(func() { b.parsed = text.Parse(b.text) })
	return &b.parsed
}

func (b *body) searchable() *search.Index {
	b.index.Do(func() { b.indexed = search.NewIndex(b.title, b.prepared().Plain) })
	return b.indexed
}

// A document is one version of a stored document with what is derived from it.
type document struct {
	Document
	path string // below the origin of the instance
	body *body

	render sync.Once
	json   api.JSON
}

// put stores a version of a document in place of the previous one.
func (s *store) put(d Document) *document {
	stored := &document{Document: d, path: "/doc/" + ident.TitleSlug(d.Title) + "-" + d.URLID}
	if old := s.documents[d.ID]; old != nil && old.Title == d.Title && old.Text == d.Text {
		stored.body = old.body
	} else {
		stored.body = &body{title: d.Title, text: d.Text}
	}
	s.documents[d.ID] = stored
	s.byURLID[d.URLID] = d.ID
	return stored
}

// documentToChange returns a document that the caller may change. An unknown
// document is forbidden.
func (s *store) documentToChange(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	if !ok || !s.rightsOn(d, c).Write.Allowed {
		return nil, api.Forbidden()
	}
	return d, nil
}

// change stores a new version of a document, changed by a function in the
// caller's name.
func (s *store) change(c *caller, d *document, by func(*Document)) *document {
	next := d.Document
	by(&next)
	next.Revision++
	next.UpdatedAt, next.UpdatedBy = s.now(), c.ID
	if !slices.Contains(next.Collaborators, c.ID) {
		next.Collaborators = append(slices.Clone(next.Collaborators), c.ID)
	}
	s.publications.remove(d.ID)
	return s.put(next)
}

// documentAnswer returns the answer with one document.
func (s *store) documentAnswer(c *caller, d *document) api.Answer {
	return api.Answer{Data: s.presentDocument(d), Policies: api.Array(s.documentPolicy(c, d))}
}
