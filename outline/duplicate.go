package outline

import (
	"cmp"
	"context"
	"strings"
	"time"
)

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
	answer, err := commandOnce(ctx, c, changing("documents.duplicate", body), incomplete, func(ctx context.Context) observation[duplicated] {
		created, err := c.createdSince(ctx, start, cmp.Or(p.CollectionID, original.CollectionID), p.Publish)
		copies, certain := p.copiesIn(created, original)
		if err == nil && !certain {
			return observation[duplicated]{seen: seenUntold}
		}
		return observed(duplicated{copies}, len(copies) > 0, err)
	})
	return answer.Documents, err
}

// A createdDocument is a document in a list, with what it is a copy of.
type createdDocument struct {
	DocumentSummary
	Source struct {
		OriginalDocumentID string `json:"originalDocumentId"`
	} `json:"sourceMetadata"`
}

// createdSince returns the documents of a collection, or of none, that were created
// since start, by the local clock: the published ones, or the caller's drafts.
func (c *Client) createdSince(ctx context.Context, start time.Time, collectionID string, published bool) ([]createdDocument, error) {
	endpoint := "documents.drafts"
	if published {
		endpoint = "documents.list"
	}
	var created []createdDocument
	var since time.Time
	list := func(ctx context.Context, p ListParams) (page Page[createdDocument], err error) {
		page, since, err = listSince[createdDocument](ctx, c, endpoint, sortedList{collectionID, "createdAt", direction(false), p}, start)
		return page, err
	}
	for d, err := range All(ctx, list, Paging{}) {
		if err != nil {
			return nil, err
		}
		if d.CreatedAt.Before(since) {
			break
		}
		created = append(created, d)
	}
	return created, nil
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
