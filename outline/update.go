package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// UpdateDocumentParams is a request that changes a document. Only what is set is
// sent.
type UpdateDocumentParams struct {
	ID        string  `json:"id"`              // UUID
	Title     *string `json:"title,omitempty"` // at most 100 characters
	Text      *string `json:"text,omitempty"`  // Markdown; EditMode says how it is used
	Icon      *string `json:"-"`               // emoji or name of an icon; a pointer to "" removes it
	Color     *string `json:"-"`               // of the icon, #RRGGBB; a pointer to "" removes it
	FullWidth *bool   `json:"fullWidth,omitempty"`
	EditMode  string  `json:"editMode,omitempty"` // replace, append, prepend or patch; "" means replace
	FindText  string  `json:"findText,omitempty"` // for patch: what Text replaces

	Publish      *bool  `json:"publish,omitempty"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; where Publish puts a draft that is in no collection

	// Done has Outline write a revision of the result. Otherwise further updates
	// complete the change.
	Done bool `json:"-"`
}

func (p UpdateDocumentParams) cells() int {
	if p.Text == nil {
		return 0
	}
	return prosemirror.TableCells(*p.Text)
}

// UpdateDocument makes one request that changes a document as it was read before, and
// returns it as it is afterwards, with its tree if it was read with it
// (documents.update). It neither resolves a lost answer nor looks for the changes of
// others: package edit does. Call it within [Client.InTurn].
//
// Outline appends and prepends inline: begin an appended text with an empty
// line to start a paragraph. Patch replaces the first occurrence of FindText
// in Outline's own Markdown of the document, case-sensitively, and keeps what
// Markdown cannot express; if it does not occur, the update fails with
// ErrTextNotFound. A server that checks revisions refuses to change another revision
// than that of the document with ErrConflict. An unknown, archived or deleted document
// fails with ErrForbidden.
func (c *Client) UpdateDocument(ctx context.Context, before Document, p UpdateDocumentParams) (Document, error) {
	body := struct {
		UpdateDocumentParams
		Icon         any  `json:"icon,omitempty"`
		Color        any  `json:"color,omitempty"`
		Done         bool `json:"done,omitempty"`
		LastRevision int  `json:"lastRevision"`
	}{p, orNull(p.Icon), orNull(p.Color), p.Done, before.Revision}
	document, err := c.changeDocument(WithCallOptions(ctx, NoLimitWaits()), "documents.update", body, before.decoder())
	if !document.UpdatedAt.Equal(before.UpdatedAt) { // otherwise it has changed nothing
		document, err = c.leaving(document, err)
	}
	if p.EditMode == "patch" {
		err = textNotFound(err, "Outline does not find the text to replace in the document")
	}
	return document, err
}

// RestoreRevision sets the title and the text of a document to those of one of its
// revisions, in one request (documents.restore). The document must be active and in a
// collection: one that is archived or in the trash would be brought back as it is, and
// a draft outside of collections fails with ErrInvalid.
//
// Outline copies the tree of the revision, without the marks of comments, and raises
// the revision of the document by one. It restores the icon as well, which no recording
// shows. It writes no revision of the result, and no version checks the document's
// revision here.
func (c *Client) RestoreRevision(ctx context.Context, before Document, revisionID string) (Document, error) {
	return c.changeDocument(WithCallOptions(ctx, NoLimitWaits()), "documents.restore", struct {
		ID         string `json:"id"`
		RevisionID string `json:"revisionId"`
	}{before.ID, revisionID}, before.decoder())
}

// ReadAgain returns the present state of a document, with its tree if it was read with
// it (documents.info).
func (c *Client) ReadAgain(ctx context.Context, before Document) (Document, error) {
	return c.documentWith(ctx, before.ID, before.decoder())
}

// orNull returns a field that is not sent if the value is nil, and as null if it is "",
// which Outline refuses or takes for another value.
func orNull(value *string) any {
	switch {
	case value == nil:
		return nil
	case *value == "":
		return json.RawMessage("null")
	}
	return *value
}

// decoder returns the decoder for further states of a document, or nil if its tree is
// not to be asked for.
func (d Document) decoder() *trees {
	switch {
	case d.Tree == nil:
		return nil
	case d.trees == nil:
		return new(trees) // it was not read by this client
	}
	return d.trees
}

// A Turn is the time in which one update of a document is made.
type Turn struct {
	// Stale reports that another update of this client ended since the document was
	// read.
	Stale bool
	// After is where the update puts the state of the document that it returns, or nil.
	After *Document

	client *Client
	id     string
	sent   bool
}

// InTurn calls write when the updates of the document that this client began earlier
// have ended, and again after waiting for a rate limit: others need not wait for one
// that does not concern them. support is what the server can do.
func (c *Client) InTurn(ctx context.Context, before Document, support Support, write func(*Turn) error) error {
	retries, longest := c.retries(ctx)
	for n := 0; ; n++ {
		err := c.inTurn(ctx, before, support, write)
		failure, ok := errors.AsType[*Error](err)
		if !ok || failure.Kind() != ErrRateLimited || n >= retries {
			return err
		}
		wait := failure.pause(n, longest)
		if !c.mayWait(ctx, wait) || transport.Pause(ctx, wait) != nil {
			return err
		}
	}
}

func (c *Client) inTurn(ctx context.Context, before Document, support Support, write func(*Turn) error) error {
	stale, err := c.writers.enter(ctx, before.ID, before.read)
	if err != nil {
		return err
	}
	turn := &Turn{Stale: stale, client: c, id: before.ID}
	defer func() {
		read := c.writers.leave(before.ID, turn.sent)
		if turn.After != nil {
			turn.After.read, turn.After.support = read, support
		}
	}()
	return write(turn)
}

// Sent records that a request was sent that may have changed the document.
func (t *Turn) Sent() { t.sent = true }

// Accompanied reports whether others were at work on the document lately.
func (t *Turn) Accompanied() bool {
	_, accompanied := t.client.writers.accompanied.Get(t.id)
	return accompanied
}

// MarkAccompanied records that others are at work on the document.
func (t *Turn) MarkAccompanied() {
	t.client.writers.accompanied.Set(t.id, struct{}{}, accompaniedTime)
}

// Updated records the state in which an update that was marked as done has left the
// document.
func (t *Turn) Updated(after Document) { t.client.own.add(after) }

// LeftBySelf reports whether a state of the document is the one in which this client
// left it.
func (t *Turn) LeftBySelf(d Document) bool { _, own := t.client.own.of(d); return own }

// Unraised reports whether Outline may still raise the revision of a state of the
// document, or has just done so, because it writes a revision of it.
func (t *Turn) Unraised(d Document) bool { return t.client.own.unraised(d) }

// Codes of errors of updates that Outline has accepted.
const (
	Overwritten = "document_overwritten" // another user has overwritten the update: an ErrConflict
	Mixed       = "document_mixed"       // of the update and that of another user, it cannot be seen what is there: OutcomeUnknown
)

// UpdateError returns the failure of an update that Outline has accepted, with one of
// these codes.
func UpdateError(code, message string) *Error {
	e := &Error{Endpoint: "documents.update", Code: code, kind: ErrConflict, Message: message}
	if code == Mixed {
		e.kind, e.outcomeUnknown = ErrUpstream, true
	}
	return e
}

// ChangedMeanwhile returns the ErrConflict of an update that was not made because the
// document has changed.
func ChangedMeanwhile(format string, args ...any) *Error {
	return &Error{Endpoint: "documents.update", Code: "document_conflict", kind: ErrConflict, Message: fmt.Sprintf(format, args...)}
}
