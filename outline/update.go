package outline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"outline-mcp/outline/sametext"
)

// UpdateDocumentParams says what to change in a document. Only what is set is
// sent.
type UpdateDocumentParams struct {
	ID       string  `json:"id"`                 // UUID or URL id, as for Client.Document
	Title    *string `json:"title,omitempty"`    // at most 100 characters
	Text     *string `json:"text,omitempty"`     // Markdown; EditMode says what becomes of it
	Icon     *string `json:"-"`                  // emoji or name of an icon; a pointer to "" removes it
	EditMode string  `json:"editMode,omitempty"` // replace, append, prepend or patch; "" means replace
	FindText string  `json:"findText,omitempty"` // for patch: what Text takes the place of

	Publish      *bool  `json:"publish,omitempty"`
	CollectionID string `json:"collectionId,omitempty"` // UUID; where Publish puts a draft that is in no collection

	// ExpectedRevision refuses the change unless the document has this
	// revision. 0 accepts any.
	ExpectedRevision int `json:"-"`
	// Before is the document as it was read just before, to which the change
	// is made. If it is nil, the document is read first.
	Before *Document `json:"-"`
	// Plan sets Text, EditMode and FindText of change to what changes a document
	// of this state. It is called before the first request, and again with the
	// new state when somebody else has changed the document in between, unless
	// there is an ExpectedRevision. Its error ends the update and is returned as
	// it is. nil sends the fields as they are.
	Plan func(now Document, change *UpdateDocumentParams) error `json:"-"`
}

// Update is the result of an update.
type Update struct {
	Before, After Document
	// Expected is the text that After was to have, but for what Outline makes
	// of its form; see package sametext.
	Expected string
	// Replaced reports that the server knows no edit modes, so that the whole
	// text was replaced. What Markdown cannot express, such as the anchors of
	// comments, may be lost.
	Replaced bool
	// Unguarded reports that the server does not look at revisions, and the
	// document was changed between reading and writing it, so that a text which
	// was replaced may have been somebody else's.
	Unguarded bool
}

// errStale marks a conflict that was seen before anything was sent.
var errStale = errors.New("the document has another revision")

// UpdateDocument changes a document and returns it as it was before and as it
// is afterwards (documents.update).
//
// The change is made to the document as it was read, by its revision: if
// somebody else changes it in between, nothing is written and the failure is
// ErrConflict, unless there is a Plan. So it is when the document does not have
// ExpectedRevision. Outline raises the revision once more a moment after it has
// published a document, which is no conflict. What is appended or prepended
// takes nothing away: without ExpectedRevision it is added to what others wrote
// in between. Servers that know no revisions are guarded by reading alone. A
// lost answer is resolved by reading the document.
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
func (c *Client) UpdateDocument(ctx context.Context, p UpdateDocumentParams) (Update, error) {
	if p.Before == nil {
		before, err := c.Document(ctx, p.ID)
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
		known, err := c.knowsRevisions(ctx)
		u.result.Unguarded = err == nil && !known
	}
	return u.result, nil
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

	appendsAsEver bool // by the name that appending had before there were edit modes
}

// plan makes the change for a state of the document.
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
		u.appendsAsEver = !known && u.params.EditMode == "append"
		u.result.Replaced = !known && !u.appendsAsEver
	}
	u.result.Expected = u.params.expected(now.Text)
	return nil
}

// replan makes the change for a document that others have changed. A move, a
// comment or publishing raises the revision, too, and is no reason to refuse.
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
		p.Text, p.EditMode, p.FindText = &u.result.Expected, "", ""
	}
	body := struct {
		UpdateDocumentParams
		Append       bool `json:"append,omitempty"`
		Icon         any  `json:"icon,omitempty"`
		LastRevision int  `json:"lastRevision"`
	}{UpdateDocumentParams: p, LastRevision: u.result.Before.Revision}
	if u.appendsAsEver {
		body.EditMode, body.Append = "", true
	}
	switch {
	case p.Icon == nil:
	case *p.Icon == "":
		body.Icon = json.RawMessage("null") // Outline refuses ""
	default:
		body.Icon = *p.Icon
	}
	document, err := u.client.changeDocument(ctx, "documents.update", body)
	if p.EditMode == "patch" {
		err = textNotFound(err, "Outline does not find the text to replace in the document")
	}
	return document, err
}

// repeatable reports whether the request may be sent twice. A revision refuses
// the second; without one, a whole text comes to the same twice, and what is
// added or patched does not.
func (u *updating) repeatable(ctx context.Context) bool {
	if !u.params.changesMode() {
		return true
	}
	known, err := u.client.knowsRevisions(ctx)
	return err == nil && known
}

// observe compares the document with what it was when the change was sent.
func (u *updating) observe(ctx context.Context, what loss) observation[Document] {
	before := u.result.Before
	now, err := u.client.Document(ctx, before.ID)
	o := observation[Document]{value: now}
	switch {
	case err != nil:
		o.seen = seenNothing
	case what == conflicted && u.params.Plan != nil && u.params.ExpectedRevision == 0:
		o.seen = seenOvertaken // even if it cannot be read yet: planning again does no harm
	case now.Revision == before.Revision:
		o.seen = seenUnchanged
	case what == conflicted:
		o.seen = seenOvertaken
	case u.done(before, now):
		o.seen = seenDone
		if u.params.adds() || u.params.Text == nil {
			u.result.Expected = now.Text // with what others wrote
		}
	case u.overtaken(ctx, before, now):
		o.seen = seenOvertaken
	default:
		o.seen = seenAmbiguous
		o.note = fmt.Sprintf("the document has gone from revision %d to %d since, and does not tell whether this change was among those", before.Revision, now.Revision)
	}
	return o
}

// done reports whether the document is as the change was to leave it.
func (u *updating) done(before, now Document) bool {
	p, expected := u.params, u.result.Expected
	if p.Title != nil && now.Title != *p.Title || p.Icon != nil && now.Icon != *p.Icon || p.Publish != nil && (now.PublishedAt != nil) != *p.Publish {
		return false
	}
	visible := u.visible(before)
	if p.Text == nil || now.Text == expected || visible && sametext.Equal(now.Text, expected) {
		return !now.sameContent(&before) || expected == before.Text && p.Text != nil
	}
	return visible && p.adds() && sametext.Contains(now.Text, expected) // and others have added to it
}

// overtaken reports whether a request whose change is not there comes too late
// now. One revision more is one change, and not this one; or only a move, a
// comment or publishing. A server that looks at revisions then refuses the
// request.
func (u *updating) overtaken(ctx context.Context, before, now Document) bool {
	one := now.Revision == before.Revision+1 && (u.visible(before) || u.params.Text == nil)
	if !one && !now.sameContent(&before) {
		return false
	}
	known, err := u.client.knowsRevisions(ctx)
	return err == nil && known
}

// visible reports whether the change makes a difference in more than form.
func (u *updating) visible(before Document) bool {
	return u.params.Text != nil && !sametext.Equal(u.result.Expected, before.Text)
}

func (p UpdateDocumentParams) changesMode() bool { return p.EditMode != "" && p.EditMode != "replace" }

// adds reports whether the change takes nothing away.
func (p UpdateDocumentParams) adds() bool {
	return (p.EditMode == "append" || p.EditMode == "prepend") && p.Title == nil && p.Icon == nil
}

// expected is what becomes of a text, but for its form.
func (p UpdateDocumentParams) expected(text string) string {
	if p.Text == nil {
		return text
	}
	switch p.EditMode {
	case "append":
		return text + *p.Text
	case "prepend":
		return *p.Text + text
	case "patch":
		return strings.Replace(text, p.FindText, *p.Text, 1)
	}
	return *p.Text
}

func (d *Document) sameContent(other *Document) bool {
	return d.Text == other.Text && d.Title == other.Title && d.Icon == other.Icon && (d.PublishedAt == nil) == (other.PublishedAt == nil)
}
