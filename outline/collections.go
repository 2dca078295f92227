package outline

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"outline-mcp/outline/prosemirror"
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
	return counted(ctx, c, listing.request("collections.list", p), Collection.incomplete)
}

// ArchivedCollections returns a page of the archived collections that the caller can see
// (collections.list).
func (c *Client) ArchivedCollections(ctx context.Context, p ListParams) (Page[Collection], error) {
	return counted(ctx, c, listing.request("collections.list", struct {
		ListParams
		StatusFilter []string `json:"statusFilter"`
	}{p, []string{"archived"}}), Collection.incomplete)
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

// CreateCollectionParams describe a new collection. Empty fields other than
// Permission are not sent.
type CreateCollectionParams struct {
	Name        string `json:"name"`                  // 1–100 characters, no URL
	Description string `json:"description,omitempty"` // Markdown, at most 100,000 characters
	Color       string `json:"color,omitempty"`       // #RRGGBB
	Icon        string `json:"icon,omitempty"`        // emoji or name of an icon
	Permission  string `json:"-"`                     // of every member: read_write, read, or "" for a private collection
}

// CreateCollection creates a collection and returns it (collections.create).
// A private one is invisible even to other administrators.
//
// The ID of a collection cannot be chosen. If the answer is lost, the client
// therefore looks for a collection like it that was created since the call
// began. Unless there is exactly one, the outcome is unknown: the call is not
// repeated, because that could create a second one.
func (c *Client) CreateCollection(ctx context.Context, n CreateCollectionParams) (Collection, error) {
	body := struct {
		CreateCollectionParams
		Permission any `json:"permission"` // null for a private collection
	}{n, orNull(&n.Permission)}
	start := time.Now()
	created, err := commandOnce(ctx, c, changing.request("collections.create", body), Collection.incomplete, func(ctx context.Context) (Collection, WriteState) {
		found, err := c.collectionsSince(ctx, start, n)
		switch {
		case len(found) == 1:
			return observation(found[0], true, err)
		case len(found) == 0 && (err != nil || c.listsAtOnce(ctx)):
			return observation(Collection{}, false, err)
		}
		return Collection{}, seenUntold
	})
	if credential, failure := c.credential(ctx, ""); err == nil && failure == nil {
		c.created.Set(credential.subject(), created.ID, listingTime)
	}
	return created, err
}

// collectionsSince finds the collections that match n and were created since
// start, by the local clock.
func (c *Client) collectionsSince(ctx context.Context, start time.Time, n CreateCollectionParams) ([]Collection, error) {
	params := func(p ListParams) any { return p }
	found, err := createdSince(ctx, c, "collections.list", params, false, start, func(c Collection) time.Time { return c.CreatedAt })
	return slices.DeleteFunc(found, func(c Collection) bool { return !n.made(c) || c.incomplete() != "" }), err
}

// made reports whether a collection is like the requested one.
func (n CreateCollectionParams) made(c Collection) bool {
	return c.Name == strings.TrimSpace(n.Name) && c.Permission == n.Permission && prosemirror.SameContent(c.Description, n.Description) &&
		(n.Color == "" || strings.EqualFold(c.Color, n.Color)) && (n.Icon == "" || c.Icon == n.Icon)
}

// UpdateCollectionParams describe changes of a collection. nil fields are left
// alone.
type UpdateCollectionParams struct {
	ID          string  `json:"id"`                    // UUID or URL id, as for Client.Collection
	Name        *string `json:"name,omitempty"`        // 1–100 characters, no URL
	Description *string `json:"description,omitempty"` // Markdown, at most 100,000 characters
	Color       *string `json:"color,omitempty"`       // #RRGGBB
	Icon        *string `json:"icon,omitempty"`        // emoji or name of an icon
	Permission  *string `json:"-"`                     // of every member: read_write, read, or "" to make it private
}

// UpdateCollection changes a collection and returns it (collections.update). An
// unknown id and an archived collection fail with ErrForbidden.
func (c *Client) UpdateCollection(ctx context.Context, u UpdateCollectionParams) (Collection, error) {
	body := struct {
		UpdateCollectionParams
		Permission any `json:"permission,omitempty"`
	}{u, orNull(u.Permission)}
	// A repetition could undo what another user has written since.
	return commandOnce(ctx, c, changing.request("collections.update", body), Collection.incomplete, func(ctx context.Context) (Collection, WriteState) {
		now, err := c.Collection(ctx, u.ID)
		is := func(value string, asked *string) bool { return asked == nil || value == *asked }
		done := is(now.Name, u.Name) && is(now.Icon, u.Icon) && is(now.Permission, u.Permission) && (u.Color == nil || strings.EqualFold(now.Color, *u.Color)) && (u.Description == nil || prosemirror.SameContent(now.Description, *u.Description))
		return observation(now, done, err)
	})
}

// ArchiveCollection archives a collection with its documents or, if archived is false,
// brings them back (collections.archive, collections.restore), and returns it. The id
// is as for [Client.Collection]. A collection that is in this state already fails with
// ErrForbidden.
func (c *Client) ArchiveCollection(ctx context.Context, id string, archived bool) (Collection, error) {
	endpoint := "collections.restore"
	if archived {
		endpoint = "collections.archive"
	}
	return command(ctx, c, changing.request(endpoint, byID{id}), Collection.incomplete, func(ctx context.Context) (Collection, WriteState) {
		now, err := c.Collection(ctx, id)
		return observation(now, archived == (now.ArchivedAt != nil), err)
	})
}

// DeleteCollection deletes a collection and moves its documents to the trash
// (collections.delete). The id is as for [Client.Collection]. An unknown one fails
// with ErrForbidden.
func (c *Client) DeleteCollection(ctx context.Context, id string) error {
	return c.remove(ctx, changing.request("collections.delete", byID{id}), func(ctx context.Context) (bool, error) {
		_, err := c.Collection(ctx, id)
		return false, err
	})
}

// A Template is a template for documents, which Outline stores separately from documents.
type Template struct {
	ID           string            `json:"id"` // UUID
	URLID        string            `json:"urlId"`
	Title        string            `json:"title"`        // may hold variables; see CreateDocumentParams.TemplateID
	Tree         *prosemirror.Node `json:"-"`            // of its text
	CollectionID string            `json:"collectionId"` // UUID; "" if the template is for all collections
	UpdatedAt    time.Time         `json:"updatedAt"`
	PublishedAt  *time.Time        `json:"publishedAt"` // nil for a draft, which only its author sees
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Template) UnmarshalJSON(data []byte) error {
	type Fields Template
	wire := struct {
		*Fields
		Data json.RawMessage `json:"data"`
	}{Fields: (*Fields)(t)}
	err := json.Unmarshal(data, &wire)
	if err == nil && len(wire.Data) > 0 {
		t.Tree, err = prosemirror.Decode(wire.Data)
	}
	return err
}

func (t Template) incomplete() string {
	if t.Tree == nil {
		return "the template has no text"
	}
	return incompleteID("the template", t.ID)
}

// TemplateParams select a page of templates.
type TemplateParams struct {
	CollectionID string `json:"collectionId,omitempty"` // UUID; "" for all templates that the caller may see
	Query        string `json:"query,omitempty"`        // part of the title, in any case
	ListParams
}

// Templates returns a page of templates, those changed last first (templates.list).
// An unknown collection fails with ErrForbidden.
func (c *Client) Templates(ctx context.Context, p TemplateParams) (Page[Template], error) {
	return counted(ctx, c, listing.request("templates.list", p), Template.incomplete)
}

// Template returns a template by its UUID (templates.info). One that the caller may
// not see fails with ErrForbidden.
func (c *Client) Template(ctx context.Context, id string) (Template, error) {
	return query(ctx, c, "templates.info", byID{id}, Template.incomplete)
}

// CreateTemplateParams describe a new template.
type CreateTemplateParams struct {
	ID           string            `json:"id"`                     // UUID of the new template; "" chooses a random one
	Title        string            `json:"title"`                  // 1–100 code points
	Tree         *prosemirror.Node `json:"data"`                   // its text
	CollectionID string            `json:"collectionId,omitempty"` // UUID; "" makes it a template for all collections
}

func (n CreateTemplateParams) cells() (cells int) {
	if n.Tree == nil {
		return 0
	}
	prosemirror.Walk(n.Tree, func(node *prosemirror.Node) bool {
		if node.Type == prosemirror.TableCell || node.Type == prosemirror.TableHeader {
			cells++
		}
		return true
	})
	return cells
}

// CreateTemplate creates a template, published, and returns it (templates.create). It
// takes an administrator for a template of all collections and whoever may manage the
// templates of a collection otherwise; others get ErrForbidden.
func (c *Client) CreateTemplate(ctx context.Context, n CreateTemplateParams) (Template, error) {
	n.ID = cmp.Or(n.ID, uuid.NewString())
	return command(ctx, c, changing.request("templates.create", n), Template.incomplete, func(ctx context.Context) (Template, WriteState) {
		created, err := c.Template(ctx, n.ID)
		return observationOfNew(created, true, err)
	})
}
