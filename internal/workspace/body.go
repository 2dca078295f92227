package workspace

import (
	"outline-mcp/internal/workspace/search"
	"outline-mcp/internal/workspace/text"
	"sync"
)

// A body is the title and text of one version of a document with what is
// derived from them, each when it is first needed.
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
