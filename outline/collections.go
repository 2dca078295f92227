package outline

import (
	"cmp"
	"context"
	"time"
)

// Collection is a collection of documents.
type Collection struct {
	ID          string     `json:"id"`    // UUID
	URLID       string     `json:"urlId"` // e.g. MrSBIwKq5R
	URL         string     `json:"url"`   // path on the instance, e.g. /collection/handbook-MrSBIwKq5R
	Name        string     `json:"name"`
	Description string     `json:"description"` // Markdown; "": none
	Color       string     `json:"color"`       // #RRGGBB; "": none
	Icon        string     `json:"icon"`        // emoji or name of an icon; "": none
	Permission  string     `json:"permission"`  // what every member may do: read_write, read, or "": nothing, it is private
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	ArchivedAt  *time.Time `json:"archivedAt"`
}

func (c Collection) flaw() string { return flawOf("the collection", c.ID, c.URL) }

// Node is a document in the tree of its collection.
type Node struct {
	ID       string `json:"id"` // UUID
	Title    string `json:"title"`
	URL      string `json:"url"` // path on the instance
	Children []Node `json:"children"`
}

// Collections returns a page of the collections that the key's user can see,
// without archived ones (collections.list).
func (c *Client) Collections(ctx context.Context, p ListParams) (Page[Collection], error) {
	return counted(ctx, c, "collections.list", p, Collection.flaw)
}

// Collection returns a collection (collections.info). The id is a UUID or a
// URL id, which [ParseCollectionID] makes of other forms.
func (c *Client) Collection(ctx context.Context, id string) (Collection, error) {
	const endpoint = "collections.info"
	a, err := query[Collection](ctx, c, endpoint, byID{id})
	if err != nil {
		return Collection{}, err
	}
	if why := a.Data.flaw(); why != "" {
		return Collection{}, wrongShape(endpoint, why)
	}
	return *a.Data, nil
}

// CollectionDocuments returns the whole tree of a collection's published
// documents in the order of its sidebar (collections.documents). For an
// unknown id, and for a private collection, Outline answers with ErrForbidden.
func (c *Client) CollectionDocuments(ctx context.Context, id string) ([]Node, error) {
	const endpoint = "collections.documents"
	a, err := query[[]Node](ctx, c, endpoint, byID{id})
	if err != nil {
		return nil, err
	}
	if why := treeFlaw(*a.Data); why != "" {
		return nil, wrongShape(endpoint, why)
	}
	return *a.Data, nil
}

func treeFlaw(nodes []Node) string {
	for _, n := range nodes {
		if why := cmp.Or(flawOf("a document of the tree", n.ID, n.URL), treeFlaw(n.Children)); why != "" {
			return why
		}
	}
	return ""
}

// ResolveCollectionID returns the UUID of a collection given in any form that
// [ParseCollectionID] accepts. Fields of the API other than id take nothing
// else. Only a form that is not a UUID costs a request (collections.info).
func (c *Client) ResolveCollectionID(ctx context.Context, s string) (string, error) {
	id, err := ParseCollectionID(s)
	if err != nil || IsUUID(id) {
		return id, err
	}
	collection, err := c.Collection(ctx, id)
	return collection.ID, err
}
