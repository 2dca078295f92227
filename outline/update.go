package outline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// UpdateDocumentParams says what to change in a document. Only what is set is
// sent.
type UpdateDocumentParams struct {
	ID       string  `json:"id"`                 // UUID or URL id, as for Client.Document
	Title    *string `json:"title,omitempty"`    // at most 100 characters
	Text     *string `json:"text,omitempty"`     // Markdown; EditMode says how it is used
	Icon     *string `json:"-"`                  // emoji or name of an icon; a pointer to "" removes it
	Color    *string `json:"-"`                  // of the icon, #RRGGBB; a pointer to "" removes it
	EditMode string  `json:"editMode,omitempty"` // replace, append, prepend or patch; "" means replace
	FindText string  `json:"findText,omitempty"` // for patch: what Text replaces

	Publish      *bool  `json:"publish,omitempty"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; where Publish puts a draft that is in no collection

	// ExpectedRevision refuses the change unless the document has this
	// revision. 0 accepts any.
	ExpectedRevision int `json:"-"`
	// KeepEarlier makes sure, as far as possible, that a revision holds the document
	// as it is before the change; see Update.Earlier.
	KeepEarlier bool `json:"-"`
	// Unfinished keeps Outline from writing a revision of the result, because further
	// updates complete the change.
	Unfinished bool `json:"-"`
	// Before is the document as it was just read, to which the change is made. If
	// it is nil, the document is read first.
	Before *Document `json:"-"`
	// Wanted is the tree that the change leads to, if the caller has predicted it
	// already with package prosemirror. Plan sets it together with Text.
	Wanted *prosemirror.Node `json:"-"`
	// Plan sets Text, EditMode and FindText of change for the current state of the
	// document. It is called before the first request, and again with the new state
	// if somebody else has changed the document in the meantime, unless there is an
	// ExpectedRevision. The state has a Tree if Before has one. Its error ends the
	// update and is returned unchanged. If Plan is nil, the fields are sent as they
	// are.
	Plan func(now Document, change *UpdateDocumentParams) error `json:"-"`

	restores *Revision // restores this revision, of which Text and Wanted are the text
}

// Update is the result of an update.
type Update struct {
	Before, After Document
	// Wanted is the tree that After should have, as package prosemirror predicts it.
	// It is nil if the text does not change, and if Before has no tree.
	Wanted *prosemirror.Node
	// Expected is the text that After should have if Wanted is nil, apart from
	// differences in form that Outline makes; see [prosemirror.SameContent].
	Expected string
	// Replaced reports that the whole text was replaced because the server does not
	// support edit modes. What Markdown cannot express, such as the anchors of
	// comments, may be lost.
	Replaced bool
	// Earlier is the revision that holds Before, apart from the anchors of comments.
	// It is nil unless KeepEarlier is set, and if no revision is known to hold Before.
	// NoEarlier then says why, as a clause.
	Earlier   *Revision
	NoEarlier string
	// Guarded reports that the server checks revisions, so that the update cannot
	// overwrite what others have written. Releases of Outline up to 1.9.2 do not.
	Guarded bool
	// Unguarded reports that the server does not check revisions and the document
	// was changed between reading and writing it. The change may have overwritten
	// somebody else's text.
	Unguarded bool
	// Others is what was seen of the changes of others. Wanted or Expected hold them,
	// too.
	Others Others
	// Unconfirmed reports that the server does not check revisions, and that it could
	// not be seen whether somebody else has overwritten the update since.
	Unconfirmed bool
	// Doubled reports that what the update adds is in the document twice.
	Doubled bool
}

// errStale marks a conflict that was detected before anything was sent.
var errStale = errors.New("the document has another revision")

// UpdateDocument changes a document and returns it as it was before and as it
// is afterwards (documents.update).
//
// The change is made only to the revision that was read: if somebody else changes
// the document in the meantime, nothing is written and the update fails with
// ErrConflict, unless there is a Plan. It also fails with ErrConflict if the
// document does not have ExpectedRevision. Outline raises the revision once more a
// moment after it has published a document, which is not a conflict. Updates of one
// document by this client are made one after the other. An append or
// prepend overwrites nothing: without ExpectedRevision, the text is added to the
// changes of others. On servers that do not check revisions, as no release up to 1.9.2
// does, conflicts are only detected when the document is read; others may overwrite
// the update, which is then looked for, and made again if it was lost and has a Plan or
// only adds text. Otherwise it fails with ErrConflict and the code [Overwritten]. A lost
// answer is resolved by reading the
// document, and by comparing trees if Before has a Tree, otherwise texts. After has
// a Tree if Before has one. If UpdateDocument reads the document to change its
// text, it reads the tree, too.
//
// Outline appends and prepends inline: begin an appended text with an empty
// line to start a paragraph. Patch replaces the first occurrence of FindText
// in Outline's own Markdown of the document, case-sensitively, and keeps what
// Markdown cannot express; if it does not occur, the update fails with
// ErrTextNotFound. A server that does not support edit modes (see KnowsEditModes)
// can still append; for the other modes, the whole text is replaced.
//
// An unknown, archived or deleted document fails with ErrForbidden or, when it
// is read first, an unknown one with ErrNotFound.
func (c *Client) UpdateDocument(ctx context.Context, p UpdateDocumentParams) (Update, error) {
	if p.Before == nil {
		before, err := c.documentToUpdate(ctx, p.ID, p.Text != nil || p.Plan != nil, p.KeepEarlier && IsUUID(p.ID))
		if err != nil {
			return Update{}, err
		}
		p.Before = &before
	}
	p.ID = p.Before.ID // a new title changes the slug
	if err := c.CheckRevision(*p.Before, p.ExpectedRevision); err != nil {
		return Update{Before: *p.Before}, err
	}
	support := p.Before.support
	if p.restores != nil {
		support = patches // no version checks revisions there
	}
	if support == notAsked {
		var err error
		if support, err = c.updateSupport(ctx); err != nil {
			return Update{Before: *p.Before}, err
		}
	}
	retries, longest := c.retries(ctx)
	for n := 0; ; n++ {
		update, err := c.updateInTurn(ctx, p, support)
		failure, ok := errors.AsType[*Error](err)
		if !ok || failure.Kind() != ErrRateLimited || n >= retries {
			return update, err
		}
		// Others need not wait for a rate limit that does not concern them.
		wait := failure.RetryAfter
		if wait <= 0 {
			wait = min(transport.Backoff(n), longest)
		}
		if !c.mayWait(ctx, wait) || transport.Pause(ctx, wait) != nil {
			return update, err
		}
	}
}

// updateInTurn makes an update when those of the same document that came earlier
// have ended.
func (c *Client) updateInTurn(ctx context.Context, p UpdateDocumentParams, support updateSupport) (update Update, err error) {
	u := updating{client: c, params: p, support: support, result: Update{Before: *p.Before, Guarded: support == checksRevisions}}
	stale, err := c.writers.enter(ctx, p.ID, p.Before.read)
	if err != nil {
		return u.result, err
	}
	defer func() {
		update.After.read, update.After.support = c.writers.leave(p.ID, u.sent), support
	}()
	if stale {
		now, err := c.documentWith(WithCallOptions(ctx, noLimitWaits()), p.ID, u.trees())
		if err == nil {
			err = u.replan(ctx, now)
		}
		if err != nil {
			return u.result, err
		}
	} else if err := u.plan(*p.Before); err != nil {
		return u.result, err
	}
	if err := u.keepEarlier(ctx); err != nil {
		return u.result, err
	}
	if !u.result.Guarded && c.writers.contended(p.ID) {
		if err := u.awaitSave(ctx); err != nil {
			return u.result, err
		}
	}
	u.raises = c.own.unraised(u.result.Before)
	for repeated := 0; ; repeated++ {
		start := time.Now()
		after, err := resolve(ctx, c, operation[Document]{send: u.send, observe: u.observe, repeatable: u.repeatable, replan: u.replan})
		if err != nil {
			return u.result, err
		}
		if support == unknownSupport {
			c.known.setOldest() // a newer one would have rejected the probe
		}
		u.result.After = after
		u.result.Unguarded = !u.result.Guarded && u.params.Text != nil && (!u.params.changesMode() || u.result.Replaced) && u.jumped(after)
		if !u.result.Guarded && after.Revision > u.raised() {
			u.loseEarlier()
			if u.params.KeepEarlier && !u.jumped(after) {
				u.result.NoEarlier = earlierUnsure
			}
		}
		lost, err := u.confirm(ctx, time.Since(start))
		if lost {
			c.writers.overwritten(p.ID)
		}
		switch {
		case err != nil || !lost:
			return u.result, err
		case repeated == maxConflicts || u.pending > 0 || !u.mayRepeat(u.result.After):
			return u.result, u.overwritten()
		}
		u.result.Others = Others{Before: true, Name: u.result.Others.Name}
		u.loseEarlier()
		if err := u.plan(u.result.After); err != nil {
			return u.result, err
		}
	}
}

func changedMeanwhile(cause error, format string, args ...any) *Error {
	return &Error{Endpoint: "documents.update", Code: "document_conflict", kind: ErrConflict, Err: cause, Message: fmt.Sprintf(format, args...)}
}
