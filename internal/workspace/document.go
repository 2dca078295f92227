package workspace

import (
	"slices"
	"sync"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/ident"
	"outline-mcp/internal/workspace/search"
)

// A document is one version of a stored document with what is derived from it.
// Its Text and Tree are empty: the content is in the body.
type document struct {
	Document
	path string // below the origin of the instance
	body *body

	// inEditor is the content with the marks of comments that releases keep
	// outside of the stored tree; nil if there are none.
	inEditor *content

	render     sync.Once
	head, tail []byte // the JSON before and after the text
}

// A body is the title and the content of one version of a document, with the
// words that a search finds in them.
type body struct {
	title string
	*content

	index   sync.Once
	indexed *search.Index
}

func (b *body) searchable() *search.Index {
	b.index.Do(func() { b.indexed = search.NewIndex(b.title, b.read().Plain) })
	return b.indexed
}

// shown returns the content whose tree the API shows.
func (d *document) shown() *content {
	if d.inEditor != nil {
		return d.inEditor
	}
	return d.body.content
}

// newDocument returns a version of a document without storing it.
func newDocument(d Document, c *content) *document {
	d.Text, d.Tree = "", nil
	return &document{
		Document: d, path: "/doc/" + ident.TitleSlug(d.Title) + "-" + d.URLID, body: &body{title: d.Title, content: c},
	}
}

// put stores a version of a document in place of the previous one.
func (s *store) put(d Document, content *content) *document {
	stored := newDocument(d, content)
	if old := s.documents[d.ID]; old != nil && old.body.content == content {
		stored.inEditor = old.inEditor
		if old.Title == d.Title {
			stored.body = old.body
		}
	}
	s.documents[d.ID] = stored
	s.byURLID[d.URLID] = d.ID
	return stored
}

// documentToChange returns a document that the caller may change. An unknown
// document is forbidden.
func (s *store) documentToChange(c *caller, id string) (*document, error) {
	d, ok := s.findDocument(id)
	if !ok || !s.rightsOn(d, c).Write {
		return nil, api.Forbidden()
	}
	return d, nil
}

// change stores a new version of a document, changed by a function in the
// caller's name.
func (s *store) change(c *caller, d *document, by func(*Document)) *document {
	next := d.Document
	by(&next)
	return s.revise(c, next, d.body.content)
}

// revise stores a new version of a document in the caller's name.
func (s *store) revise(c *caller, next Document, content *content) *document {
	next.Revision++
	next.UpdatedAt, next.UpdatedBy = s.now(), c.ID
	if !slices.Contains(next.Collaborators, c.ID) {
		next.Collaborators = append(slices.Clone(next.Collaborators), c.ID)
	}
	s.publications.remove(next.ID)
	return s.put(next, content)
}

// documentAnswer returns the answer with one document.
func (s *store) documentAnswer(r *request, d *document) api.Answer {
	return api.Answer{Data: s.presentDocument(r, d)}
}
