package outline

import (
	"context"
	"errors"
	"sync"
	"time"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// Outline keeps a revision of a document when it is published, after an update that
// is marked as done, and after some minutes without a change. Everything in between
// is lost with the next change. Recordings show that
//
//   - a revision is written from a queue, up to a second after the update, and holds
//     what the document holds by then;
//   - its CreatedAt is the UpdatedAt of the document at that time;
//   - none is written of a state that the newest revision holds already, as after a
//     move or a comment;
//   - writing one raises the document's revision number, but not its UpdatedAt.

// revisions are the newest revisions of a document, or why they are not known.
type revisions struct {
	items []Revision
	err   error
}

// at returns the revision of the state in which the document was last changed at a
// time, or nil.
func (r revisions) at(changed time.Time) *Revision {
	for _, revision := range r.items {
		if revision.DeletedAt == nil && revision.CreatedAt.Equal(changed) {
			return &revision
		}
	}
	return nil
}

const (
	// newest is how many revisions are listed: those that matter, and some that
	// others may have added or deleted. Releases send each with its whole text.
	newest = 3
	// historyTime limits a request that only serves to name a revision.
	historyTime = 3 * time.Second
)

// revisionPauses are the pauses before each look for a revision that is being
// written.
var revisionPauses = [...]time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond}

// newestRevisions lists revisions in one attempt: an update does not wait for them
// longer than that.
func (c *Client) newestRevisions(ctx context.Context, documentID string) *revisions {
	ctx, cancel := context.WithTimeout(WithCallOptions(ctx, NoRetries()), historyTime)
	defer cancel()
	page, err := c.Revisions(ctx, RevisionsParams{DocumentID: documentID, Limit: newest})
	return &revisions{page.Items, err}
}

// Why there is no earlier revision of a document, as clauses.
const (
	earlierDraft      = "a draft outside of collections cannot be restored from its history"
	earlierForbidden  = "this key may not read the document's history"
	earlierUnanswered = "Outline did not answer a request for the document's history"
	earlierLate       = "Outline did not write a revision of it in time"
	EarlierChanging   = "the document was being changed by others at the same time"
)

// EarlierRevision returns the revision that holds a document as it was just read, apart
// from the marks of comments, or why there is none. If there is none yet, it has one
// written and waits for it.
func (c *Client) EarlierRevision(ctx context.Context, d Document) (r *Revision, why string, waited bool) {
	if d.PublishedAt == nil && d.CollectionID == "" {
		return nil, earlierDraft, false
	}
	listed := d.revisions
	if listed == nil {
		listed = c.newestRevisions(ctx, d.ID)
	}
	if listed.err != nil {
		return nil, whyUnlisted(listed.err), false
	}
	if r := listed.at(d.UpdatedAt); r != nil {
		return r, "", false
	}
	if !c.own.awaited(d) {
		if r, why := c.checkpoint(ctx, d, listed); r != nil || why != "" {
			return r, why, true
		}
	}
	for _, pause := range revisionPauses {
		if deadline, limited := ctx.Deadline(); limited && time.Until(deadline) < 4*pause || transport.Pause(ctx, pause) != nil {
			break
		}
		listed = c.newestRevisions(ctx, d.ID)
		switch r := listed.at(d.UpdatedAt); {
		case listed.err != nil:
			return nil, whyUnlisted(listed.err), true
		case r != nil:
			return r, "", true
		case len(listed.items) > 0 && listed.items[0].CreatedAt.After(d.UpdatedAt):
			return nil, EarlierChanging, true
		}
	}
	if r := c.sameAsNewest(ctx, d, listed); r != nil {
		return r, "", true
	}
	return nil, earlierLate, true
}

// sameAsNewest returns the newest revision if it holds a document, although with the
// time of another change. Outline writes no second one then.
func (c *Client) sameAsNewest(ctx context.Context, d Document, listed *revisions) *Revision {
	if len(listed.items) == 0 || listed.items[0].DeletedAt != nil || !listed.items[0].Heads(d.DocumentSummary) || !c.holds(ctx, listed.items[0].ID, d) {
		return nil
	}
	return &listed.items[0]
}

// checkpoint has a revision written of the present state of a document, by an update
// that changes nothing. Side by side, it looks whether the newest revision holds that
// state, of which no other would be written then, and returns it if so.
func (c *Client) checkpoint(ctx context.Context, d Document, known *revisions) (held *Revision, why string) {
	ctx, cancel := context.WithTimeout(WithCallOptions(ctx, NoRetries()), historyTime)
	defer cancel()
	var wait sync.WaitGroup
	wait.Go(func() { held = c.sameAsNewest(ctx, d, known) })
	now, err := c.changeDocument(ctx, "documents.update", struct {
		ID   string `json:"id"`
		Done bool   `json:"done"`
	}{d.ID, true}, nil)
	wait.Wait()
	switch {
	case held != nil:
	case err != nil: // it may be carried out later, which does no harm
		why = earlierUnanswered
	case !now.UpdatedAt.Equal(d.UpdatedAt):
		why = EarlierChanging
	default:
		c.own.add(now)
	}
	return held, why
}

// holds reports whether a revision has the tree of a document (revisions.info),
// apart from the marks of comments.
func (c *Client) holds(ctx context.Context, revisionID string, d Document) bool {
	decoder := d.trees
	if d.Tree == nil {
		decoder = new(trees)
		now, err := c.documentWith(ctx, d.ID, decoder)
		if err != nil || now.Tree == nil || !now.UpdatedAt.Equal(d.UpdatedAt) {
			return false
		}
		d = now
	}
	if decoder == nil {
		decoder = new(trees) // the document was not read by this client
	}
	revision, err := c.revisionWith(ctx, revisionID, decoder)
	return err == nil && revision.Tree != nil && prosemirror.EqualWithoutComments(revision.Tree, d.Tree)
}

func whyUnlisted(err error) string {
	if errors.Is(err, ErrForbidden) {
		return earlierForbidden
	}
	return earlierUnanswered
}
