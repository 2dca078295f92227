package mcptool

import (
	"context"
	"errors"
	"path"

	"outline-mcp/internal/bysubject"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// Collections knows the names of the collections that each caller can see. They
// cost one request a minute.
type Collections struct {
	client *outline.Client
	cache  bysubject.Cache[CollectionNames]
}

// CollectionNames are collections by UUID.
type CollectionNames map[string]CollectionName

// CollectionName is what readers know a collection by. Slug is the end of its URL,
// such as handbook-MrSBIwKq5R.
type CollectionName struct{ Name, URLID, Slug string }

// MostCollections is how many collections are known, the first ones of each caller.
const MostCollections = 100

// NewCollections returns the collections that callers see through a client.
func NewCollections(client *outline.Client) *Collections { return &Collections{client: client} }

// Begin starts to ask for the collections of the caller, so that another request
// can be made side by side, and returns a function that waits for them. Names are a
// convenience: without the scope for them, or an answer in time, there are none.
func (c *Collections) Begin(ctx context.Context) (wait func() CollectionNames) {
	return c.cache.Begin(outline.WithCallOptions(ctx, outline.NoRetries(), outline.InPassing()), func(ctx context.Context) (CollectionNames, bool) {
		page, err := c.client.Collections(ctx, outline.ListParams{Limit: MostCollections})
		names := CollectionNames{}
		for _, collection := range page.Items {
			names[collection.ID] = CollectionName{output.Excerpt(collection.Name, 300), collection.URLID, path.Base(collection.URL)}
		}
		return names, err == nil || errors.Is(err, outline.ErrForbidden)
	})
}

// Forget drops the names that the caller was told, because it has changed one.
func (c *Collections) Forget(ctx context.Context) { c.cache.Forget(ctx) }
