package outline

import (
	"cmp"
	"context"
	"strings"
	"time"
)

// A Collection is a collection of documents.
type Collection struct {
	ID          string     `json:"id"`    // UUID
	URLID       string     `json:"urlId"` // e.g. MrSBIwKq5R
	URL         string     `json:"url"`   // path on the instance, e.g. /collection/handbook-MrSBIwKq5R
	Name        string     `json:"name"`
	Description string     `json:"description"` // Markdown; "" for none
	Color       string     `json:"color"`       // #RRGGBB; "" for none
	Icon        string     `json:"icon"`        // emoji or name of an icon; "" for none
	Permission  string     `json:"permission"`  // of every member: read_write, read, or "" if the collection is private
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	ArchivedAt  *time.Time `json:"archivedAt"`
}

func (c Collection) incomplete() string { return incompletePage("the collection", c.ID, c.URL) }

// A Node is a document in the tree of its collection.
type Node struct {
	ID       string `json:"id"` // UUID
	Title    string `json:"title"`
	URL      string `json:"url"` // path on the instance
	Children []Node `json:"children"`
}

// URLID returns the URL id of the document, such as 1FF9VyHA4X, or "" if its URL has
// none.
func (n Node) URLID() string {
	id := n.URL[strings.LastIndexAny(n.URL, "-/")+1:]
	if len(id) < 10 || len(id) > 15 {
		return ""
	}
	return id
}

// Collections returns a page of the collections that the caller can see, without
// archived ones (collections.list).
func (c *Client) Collections(ctx context.Context, p ListParams) (Page[Collection], error) {
	return counted(ctx, c, "collections.list", p, Collection.incomplete)
}

// ArchivedCollections returns a page of the archived collections that the caller can see
// (collections.list).
func (c *Client) ArchivedCollections(ctx context.Context, p ListParams) (Page[Collection], error) {
	return counted(ctx, c, "collections.list", struct {
		ListParams
		StatusFilter []string `json:"statusFilter"`
	}{p, []string{"archived"}}, Collection.incomplete)
}

// Collection returns a collection (collections.info). The id is a UUID or a URL
// id, as [ParseCollectionID] returns it.
func (c *Client) Collection(ctx context.Context, id string) (Collection, error) {
	return query(ctx, c, "collections.info", byID{id}, Collection.incomplete)
}

// CollectionDocuments returns the tree of the published documents of a collection
// in the order of the sidebar (collections.documents). An unknown id, or a
// collection that the caller cannot see, fails with ErrForbidden.
func (c *Client) CollectionDocuments(ctx context.Context, id string) ([]Node, error) {
	return query(ctx, c, "collections.documents", byID{id}, incompleteTree)
}

func incompleteTree(nodes []Node) string {
	return incompleteAmong(nodes, func(n Node) string {
		return cmp.Or(incompletePage("a document of the tree", n.ID, n.URL), incompleteTree(n.Children))
	})
}

// ResolveCollectionID returns the UUID of a collection given in any form that
// [ParseCollectionID] accepts. It makes a request (collections.info) unless s is a
// UUID.
func (c *Client) ResolveCollectionID(ctx context.Context, s string) (string, error) {
	id, err := c.ParseCollectionID(s)
	if err != nil || IsUUID(id) {
		return id, err
	}
	collection, err := c.Collection(ctx, id)
	return collection.ID, err
}
