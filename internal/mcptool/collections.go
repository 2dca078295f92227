package mcptool

import (
	"context"
	"errors"
	"path"

	"outline-mcp/internal/auth"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// Collections knows the names of the collections that each caller can see, which cost
// one request a minute, what documents nest in them, which costs one for each, and where
// documents are public, which costs one for each document.
type Collections struct {
	client *outline.Client
	cache  auth.PerCaller[CollectionNames]
	trees  auth.PerCaller[Ancestors]
	links  auth.PerCaller[string]
}

// CollectionNames are collections by UUID.
type CollectionNames map[string]CollectionName

// CollectionName is what readers know a collection by.
type CollectionName struct {
	Name, URLID string
	Slug        string // the end of its URL, such as handbook-MrSBIwKq5R
	Unique      bool   // no other collection that the caller can see has this name
}

// mostCollections is how many collections are known, the first ones of each caller.
const mostCollections = 100

// NewCollections returns the collections that callers see through a client.
func NewCollections(client *outline.Client) *Collections { return &Collections{client: client} }

// Begin starts to ask for the collections of the caller, so that another request
// can be made side by side, and returns a function that waits for them. Names are a
// convenience: without the scope for them, or an answer in time, there are none.
func (c *Collections) Begin(ctx context.Context) (wait func() CollectionNames) {
	return c.cache.Begin(outline.WithCallOptions(ctx, outline.NoRetries(), outline.InPassing()), func(ctx context.Context) (CollectionNames, bool) {
		page, err := c.client.Collections(ctx, outline.ListParams{Limit: mostCollections})
		names := CollectionNames{}
		for _, collection := range page.Items {
			names[collection.ID] = CollectionName{Name: output.Excerpt(collection.Name, 300), URLID: collection.URLID, Slug: path.Base(collection.URL)}
		}
		called := map[string]int{} // how many collections, by name
		for _, name := range names {
			called[name.Name]++
		}
		for id, name := range names {
			name.Unique = called[name.Name] == 1
			names[id] = name
		}
		return names, err == nil || errors.Is(err, outline.ErrForbidden)
	})
}

// Forget drops the names that the caller was told, because it has changed one.
func (c *Collections) Forget(ctx context.Context) { c.cache.Forget(ctx) }

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
