package outline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"outline-mcp/outline/prosemirror"
)

// A Template is a template for documents. Outline has them as things of their own
// since version 1.6; older servers answer with ErrNotFound.
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
		return observedNew(created, true, err)
	})
}

// KnowsTemplates reports whether the server has templates of their own, as servers do
// since version 1.6.
func (c *Client) KnowsTemplates(ctx context.Context) (bool, error) {
	_, err := c.Templates(ctx, TemplateParams{ListParams: ListParams{Limit: 1}})
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrForbidden) {
		return false, nil
	}
	return err == nil, err
}
