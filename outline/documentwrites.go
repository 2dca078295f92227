package outline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"outline-mcp/outline/prosemirror"
)

// CreateDocumentParams describe a new document. Zero values are not sent.
type CreateDocumentParams struct {
	ID               string `json:"id,omitempty"`               // UUID of the new document; "" chooses a random one
	Title            string `json:"title,omitempty"`            // at most 100 characters; may be ""
	Text             string `json:"text,omitempty"`             // Markdown, at most 1,536,000 UTF-16 code units
	CollectionID     string `json:"collectionId,omitempty"`     // UUID; "" is that of the parent or, for a draft, none
	ParentDocumentID string `json:"parentDocumentId,omitempty"` // UUID; overrides CollectionID
	TemplateID       string `json:"templateId,omitempty"`       // UUID of a template for a title and text that are left out
	Icon             string `json:"icon,omitempty"`             // emoji or name of an icon
	FullWidth        *bool  `json:"fullWidth,omitempty"`        // nil is that of the template, or false
	Publish          bool   `json:"publish,omitempty"`          // needs a collection or a parent; false creates a draft
	Index            *int   `json:"index,omitempty"`            // position among its siblings, from 0; nil is the first
}

func (d CreateDocumentParams) cells() int { return prosemirror.TableCells(d.Text) }

// CreateDocument creates a document and returns it with its tree
// (documents.create).
//
// The ID of an existing document fails with ErrInvalid ("id must be unique"), an
// unknown collection with ErrForbidden. Outline may raise the revision once more
// within a second after it has published the document.
//
// Because the client chooses the ID, a lost answer does no harm: the client looks
// for the document, and sends the same request again if it is not there.
func (c *Client) CreateDocument(ctx context.Context, d CreateDocumentParams) (Document, error) {
	d.ID = cmp.Or(d.ID, uuid.NewString())
	return c.changeState(ctx, "documents.create", d, d.ID, new(trees), func(DocumentSummary) bool { return true })
}

// MoveDocumentParams describe a move.
type MoveDocumentParams struct {
	ID               string `json:"id"`                         // UUID or URL id, as for Client.Document
	CollectionID     string `json:"collectionId,omitempty"`     // UUID; required without a parent
	ParentDocumentID string `json:"parentDocumentId,omitempty"` // UUID; "" moves to the top level of the collection
	Index            *int   `json:"index,omitempty"`            // position among its new siblings, from 0; nil is the last

	// Before is the document as it was just read. If it is nil, the outcome is
	// unknown after a lost answer.
	Before *DocumentSummary `json:"-"`
}

// MoveDocument moves a document with everything below it and returns it
// (documents.move). Within its present siblings, Outline counts Index with the
// document still in its place: from 0, Index 1 moves nothing.
//
// A move below itself fails with ErrInvalid, an unknown document or target with
// ErrForbidden.
func (c *Client) MoveDocument(ctx context.Context, m MoveDocumentParams) (Document, error) {
	type moved struct {
		Documents []fullDocument `json:"documents"`
	}
	send := func(ctx context.Context) (Document, error) {
		var document fullDocument
		_, err := fetch(ctx, c, changingAlone.request("documents.move", m), func(answer moved) string {
			// The document comes after everything that moved along with it.
			for _, d := range answer.Documents {
				if d.ID != "" && (strings.EqualFold(d.ID, m.ID) || d.URLID != "" && strings.HasSuffix(m.ID, d.URLID)) {
					document = d
					return d.incomplete()
				}
			}
			return "the moved document is not among the documents"
		})
		return c.leaving(document.document(err))
	}
	return resolve(ctx, c, send, func(ctx context.Context) (Document, WriteState) {
		now, err := c.Document(ctx, m.ID)
		if err == nil && (m.Before == nil || m.leadsTo(*m.Before) && now.Revision != m.Before.Revision) {
			// Its position among its siblings is not known. A move raises the
			// revision, but so do other changes.
			return Document{}, seenUntold
		}
		return observation(now, err == nil && !m.leadsTo(*m.Before) && m.leadsTo(now.DocumentSummary), err)
	}, nil)
}

// leadsTo reports whether a document is where the move puts it, apart from its
// position among its siblings.
func (m MoveDocumentParams) leadsTo(d DocumentSummary) bool {
	return d.ParentDocumentID == m.ParentDocumentID && (m.CollectionID == "" || d.CollectionID == m.CollectionID)
}

// changeDocument calls a command that returns the changed document, with its tree
// if trees is not nil.
func (c *Client) changeDocument(ctx context.Context, endpoint string, params any, trees *trees) (Document, error) {
	request := changing.request(endpoint, params)
	if endpoint == "documents.create" && c.createsAlone.Load() {
		request.kind = changingAlone
	}
	return c.fetchDocument(ctx, request, trees)
}

// DuplicateDocumentParams describe a copy of a document.
type DuplicateDocumentParams struct {
	Title            string `json:"title,omitempty"`            // at most 100 characters; "" is that of the original
	CollectionID     string `json:"collectionId,omitempty"`     // UUID; "" is that of the parent or the original
	ParentDocumentID string `json:"parentDocumentId,omitempty"` // UUID; "" is the top level, wherever the original is
	Recursive        bool   `json:"recursive"`                  // copy what is below the document, too
	Publish          bool   `json:"publish"`                    // needs a collection; false creates drafts
}

// DuplicateDocument copies a document (documents.duplicate) and returns the copy,
// followed by the copies of what is below it. Links between documents that are copied
// together lead from copy to copy. Archived documents and those in the trash fail with
// ErrForbidden, a title that is too long and a parent in another collection with
// ErrInvalid.
//
// Outline chooses the IDs. If the answer is lost, the client therefore looks for a
// copy that was created since the call began. Unless there is exactly one, the outcome
// is unknown: the call is not repeated, because that could copy the document twice.
// That Outline copies all documents of a call or none is known from its source, not
// from a recording.
func (c *Client) DuplicateDocument(ctx context.Context, original DocumentSummary, p DuplicateDocumentParams) ([]DocumentSummary, error) {
	type duplicated struct {
		Documents []DocumentSummary `json:"documents"`
	}
	incomplete := func(answer duplicated) string {
		if len(answer.Documents) == 0 {
			return "the copy is not among the documents"
		}
		return answer.Documents[0].incomplete()
	}
	body := struct {
		ID string `json:"id"`
		DuplicateDocumentParams
	}{original.ID, p}
	start := time.Now()
	answer, err := commandOnce(ctx, c, changing.request("documents.duplicate", body), incomplete, func(ctx context.Context) (duplicated, WriteState) {
		created, err := c.documentsSince(ctx, start, cmp.Or(p.CollectionID, original.CollectionID), p.Publish)
		copies, certain := p.copiesIn(created, original)
		if err == nil && !certain {
			return duplicated{}, seenUntold
		}
		return observation(duplicated{copies}, len(copies) > 0, err)
	})
	for _, copied := range answer.Documents {
		_, _ = c.leaving(Document{DocumentSummary: copied}, nil)
	}
	return answer.Documents, err
}

// A createdDocument is a document in a list, with what it is a copy of.
type createdDocument struct {
	DocumentSummary
	Source struct {
		OriginalDocumentID string `json:"originalDocumentId"`
	} `json:"sourceMetadata"`
}

// documentsSince returns the documents of a collection, or of none, that were created
// since start, by the local clock: the published ones, or the caller's drafts.
func (c *Client) documentsSince(ctx context.Context, start time.Time, collectionID string, published bool) ([]createdDocument, error) {
	endpoint := "documents.drafts"
	if published {
		endpoint = "documents.list"
	}
	newest := sortedList{CollectionID: collectionID, Sort: "createdAt", Direction: direction(false)}
	params := func(p ListParams) any { newest.ListParams = p; return newest }
	return createdSince(ctx, c, endpoint, params, true, start, func(d createdDocument) time.Time { return d.CreatedAt })
}

// copiesIn returns the copy among documents that were created lately, followed by those
// below it. It is not certain which one it is if there are several, or if one like it
// does not tell what it is a copy of.
func (p DuplicateDocumentParams) copiesIn(created []createdDocument, original DocumentSummary) (copies []DocumentSummary, certain bool) {
	title, collectionID := cmp.Or(p.Title, original.Title), cmp.Or(p.CollectionID, original.CollectionID)
	told := true
	for _, d := range created {
		if of := d.Source.OriginalDocumentID; (of == "" || of == original.ID) && strings.TrimSpace(d.Title) == strings.TrimSpace(title) &&
			d.CollectionID == collectionID && d.ParentDocumentID == p.ParentDocumentID {
			copies, told = append(copies, d.DocumentSummary), told && of != ""
		}
	}
	if len(copies) == 0 {
		return nil, true
	}
	if len(copies) > 1 || !told {
		return nil, false
	}
	for i := 0; i < len(copies) && p.Recursive; i++ {
		for _, d := range created {
			if d.ParentDocumentID == copies[i].ID {
				copies = append(copies, d.DocumentSummary)
			}
		}
	}
	return copies, true
}

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
	var document Document
	err := c.Resolve(ctx, Write{
		Send: func(ctx context.Context) (err error) {
			document, err = c.leaving(c.changeDocument(ctx, endpoint, params, trees))
			return err
		},
		Observe: func(ctx context.Context, _ bool) (seen WriteState, _ string) {
			now, err := c.documentWith(ctx, id, trees)
			document, seen = observationOfNew(now, err == nil && done(now.DocumentSummary), err)
			return seen, ""
		},
		Again: endpoint == "documents.create",
	})
	if err != nil {
		return Document{}, err
	}
	return document, nil
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
	return c.remove(ctx, deleting.request("documents.delete", struct {
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
	return c.Resolve(ctx, Write{
		Send: func(ctx context.Context) error { return c.call(ctx, r, new(acknowledgement)) },
		Observe: func(ctx context.Context, _ bool) (WriteState, string) {
			done, err := removed(ctx)
			if errors.Is(err, ErrNotFound) {
				return SeenDone, ""
			}
			_, seen := observation(r, done, err)
			return seen, ""
		},
	})
}

// ArchivedParams select a page of the archive.
type ArchivedParams struct {
	CollectionID string `json:"collectionId,omitempty"` // UUID (see Client.ResolveCollectionID); "" for all collections
	Limit        int    `json:"limit,omitempty"`        // 1–100; 0 is Outline's default, 25
	Offset       int    `json:"offset,omitempty"`       // of the first document, 0 or more
	// Sort is the order, latest first. The default is updatedAt, which documents that were
	// archived together share, so that pages may repeat some of them and leave out others.
	// ByCreation has no such ties.
	Sort string `json:"sort,omitempty"`
}

// ByCreation is the order of a list by the date of creation.
const ByCreation = "createdAt"

// ArchivedDocuments returns a page of the archived documents
// (documents.archived). Outline does not send their number: Total is -1.
// Viewers and guests get ErrForbidden.
func (c *Client) ArchivedDocuments(ctx context.Context, p ArchivedParams) (Page[DocumentSummary], error) {
	return list(ctx, c, listing.request("documents.archived", p), DocumentSummary.incomplete)
}

// maxArchive is how many documents of an archive are looked through.
const maxArchive = 1000

// ArchivedBelow returns the archived documents below one, as far as they are among the
// maxArchive of its collection that were created last. They come back with the document when
// that is restored, whenever they were archived. It fails as ArchivedDocuments.
func (c *Client) ArchivedBelow(ctx context.Context, d DocumentSummary) ([]DocumentSummary, error) {
	var archive []DocumentSummary
	_, err := readPages(ctx, maxArchive, func(page ListParams) (Page[DocumentSummary], error) {
		return c.ArchivedDocuments(ctx, ArchivedParams{CollectionID: d.CollectionID, Limit: page.Limit, Offset: page.Offset, Sort: ByCreation})
	}, DocumentSummary.id, func(d DocumentSummary) bool {
		archive = append(archive, d)
		return false
	})
	above := map[string]string{}
	for _, other := range archive {
		above[other.ID] = other.ParentDocumentID
	}
	return slices.DeleteFunc(archive, func(other DocumentSummary) bool {
		id := other.ParentDocumentID
		for depth := 0; id != d.ID && id != "" && depth < maxArchive; depth++ {
			id = above[id]
		}
		return id != d.ID || other.PublishedAt == nil
	}), err
}

// DeletedDocuments returns a page of the trash, including deleted templates
// (documents.deleted), latest first in the order of sort, which is as in
// [ArchivedParams]. Outline does not send their number: Total is -1. Viewers
// and guests get ErrForbidden.
func (c *Client) DeletedDocuments(ctx context.Context, sort string, p ListParams) (Page[DocumentSummary], error) {
	return list(ctx, c, listing.request("documents.deleted", ArchivedParams{Limit: p.Limit, Offset: p.Offset, Sort: sort}), DocumentSummary.incomplete)
}

// UnpublishDocument makes a published document a draft in its collection
// (documents.unpublish). The id is as for [Client.Document]. A draft and an archived
// document fail with ErrForbidden, a document with others below it with ErrInvalid.
func (c *Client) UnpublishDocument(ctx context.Context, id string) (Document, error) {
	return c.changeState(ctx, "documents.unpublish", byID{id}, id, new(trees), func(d DocumentSummary) bool { return d.PublishedAt == nil })
}
