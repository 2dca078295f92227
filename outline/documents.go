package outline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"outline-mcp/outline/prosemirror"
)

// A DocumentSummary is a document without its text.
type DocumentSummary struct {
	ID               string     `json:"id"`               // UUID
	URLID            string     `json:"urlId"`            // e.g. 1FF9VyHA4X
	URL              string     `json:"url"`              // path on the instance, e.g. /doc/deploy-guide-1FF9VyHA4X; see Client.AbsoluteURL
	Title            string     `json:"title"`            // may be ""
	CollectionID     string     `json:"collectionId"`     // UUID; "" for a draft outside of collections
	ParentDocumentID string     `json:"parentDocumentId"` // UUID; "" at the top level of a collection
	Icon             string     `json:"icon"`             // emoji or name of an icon; "" for none
	Color            string     `json:"color"`            // of the icon, #RRGGBB; "" for none
	FullWidth        bool       `json:"fullWidth"`        // the page is as wide as the window
	Revision         int        `json:"revision"`         // increases with each change
	CreatedAt        time.Time  `json:"createdAt"`
	CreatedBy        Person     `json:"createdBy"`
	UpdatedAt        time.Time  `json:"updatedAt"`
	UpdatedBy        Person     `json:"updatedBy"`   // who changed it last
	PublishedAt      *time.Time `json:"publishedAt"` // nil for a draft
	ArchivedAt       *time.Time `json:"archivedAt"`
	DeletedAt        *time.Time `json:"deletedAt"`       // set while it is in the trash
	CollaboratorIDs  []string   `json:"collaboratorIds"` // UUIDs of the users who have created or changed it
	PopularityScore  float64    `json:"popularityScore"` // 0 from a server that has none
}

// A Person is a user as other objects name them.
type Person struct {
	ID   string `json:"id"`   // UUID
	Name string `json:"name"` // "" for a deleted user
}

// Status returns the first of deleted (in the trash), archived, published and
// draft that applies.
func (d DocumentSummary) Status() string {
	switch {
	case d.DeletedAt != nil:
		return "deleted"
	case d.ArchivedAt != nil:
		return "archived"
	case d.PublishedAt != nil:
		return "published"
	}
	return "draft"
}

// SameLook reports whether two documents have the same icon in the same color, and the
// same width.
func (d DocumentSummary) SameLook(other DocumentSummary) bool {
	return d.Icon == other.Icon && strings.EqualFold(d.Color, other.Color) && d.FullWidth == other.FullWidth
}

func (d DocumentSummary) id() string { return d.ID }

func (d DocumentSummary) incomplete() string { return incompletePage("the document", d.ID, d.URL) }

// A Document is a document with its text in Markdown.
type Document struct {
	DocumentSummary
	Text string `json:"text"`
	// Tree is the document as Outline keeps it, with what Markdown cannot express.
	// It is nil unless a method says that it reads the tree, and nil if the server
	// does not send trees.
	Tree *prosemirror.Node `json:"-"`

	trees *trees // of this and further states of the document
	read  int64  // when the request for it was sent, for writers

	// What DocumentToUpdate has asked side by side.
	support   Support    // of the server
	revisions *revisions // the newest; nil if they were not listed
}

// Markdown returns the Markdown of Tree, which must not be nil, in both forms and
// with the places of its blocks.
func (d Document) Markdown() prosemirror.Markdown {
	if d.trees == nil {
		return prosemirror.Main.ToMarkdown(d.Tree)
	}
	return d.trees.write(d.Tree)
}

// Dialect returns the Markdown in which the server writes Tree.
func (d Document) Dialect() prosemirror.Dialect {
	if d.trees == nil {
		return prosemirror.Main
	}
	return d.trees.dialect
}

// fullDocument is Document as the API sends it. One without text must not be
// taken for an empty document, which a caller may overwrite.
type fullDocument struct {
	DocumentSummary
	Text *string  `json:"text"`
	Tree treeData `json:"data"`
}

// incomplete returns what is missing from a document, or "".
func (d fullDocument) incomplete() string {
	if why := d.DocumentSummary.incomplete(); why != "" || d.Text != nil {
		return why
	}
	return "the document has no Markdown text"
}

// document returns the document that a call has returned with err.
func (d fullDocument) document(err error) (Document, error) {
	if err != nil {
		return Document{}, err
	}
	return Document{DocumentSummary: d.DocumentSummary, Text: *d.Text}, nil
}

// fetchDocument makes a request that is answered with a document. If trees is not
// nil, it asks for the document's tree and makes Text of it. A server that does not
// send trees answers with its text.
func (c *Client) fetchDocument(ctx context.Context, r request, trees *trees) (Document, error) {
	var d fullDocument
	asked := fullDocument{Tree: treeData{trees: trees}}
	answer := envelope[documentAnswer]{Data: &documentAnswer{asked, asked}, check: func(data documentAnswer) string {
		if d = data.fullDocument; d.ID == "" {
			d = data.Nested
		}
		if d.Tree.tree != nil {
			d.Text = new(trees.write(d.Tree.tree).Text)
		} else if trees != nil && trees.leftOut {
			d.Text = new("")
		}
		return d.incomplete()
	}}
	if trees != nil {
		r.version = treeVersion
	}
	read := c.writers.now()
	document, err := d.document(c.call(ctx, r, &answer))
	if err == nil {
		document.Tree, document.trees, document.read = d.Tree.tree, trees, read
	}
	return document, err
}

// documentAnswer is a document as documents.info and others answer with it. Outline
// nests it if a newer version of the API is requested (x-api-version), as a proxy may do,
// too.
type documentAnswer struct {
	fullDocument
	Nested fullDocument `json:"document"`
}

// byID is the request of endpoints that take only an id. Outline accepts a UUID,
// a URL id or a slug there.
type byID struct {
	ID string `json:"id"`
}

// Document returns a document (documents.info). The id is a UUID or a URL id, as
// [ParseDocumentID] returns it. A document in the trash has DeletedAt set.
func (c *Client) Document(ctx context.Context, id string) (Document, error) {
	return c.documentWith(ctx, id, nil)
}

func (c *Client) documentWith(ctx context.Context, id string, trees *trees) (Document, error) {
	return c.fetchDocument(ctx, reading.request("documents.info", byID{id}), trees)
}

// maxReadings is how often text and tree are read until both are of one revision.
const maxReadings = 3

// DocumentWithTree returns a document with its tree (documents.info). Text and
// Tree are read side by side, and again if another user changes the document in
// between. Two updates at once can leave the same revision, so the time of the update
// counts, too. It fails with ErrConflict if the document keeps changing. Tree is nil if
// it has more than some 100,000 nodes and marks, or the text so many lines and marks. Otherwise it is like [Client.Document].
func (c *Client) DocumentWithTree(ctx context.Context, id string) (Document, error) {
	trees := &trees{bounded: true}
	for reading := 1; ; reading++ {
		var withTree Document
		var treeErr error
		var wait sync.WaitGroup
		wait.Go(func() { withTree, treeErr = c.documentWith(ctx, id, trees) })
		document, err := c.Document(ctx, id)
		wait.Wait()
		if err = cmp.Or(err, treeErr); err != nil {
			return Document{}, err
		}
		if document.Revision == withTree.Revision && document.UpdatedAt.Equal(withTree.UpdatedAt) {
			trees.bounded = false // a change is compared with its outcome
			if prosemirror.CountMarks(document.Text) > maxNodes {
				withTree.Tree = nil
			}
			if withTree.Tree != nil && withTree.Text != document.Text {
				trees.fit(withTree.Tree, document.Text)
			}
			document.Tree, document.trees, document.read = withTree.Tree, trees, min(document.read, withTree.read)
			return document, nil
		}
		if reading == maxReadings {
			return Document{}, ChangedMeanwhile("the document keeps changing while it is read: it is at revision %d by now", max(document.Revision, withTree.Revision))
		}
	}
}

// ExportDocument returns a document as CommonMark with its title as the first
// heading (documents.export). The id is as for [Client.Document].
func (c *Client) ExportDocument(ctx context.Context, id string) (string, error) {
	return query[string](ctx, c, "documents.export", byID{id}, nil)
}

// Backlinks yields all documents that link to a document, given by its UUID
// (documents.list). Pages are fetched as the loop needs them. An error is yielded
// once and ends the loop. Outline knows a new link a moment after the document
// that contains it was saved.
func (c *Client) Backlinks(ctx context.Context, id string) iter.Seq2[DocumentSummary, error] {
	return All(ctx, func(ctx context.Context, page ListParams) (Page[DocumentSummary], error) {
		return list(ctx, c, listing.request("documents.list", struct {
			BacklinkDocumentID string `json:"backlinkDocumentId"`
			ListParams
		}{id, page}), DocumentSummary.incomplete)
	}, Paging{})
}

// treeVersion is the version of the API in which documents have their tree, in
// data, in place of Markdown.
const treeVersion = "3"

// maxNodes is how many nodes and marks a tree may hold to be decoded before a change,
// about. An edit keeps several trees, which take some hundred bytes a node. Documents
// of a megabyte have some ten thousand nodes.
const maxNodes = 100_000

// trees decodes and serializes the trees of one document. Blocks that are the same
// in several states of the document share one node, so that comparing them only visits
// what changed.
type trees struct {
	bounded bool // whether larger trees than maxNodes are left out
	leftOut bool // whether one was

	mu       sync.Mutex
	decoder  prosemirror.Decoder
	dialect  prosemirror.Dialect
	written  *prosemirror.Node // the state that was written last
	markdown prosemirror.Markdown
}

// write returns the Markdown of a tree.
func (t *trees) write(tree *prosemirror.Node) prosemirror.Markdown {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.written != tree {
		t.written, t.markdown = tree, t.dialect.ToMarkdown(tree)
	}
	return t.markdown
}

// fit takes the dialect of releases if they show a tree as the text.
func (t *trees) fit(tree *prosemirror.Node, text string) {
	if markdown := prosemirror.Until192.ToMarkdown(tree); markdown.Text == text {
		t.mu.Lock()
		t.dialect, t.written, t.markdown = markdown.Dialect, tree, markdown
		t.mu.Unlock()
	}
}

// treeData is what documents and revisions have in data: their tree. Without trees it is
// skipped.
type treeData struct {
	trees *trees            // decode it
	tree  *prosemirror.Node // nil if there is none, or one that is left out
}

var errNoTree = errors.New(`"data" of the document is not its tree`)

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (d *treeData) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if d.trees == nil || in.PeekKind() != '{' {
		return in.SkipValue()
	}
	d.trees.mu.Lock()
	defer d.trees.mu.Unlock()
	if d.trees.leftOut = d.trees.bounded && bytes.Count(in.UnreadBuffer(), []byte(`"type"`)) > maxNodes; d.trees.leftOut {
		return in.SkipValue()
	}
	var err error
	if d.tree, err = d.trees.decoder.DecodeFrom(in); err != nil {
		return fmt.Errorf("%w: %w", errNoTree, err)
	}
	return nil
}

// DocumentTexts returns a page of the published documents that the caller can see,
// with their texts, oldest first (documents.list). A new document is the last one.
// The order of documents that were created in the same millisecond is up to
// Outline's database; no recording shows that it stays the same. collectionID is a
// UUID; with "" it lists the documents of all collections. A collection that is
// unknown or that the caller cannot see fails with ErrForbidden.
func (c *Client) DocumentTexts(ctx context.Context, collectionID string, p ListParams) (Page[Document], error) {
	return c.documentTexts(ctx, collectionID, "createdAt", "ASC", p)
}

// RecentTexts is like [Client.DocumentTexts], but the document that was updated last
// comes first. A document that is updated meanwhile moves to the first page.
func (c *Client) RecentTexts(ctx context.Context, collectionID string, p ListParams) (Page[Document], error) {
	return c.documentTexts(ctx, collectionID, "updatedAt", "DESC", p)
}

// LastUpdate returns when a published document that the caller can see was last
// updated (documents.list). collectionID is as for [Client.DocumentTexts]. It
// returns the zero time if there are no documents.
func (c *Client) LastUpdate(ctx context.Context, collectionID string) (time.Time, error) {
	page, err := c.RecentTexts(ctx, collectionID, ListParams{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return time.Time{}, err
	}
	return page.Items[0].UpdatedAt, nil
}

// RecentDrafts is like [Client.RecentTexts] for the caller's own drafts
// (documents.drafts). Those outside of collections are among those of each collection.
// The total is not known.
func (c *Client) RecentDrafts(ctx context.Context, collectionID string, p ListParams) (Page[Document], error) {
	return withTexts(list(ctx, c, scanning.request("documents.drafts", sortedList{CollectionID: collectionID, Sort: "updatedAt", Direction: "DESC", ListParams: p}), fullDocument.incomplete))
}

func (c *Client) documentTexts(ctx context.Context, collectionID, sort, direction string, p ListParams) (Page[Document], error) {
	return withTexts(counted(ctx, c, scanning.request("documents.list", sortedList{CollectionID: collectionID, Sort: sort, Direction: direction, ListParams: p}), fullDocument.incomplete))
}

// withTexts returns the page of documents that a call has returned with err.
func withTexts(page Page[fullDocument], err error) (Page[Document], error) {
	documents := make([]Document, len(page.Items))
	for i, d := range page.Items {
		documents[i], err = d.document(err)
	}
	return Page[Document]{documents, page.Limit, page.Offset, page.Total}, err
}
