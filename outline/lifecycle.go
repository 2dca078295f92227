package outline

import (
	"context"
	"errors"
)

// ArchiveDocument archives a document with everything below it
// (documents.archive). The id is as for [Client.Document]. A document that is
// already archived or deleted fails with ErrForbidden.
func (c *Client) ArchiveDocument(ctx context.Context, id string) (Document, error) {
	return c.changeState(ctx, "documents.archive", byID{id}, id, nil, func(d DocumentSummary) bool { return d.ArchivedAt != nil && d.DeletedAt == nil })
}

// RestoreDocument brings a document back from the archive or from the trash
// (documents.restore). The id is as for [Client.Document].
//
// The document returns to where it was or, if collectionID is not "", to the
// collection with this UUID, which is required (ErrInvalid) if its own is deleted
// or archived. A document that is neither archived nor deleted fails with
// ErrInvalid, too. Documents that were deleted along with it stay in the trash.
func (c *Client) RestoreDocument(ctx context.Context, id, collectionID string) (Document, error) {
	return c.changeState(ctx, "documents.restore", struct {
		ID           string `json:"id"`
		CollectionID string `json:"collectionId,omitempty"`
	}{id, collectionID}, id, nil, isActive)
}

func isActive(d DocumentSummary) bool { return d.ArchivedAt == nil && d.DeletedAt == nil }

// changeState calls a command that puts a document into a state in which Outline
// rejects the same command.
func (c *Client) changeState(ctx context.Context, endpoint string, params any, id string, trees *trees, done func(DocumentSummary) bool) (Document, error) {
	return resolve(ctx, c, operation[Document]{
		send: func(ctx context.Context) (Document, error) { return c.changeDocument(ctx, endpoint, params, trees) },
		observe: func(ctx context.Context, _ loss) observation[Document] {
			document, err := c.documentWith(ctx, id, trees)
			return observedNew(document, err == nil && done(document.DocumentSummary), err)
		},
	})
}

// UnarchiveDocument brings a document back from the archive of an old server
// (documents.unarchive). Newer servers answer with ErrNotFound; use
// [Client.RestoreDocument] there.
func (c *Client) UnarchiveDocument(ctx context.Context, id string) (Document, error) {
	return c.changeState(ctx, "documents.unarchive", byID{id}, id, nil, isActive)
}

// DeleteDocument moves a document and the published ones below it to the trash
// or, if permanent, permanently deletes one that is in the trash
// (documents.delete). The id is as for [Client.Document].
//
// It fails with ErrForbidden for an unknown document, for one that already is in
// the trash or, if permanent, is not, and for a permanent deletion by anyone but
// an administrator.
func (c *Client) DeleteDocument(ctx context.Context, id string, permanent bool) error {
	deleting := changing
	if permanent {
		deleting = changingAlone
	}
	return c.remove(ctx, deleting("documents.delete", struct {
		ID        string `json:"id"`
		Permanent bool   `json:"permanent,omitempty"`
	}{id, permanent}), func(ctx context.Context) (bool, error) {
		document, err := c.Document(ctx, id)
		return err == nil && !permanent && document.DeletedAt != nil, err
	})
}

// remove calls a command that deletes something. removed reports whether it is
// deleted; that it is not found means the same.
func (c *Client) remove(ctx context.Context, r request, removed func(context.Context) (bool, error)) error {
	type none = struct{}
	_, err := resolve(ctx, c, operation[none]{
		send: func(ctx context.Context) (none, error) { return none{}, c.call(ctx, r, new(acknowledgement)) },
		observe: func(ctx context.Context, _ loss) observation[none] {
			done, err := removed(ctx)
			if errors.Is(err, ErrNotFound) {
				return observation[none]{seen: seenDone}
			}
			return observed(none{}, done, err)
		},
	})
	return err
}

// ArchivedParams select a page of the archive.
type ArchivedParams struct {
	CollectionID string `json:"collectionId,omitempty"` // UUID (see Client.ResolveCollectionID); "" for all collections
	Limit        int    `json:"limit,omitempty"`        // 1–100; 0 is Outline's default, 25
	Offset       int    `json:"offset,omitempty"`       // of the first document, 0 or more
}

// ArchivedDocuments returns a page of the archived documents
// (documents.archived). Outline does not send their number: Total is -1.
// Viewers and guests get ErrForbidden.
func (c *Client) ArchivedDocuments(ctx context.Context, p ArchivedParams) (Page[DocumentSummary], error) {
	return list(ctx, c, "documents.archived", p, DocumentSummary.incomplete)
}

// DeletedDocuments returns a page of the trash, including deleted templates
// (documents.deleted). Outline does not send their number: Total is -1. Viewers
// and guests get ErrForbidden.
func (c *Client) DeletedDocuments(ctx context.Context, p ListParams) (Page[DocumentSummary], error) {
	return list(ctx, c, "documents.deleted", p, DocumentSummary.incomplete)
}

// UnpublishDocument makes a published document a draft in its collection
// (documents.unpublish). The id is as for [Client.Document]. A draft and an archived
// document fail with ErrForbidden, a document with others below it with ErrInvalid.
func (c *Client) UnpublishDocument(ctx context.Context, id string) (Document, error) {
	return c.changeState(ctx, "documents.unpublish", byID{id}, id, new(trees), func(d DocumentSummary) bool { return d.PublishedAt == nil })
}
