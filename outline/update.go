package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// UpdateDocumentParams says what to change in a document. Only what is set is sent.
type UpdateDocumentParams struct {
	ID       string  `json:"id"`                 // UUID or URL id, as for Client.Document
	Title    *string `json:"title,omitempty"`    // at most 100 characters
	Text     *string `json:"text,omitempty"`     // Markdown; EditMode says what becomes of it
	Icon     *string `json:"-"`                  // emoji or name of an icon; a pointer to "" removes it
	EditMode string  `json:"editMode,omitempty"` // replace, append, prepend or patch; "": replace
	FindText string  `json:"findText,omitempty"` // for patch: what Text takes the place of

	Publish      *bool  `json:"publish,omitempty"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; where Publish puts a draft that is in no collection

	// ExpectedRevision refuses the change unless the document has this
	// revision; 0: whatever it has.
	ExpectedRevision int `json:"-"`
	// Before is the document as it was read just before, to which the change
	// is made; nil: it is read first.
	Before *Document `json:"-"`

	appendsAsEver bool // by the name that appending had before there were edit modes
}

// Update is what became of an update.
type Update struct {
	Before, After Document
	// Expected is the text that After was to have, but for what Outline makes
	// of its form; see [sametext.Equal].
	Expected string
	// Replaced: the server knows no edit modes, so that the whole text was
	// replaced. What Markdown cannot express, such as the anchors of comments,
	// may be lost.
	Replaced bool
	// Unguarded: the server does not look at revisions, and the document was
	// changed between reading and writing it, so that a text which was
	// replaced may have been somebody else's.
	Unguarded bool
}

// errStale marks a conflict that was seen before anything was sent.
var errStale = errors.New("the document has another revision")

// UpdateDocument changes a document and returns it as it was and as it is then
// (documents.update).
//
// The change is made to the document as it was read, by its revision: if
// somebody else changes it in between, nothing is written and the failure is
// ErrConflict. So it is when the document does not have ExpectedRevision.
// Outline raises the revision once more a moment after it has published a
// document, which is no conflict. What is appended or prepended takes nothing
// away: without ExpectedRevision it is added to what others wrote in between.
// Servers that know no revisions are guarded by reading alone.
// A lost answer is settled by reading the document.
//
// Outline appends and prepends inline: begin an appended text with an empty
// line to start a paragraph. Patch replaces the first occurrence of FindText
// in Outline's own Markdown of the document, case-sensitively, and leaves
// alone what Markdown cannot express; where it does not occur, the failure is
// ErrTextNotFound. Where the server knows no edit modes (see KnowsEditModes), it
// appends all the same; for the others the whole text is replaced.
//
// An unknown, archived or deleted document fails with ErrForbidden or, when it
// is read first, an unknown one with ErrNotFound.
func (c *Client) UpdateDocument(ctx context.Context, u UpdateDocumentParams) (Update, error) {
	var result Update
	if u.Before == nil {
		before, err := c.Document(ctx, u.ID)
		if err != nil {
			return result, err
		}
		u.Before = &before
	}
	result.Before = *u.Before
	u.ID = u.Before.ID // what has a new title has another slug, too
	if err := c.CheckRevision(*u.Before, u.ExpectedRevision); err != nil {
		return result, err
	}
	if u.changesMode() {
		known, err := c.KnowsEditModes(ctx)
		if err != nil {
			return result, err
		}
		if u.appendsAsEver = !known && u.EditMode == "append"; !u.appendsAsEver {
			result.Replaced = !known
		}
	}
	var err error
	if result.After, err = c.update(ctx, u, &result); err != nil {
		return result, err
	}
	if u.Text != nil && (!u.changesMode() || result.Replaced) && result.After.Revision > result.Before.Revision+1 {
		known, err := c.knowsRevisions(ctx)
		result.Unguarded = err == nil && !known
	}
	return result, nil
}

// CheckRevision fails with ErrConflict if a document, as it was read just now,
// has another revision than the expected one; 0 expects nothing. That Outline
// has raised the revision after it published a new document does not count: it
// does so within a second, and leaves the time of the last change alone.
func (c *Client) CheckRevision(now Document, expected int) error {
	unchanged := now.PublishedAt != nil && now.UpdatedAt.Before(*now.PublishedAt)
	if expected == 0 || expected == now.Revision || expected+1 == now.Revision && unchanged {
		return nil
	}
	return &Error{
		Endpoint: "documents.update", Code: "document_conflict", kind: ErrConflict, Err: errStale,
		Message: fmt.Sprintf("the document has revision %d, not %d", now.Revision, expected),
	}
}

// mostConflicts is how often a change is made to the next state of a document
// that others change all the time.
const mostConflicts = 5

// update sends the change until it is known what became of it. It may go on
// from a later state than Before, which it notes in result.
func (c *Client) update(ctx context.Context, u UpdateDocumentParams, result *Update) (Document, error) {
	sending, cancel := leavingTimeToLook(ctx)
	defer cancel()
	var lost *Error    // an attempt that may have arrived
	var first Document // what it was made to
	conflicts, repeated := 0, 0
	retries, _ := c.retries(ctx)
	for {
		before := result.Before
		result.Expected = u.expected(before.Text)
		after, err := c.sendUpdate(sending, u, before.Revision, result)
		var failure *Error
		if !errors.As(err, &failure) {
			return after, nil
		}
		conflict := failure.Kind() == ErrConflict
		if failure.outcomeUnknown && lost == nil {
			lost, first = failure, before
		}
		if lost == nil && !conflict {
			return Document{}, failure
		}
		now, err := c.Document(ctx, before.ID)
		switch {
		case err != nil && lost != nil:
			lost.Afterwards = "looking what became of it failed, too"
			return Document{}, lost
		case err != nil:
			return Document{}, failure
		}
		if lost != nil {
			switch u.fateOf(ctx, c, first, now) {
			case done:
				result.Before = first
				if result.Expected = u.expected(first.Text); u.adds() || u.Text == nil {
					result.Expected = now.Text // with what others wrote
				}
				return now, nil
			case undecided:
				lost.Afterwards = fmt.Sprintf("the document has gone from revision %d to %d since, and does not tell whether this change was among those", first.Revision, now.Revision)
				return Document{}, lost
			case notDone:
				lost, failure.outcomeUnknown = nil, false
			case pending:
				lost.Afterwards = notThere
			}
		}
		switch {
		case failure.forGood():
			return Document{}, failure
		case conflict && now.Revision == before.Revision: // refused for another reason
			if lost != nil {
				return Document{}, lost
			}
			return Document{}, failure
		case failure.outcomeUnknown && failure.final() && now.Revision == before.Revision:
			if lost != failure {
				return Document{}, lost
			}
			failure.outcomeUnknown, failure.Afterwards = false, "nothing was changed"
			return Document{}, failure
		case !now.sameContent(&before) && !(u.adds() && u.ExpectedRevision == 0):
			// A move, a comment or publishing raises the revision, too.
			return Document{}, &Error{
				Endpoint: "documents.update", Status: failure.Status, Code: "document_conflict", kind: ErrConflict,
				Message: fmt.Sprintf("somebody changed the document meanwhile, from revision %d to %d", before.Revision, now.Revision),
			}
		}
		wait, again := backoff(min(conflicts, 2)), false
		if now.Revision != before.Revision {
			conflicts++
			again = conflicts <= mostConflicts && pause(sending, wait) == nil
		} else {
			wait = max(failure.RetryAfter, backoff(repeated))
			again = failure.transient && repeated < retries && c.mayRepeat(ctx, u) && c.mayWait(sending, wait) && pause(sending, wait) == nil
			repeated++
		}
		if !again {
			if lost != nil {
				return Document{}, lost
			}
			return Document{}, failure
		}
		result.Before = now
	}
}

// sendUpdate makes one request of the change to a document of this revision.
func (c *Client) sendUpdate(ctx context.Context, u UpdateDocumentParams, revision int, result *Update) (Document, error) {
	if result.Replaced {
		u.Text, u.EditMode, u.FindText = &result.Expected, "", ""
	}
	request := struct {
		UpdateDocumentParams
		Append       bool `json:"append,omitempty"`
		Icon         any  `json:"icon,omitempty"`
		LastRevision int  `json:"lastRevision"`
	}{UpdateDocumentParams: u, LastRevision: revision}
	if u.appendsAsEver {
		request.EditMode, request.Append = "", true
	}
	switch {
	case u.Icon == nil:
	case *u.Icon == "":
		request.Icon = json.RawMessage("null") // Outline refuses ""
	default:
		request.Icon = *u.Icon
	}
	document, err := c.changeDocument(ctx, "documents.update", request)
	if u.EditMode == "patch" {
		err = textNotFound(err, "Outline does not find the text to replace in the document")
	}
	return document, err
}

func (u UpdateDocumentParams) changesMode() bool { return u.EditMode != "" && u.EditMode != "replace" }

// adds reports whether the change takes nothing away.
func (u UpdateDocumentParams) adds() bool {
	return (u.EditMode == "append" || u.EditMode == "prepend") && u.Title == nil && u.Icon == nil
}
