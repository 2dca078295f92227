package edit

import (
	"context"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// Params say what to change in a document. Only what is set is sent.
type Params struct {
	ID        string  // UUID or URL id, as for Client.Document
	Title     *string // at most 100 characters
	Text      *string // Markdown; EditMode says how it is used
	Icon      *string // emoji or name of an icon; a pointer to "" removes it
	Color     *string // of the icon, #RRGGBB; a pointer to "" removes it
	FullWidth *bool   // the page is as wide as the window
	EditMode  string  // replace, append, prepend or patch; "" means replace
	FindText  string  // for patch: what Text replaces

	Publish      *bool
	CollectionID string // UUID; where Publish puts a draft that is in no collection

	// ExpectedRevision refuses the change unless the document has this
	// revision. 0 accepts any.
	ExpectedRevision int
	// KeepEarlier makes sure, as far as possible, that a revision holds the document
	// as it is before the change; see Result.Earlier.
	KeepEarlier bool
	// Unfinished keeps Outline from writing a revision of the result, because further
	// updates complete the change.
	Unfinished bool
	// Before is the document as it was just read, to which the change is made. If
	// it is nil, the document is read first, with its tree if its text is to change.
	Before *outline.Document
	// Wanted is the tree that the change leads to, if the caller has predicted it
	// already with package prosemirror. Plan sets it together with Text.
	Wanted *prosemirror.Node
	// Plan sets Text, EditMode and FindText of change for the current state of the
	// document. It is called before the first request, and again with the new state
	// if another user has changed the document in the meantime, unless there is an
	// ExpectedRevision. The state has a Tree if Before has one. Its error ends the
	// update and is returned unchanged. If Plan is nil, the fields are sent as they
	// are.
	Plan func(now outline.Document, change *Params) error

	restores *outline.Revision // restores this revision, of which Text and Wanted are the text
}

// A Result is what an update has done.
type Result struct {
	Before, After outline.Document
	// Wanted is the tree that After should have, as package prosemirror predicts it.
	// It is nil if the text does not change, and if Before has no tree.
	Wanted *prosemirror.Node
	// Expected is the text that After should have if Wanted is nil, apart from
	// differences in form that Outline makes; see prosemirror.SameContent.
	Expected string
	// Earlier is the revision that holds Before, apart from the anchors of comments.
	// It is nil unless KeepEarlier is set, and if no revision is known to hold Before.
	// NoEarlier then says why, as a clause.
	Earlier   *outline.Revision
	NoEarlier string
	// Guarded reports that the server checks revisions, so that the update did not
	// overwrite what others had saved before. Releases of Outline up to 1.9.2 do not. It
	// does not keep others from overwriting the update.
	Guarded bool
	// Unguarded reports that the server does not check revisions and the document
	// was changed between reading and writing it. The change may have overwritten
	// another user's text.
	Unguarded bool
	// Others is what was seen of the changes of others. Wanted or Expected hold them,
	// too.
	Others Others

	accompanied bool // the server checks revisions, and others were at work on the document
}

// Others is what an update has seen of the changes of others, or of other updates by
// this client. On servers that do not check revisions, there may have been more.
type Others struct {
	Before bool // they changed the document between reading and writing it
	After  bool // they changed it afterwards; the update is still there

	Name string    // who changed the document last, if that is another user
	At   time.Time // when, if it was afterwards
}

// Update changes a document and returns it as it was before and as it is afterwards.
//
// The change is made only to the revision that was read: if another user changes
// the document in the meantime, nothing is written and the update fails with
// ErrConflict, unless there is a Plan. It also fails with ErrConflict if the
// document does not have ExpectedRevision. Outline raises the revision once more a
// moment after it has published a document, which is not a conflict. Updates of one
// document by the client are made one after the other. An append or prepend overwrites
// nothing: without ExpectedRevision, the text is added to the changes of others. On
// servers that do not check revisions, as no release up to 1.9.2 does, conflicts are
// only detected when the document is read.
//
// On any server, a client that sends no revision may overwrite the update, if its own
// request was read before. The document is therefore read once more afterwards if the
// server does not check revisions or others were seen to be at work. If the update is
// gone, it fails with ErrConflict and the code [outline.Overwritten], and if it is not
// known whether it is there, its outcome is unknown; it is not made again. A lost answer
// is resolved by reading the document, and by comparing trees if Before has a Tree,
// otherwise texts. After has a Tree if Before has one.
//
// A server that is too old fails with [outline.ErrUnsupported]. Other errors are as for
// [outline.Client.UpdateDocument].
func Update(ctx context.Context, c *outline.Client, p Params) (Result, error) {
	if p.Before == nil {
		read := c.Document
		if p.Text != nil || p.Plan != nil {
			read = c.DocumentWithTree
		}
		before, err := read(ctx, p.ID)
		if err != nil {
			return Result{}, err
		}
		p.Before = &before
	}
	p.ID = p.Before.ID // a new title changes the slug
	if err := c.CheckRevision(*p.Before, p.ExpectedRevision); err != nil {
		return Result{Before: *p.Before}, err
	}
	support := outline.SupportsPatches // no version checks revisions when it restores one
	if p.restores == nil {
		var err error
		if support, err = c.Support(ctx, *p.Before); err != nil {
			return Result{Before: *p.Before}, err
		}
	}
	result := Result{Before: *p.Before, Guarded: support == outline.SupportsRevisions}
	u := &updateRun{result: result}
	err := c.InTurn(ctx, *p.Before, support, func(turn *outline.Turn) error {
		*u = updateRun{client: c, turn: turn, params: p, result: result}
		turn.After = &u.result.After
		return u.run(ctx)
	})
	return u.result, err
}

// Restore sets the title and the text of a document, as DocumentToUpdate has just read
// it, to those of one of its revisions; see [outline.Client.RestoreRevision]. The result
// is like that of an update on servers that do not check revisions, and does not depend
// on the icon. Before is kept as Result.Earlier. With expectedRevision, it fails with
// ErrConflict if the document has another one; 0 accepts any.
func Restore(ctx context.Context, c *outline.Client, before outline.Document, r outline.RevisionContent, expectedRevision int) (Result, error) {
	params := Params{
		Before: &before, ExpectedRevision: expectedRevision, KeepEarlier: true,
		Text: &r.Text, restores: &r.Revision,
	}
	if before.Tree != nil && r.Tree != nil {
		params.Wanted = r.Tree.WithoutMarks(prosemirror.Comment)
	} else {
		params.Before.Tree = nil
	}
	return Update(ctx, c, params)
}
