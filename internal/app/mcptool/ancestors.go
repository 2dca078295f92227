package mcptool

import (
	"context"
	"errors"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// Ancestors are the documents of a collection that have others below them, by UUID.
type Ancestors map[string]Ancestor

// An Ancestor is a document that has others below it.
type Ancestor struct{ Title, URLID, ParentID string }

// mostAncestors is how many documents with others below them are known of a collection.
const mostAncestors = 2000

// Ancestors starts to ask for the tree of a collection, as Begin does for the
// collections. The tree is kept as long as their names.
func (c *Collections) Ancestors(ctx context.Context, collectionID string) (wait func() Ancestors) {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries(), outline.InPassing())
	return c.trees.BeginAbout(ctx, collectionID, func(ctx context.Context) (Ancestors, bool) {
		nodes, err := c.client.CollectionDocuments(ctx, collectionID)
		all := Ancestors{}
		all.add(nodes, "")
		return all, err == nil || errors.Is(err, outline.ErrForbidden)
	})
}

// PublicLink starts to ask for the public link of a document, and returns a function that
// waits for its address. It is "" if there is none, or if that cannot be found out.
func (c *Collections) PublicLink(ctx context.Context, document outline.DocumentSummary) (wait func() string) {
	ctx = outline.WithCallOptions(ctx, outline.NoRetries(), outline.InPassing())
	return c.links.BeginAbout(ctx, document.ID, func(ctx context.Context) (string, bool) {
		share, err := c.client.Share(ctx, outline.Place{DocumentID: document.ID})
		if !share.Published {
			share.URL = ""
		}
		return share.URL, err == nil || errors.Is(err, outline.ErrForbidden)
	})
}

func (a Ancestors) add(nodes []outline.Node, parentID string) {
	for _, n := range nodes {
		if len(n.Children) > 0 && len(a) < mostAncestors {
			a[n.ID] = Ancestor{output.Label(n.Title), n.URLID(), parentID}
			a.add(n.Children, n.ID)
		}
	}
}
