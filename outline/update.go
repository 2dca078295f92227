package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"outline-mcp/outline/prosemirror"
)

// UpdateDocumentParams says what to change in a document. Only what is set is
// sent.
type UpdateDocumentParams struct {
	ID       string  `json:"id"`                 // UUID or URL id, as for Client.Document
	Title    *string `json:"title,omitempty"`    // at most 100 characters
	Text     *string `json:"text,omitempty"`     // Markdown; EditMode says how it is used
	Icon     *string `json:"-"`                  // emoji or name of an icon; a pointer to "" removes it
	EditMode string  `json:"editMode,omitempty"` // replace, append, prepend or patch; "" means replace
	FindText string  `json:"findText,omitempty"` // for patch: what Text replaces

	Publish      *bool  `json:"publish,omitempty"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; where Publish puts a draft that is in no collection

	// ExpectedRevision refuses the change unless the document has this
	// revision. 0 accepts any.
	ExpectedRevision int `json:"-"`
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
}

// Update is the result of an update.
type Update struct {
	Before, After Document
	// Wanted is the tree that After should have, as package prosemirror predicts it.
	// It is nil if the text does not change, and if Before has no tree.
	Wanted *prosemirror.Node
	// Expected is the text that After should have if Wanted is nil, apart from
	// differences in form that Outline makes; see package sametext.
	Expected string
	// Replaced reports that the whole text was replaced because the server does not
	// support edit modes. What Markdown cannot express, such as the anchors of
	// comments, may be lost.
	Replaced bool
	// Unguarded reports that the server does not check revisions and the document
	// was changed between reading and writing it. The change may have overwritten
	// somebody else's text.
	Unguarded bool
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
// moment after it has published a document, which is not a conflict. An append or
// prepend overwrites nothing: without ExpectedRevision, the text is added to the
// changes of others. On servers that do not check revisions, conflicts are only
// detected when the document is read. A lost answer is resolved by reading the
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
		read := c.Document
		if p.Text != nil || p.Plan != nil {
			read = c.DocumentWithTree
		}
		before, err := read(ctx, p.ID)
		if err != nil {
			return Update{}, err
		}
		p.Before = &before
	}
	before := *p.Before
	p.ID = before.ID // a new title changes the slug
	if err := c.CheckRevision(before, p.ExpectedRevision); err != nil {
		return Update{Before: before}, err
	}
	u := updating{client: c, params: p}
	if err := u.plan(ctx, before); err != nil {
		return u.result, err
	}
	after, err := resolve(ctx, c, operation[Document]{send: u.send, observe: u.observe, repeatable: u.repeatable, replan: u.replan})
	if err != nil {
		return u.result, err
	}
	u.result.After = after
	if u.params.Text != nil && (!u.params.changesMode() || u.result.Replaced) && after.Revision > u.result.Before.Revision+1 {
		known, err := c.KnowsRevisions(ctx)
		u.result.Unguarded = err == nil && !known
	}
	return u.result, nil
}

// CheckRevision fails with ErrConflict if a document, as it was just read, does not
// have the expected revision; 0 accepts any. If Outline has only raised the revision
// after it published a new document, the revision counts as unchanged: Outline does
// so within a second, and keeps the time of the last change.
func (c *Client) CheckRevision(now Document, expected int) error {
	unchanged := now.PublishedAt != nil && now.UpdatedAt.Before(*now.PublishedAt)
	if expected == 0 || expected == now.Revision || expected+1 == now.Revision && unchanged {
		return nil
	}
	return changedMeanwhile(errStale, "the document has revision %d, not %d", now.Revision, expected)
}

func changedMeanwhile(cause error, format string, args ...any) *Error {
	return &Error{Endpoint: "documents.update", Code: "document_conflict", kind: ErrConflict, Err: cause, Message: fmt.Sprintf(format, args...)}
}

// updating is an update that is under way.
type updating struct {
	client *Client
	params UpdateDocumentParams
	result Update // Before is the state that the next request changes

	appendsByFlag bool // by the field for appending of servers without edit modes
}

// plan prepares the change for a state of the document.
func (u *updating) plan(ctx context.Context, now Document) error {
	u.result.Before = now
	if u.params.Plan != nil {
		if err := u.params.Plan(now, &u.params); err != nil {
			return err
		}
	}
	if u.params.changesMode() {
		known, err := u.client.KnowsEditModes(ctx)
		if err != nil {
			return err
		}
		u.appendsByFlag = !known && u.params.EditMode == "append"
		u.result.Replaced = !known && !u.appendsByFlag
	}
	u.result.Wanted, u.result.Expected = u.wanted(now), ""
	if u.result.Wanted == nil {
		u.result.Expected = u.params.expected(now.Text)
	}
	return nil
}

// replan prepares the change for a document that others have changed. A move, a
// comment or publishing raises the revision, too, but does not prevent the change.
func (u *updating) replan(ctx context.Context, now Document) error {
	before := u.result.Before
	if !now.sameContent(&before) && (u.params.ExpectedRevision != 0 || u.params.Plan == nil && !u.params.adds()) {
		return changedMeanwhile(nil, "somebody changed the document meanwhile, from revision %d to %d", before.Revision, now.Revision)
	}
	return u.plan(ctx, now)
}

// send makes one request of the change.
func (u *updating) send(ctx context.Context) (Document, error) {
	p := u.params
	if u.result.Replaced {
		p.Text, p.EditMode, p.FindText = new(p.expected(u.result.Before.Text)), "", ""
	}
	body := struct {
		UpdateDocumentParams
		Append       bool `json:"append,omitempty"`
		Icon         any  `json:"icon,omitempty"`
		LastRevision int  `json:"lastRevision"`
	}{UpdateDocumentParams: p, LastRevision: u.result.Before.Revision}
	if u.appendsByFlag {
		body.EditMode, body.Append = "", true
	}
	switch {
	case p.Icon == nil:
	case *p.Icon == "":
		body.Icon = json.RawMessage("null") // Outline refuses ""
	default:
		body.Icon = *p.Icon
	}
	document, err := u.client.changeDocument(ctx, "documents.update", body, u.trees())
	if p.EditMode == "patch" {
		err = textNotFound(err, "Outline does not find the text to replace in the document")
	}
	return document, err
}

// trees returns the decoder for the states of the document, or nil if its tree is
// not to be asked for.
func (u *updating) trees() *trees {
	before := u.result.Before
	switch {
	case before.Tree == nil:
		return nil
	case before.trees == nil:
		return new(trees) // it was not read by this client
	}
	return before.trees
}

// repeatable reports whether the request may be sent twice. A server that checks
// revisions refuses the second one. On others, replacing the whole text twice has
// the same result, but adding or patching twice does not.
func (u *updating) repeatable(ctx context.Context) bool {
	if !u.params.changesMode() {
		return true
	}
	known, err := u.client.KnowsRevisions(ctx)
	return err == nil && known
}

// observe compares the document with what it was when the change was sent.
func (u *updating) observe(ctx context.Context, what loss) observation[Document] {
	before := u.result.Before
	now, err := u.client.documentWith(ctx, before.ID, u.trees())
	o := observation[Document]{value: now}
	switch {
	case err != nil:
		o.seen = seenNothing
	case what == conflicted && u.params.Plan != nil && u.params.ExpectedRevision == 0:
		o.seen = seenOvertaken // even if the change cannot be read yet: planning again is harmless
	case now.Revision == before.Revision:
		o.seen = seenUnchanged
	case what == conflicted:
		o.seen = seenOvertaken
	case u.done(before, now):
		o.seen = seenDone
		if u.params.adds() || u.params.Text == nil {
			u.result.Wanted, u.result.Expected = now.Tree, now.Text // including what others wrote
		}
	case u.overtaken(ctx, before, now):
		o.seen = seenOvertaken
	default:
		o.seen = seenAmbiguous
		o.note = fmt.Sprintf("the document has gone from revision %d to %d since, and does not tell whether this change was among those", before.Revision, now.Revision)
	}
	return o
}
