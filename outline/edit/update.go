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
	// Replaced reports that the whole text was replaced because the server does not
	// support edit modes. What Markdown cannot express, such as the anchors of
	// comments, may be lost.
	Replaced bool
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
	// Unconfirmed reports that others may have overwritten the update since, and that
	// reading the document again, to see whether they have, failed.
	Unconfirmed bool
	// Doubled reports that what the update adds is in the document twice.
	Doubled bool

	accompanied bool // others were at work on the document
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
// request was read before. The update is therefore looked for afterwards if the server
// does not check revisions or others were seen to be at work, and made again if it was
// lost and has a Plan or only adds text. Otherwise it fails with ErrConflict and the
// code [outline.Overwritten]. A lost answer
// is resolved by reading the document, and by comparing trees if Before has a Tree,
// otherwise texts. After has a Tree if Before has one.
//
// On a server that does not support edit modes, text can still be appended; for the
// other modes, the whole text is replaced. Errors are as for
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
	u := &updating{result: result}
	err := c.InTurn(ctx, *p.Before, support, func(turn *outline.Turn) error {
		*u = updating{client: c, turn: turn, params: p, support: support, result: result}
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

// updating is an update that is under way.
type updating struct {
	client  *outline.Client
	turn    *outline.Turn
	params  Params
	support outline.Support
	result  Result // Before is the state that the next request changes

	appendsByFlag bool // by the field for appending of servers without edit modes
	pending       int  // requests of which the answer was lost, and which were not seen to be carried out
	own           bool // this client has left Before as it is
	late          bool // the change was seen some time after it was made
	raises        bool // Outline may raise the revision of Before, because it still writes a revision
}

// maxRepeated is how often a change that others keep overwriting is made again.
const maxRepeated = 5

// run makes the update when it is its turn.
func (u *updating) run(ctx context.Context) error {
	err := u.prepare(ctx)
	if err != nil {
		return err
	}
	u.raises = u.turn.Unraised(u.result.Before)
	for repeated := 0; ; repeated++ {
		start := time.Now()
		var after outline.Document
		err := u.client.Resolve(ctx, outline.Write{
			Send: func(ctx context.Context) (err error) { after, err = u.send(ctx); return err },
			Observe: func(ctx context.Context, refused bool) (seen outline.WriteState, note string) {
				after, seen, note = u.observe(ctx, refused)
				return seen, note
			},
			Repeatable: u.repeatable,
			Replan:     func(context.Context) error { return u.replan(after) },
		})
		if err != nil {
			return err
		}
		if u.support == outline.SupportUnknown {
			u.turn.RejectsNoProbe()
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
			u.turn.Overwritten()
		}
		switch {
		case err != nil || !lost:
			return err
		case repeated == maxRepeated || u.pending > 0 || !u.mayRepeat(u.result.After):
			return u.overwritten()
		}
		headStays, overwritten := u.headStays(), u.overwritten()
		u.result.Others = Others{Before: true, Name: u.result.Others.Name}
		u.loseEarlier()
		if err := u.plan(u.result.After); err != nil {
			if headStays {
				return overwritten
			}
			return err
		}
	}
}

// prepare plans the change for what is there when its turn has come.
func (u *updating) prepare(ctx context.Context) error {
	plan := u.plan
	now := u.result.Before
	if u.turn.Stale {
		var err error
		if now, err = u.read(ctx); err != nil {
			return err
		}
		plan = u.replan
	}
	if err := plan(now); err != nil {
		return err
	}
	if err := u.keepEarlier(ctx); err != nil {
		return err
	}
	if !u.result.Guarded && u.turn.Contended() {
		return u.awaitSave(ctx)
	}
	return nil
}

// read reads the document while others wait for their turn.
func (u *updating) read(ctx context.Context) (outline.Document, error) {
	return u.client.ReadAgain(outline.WithCallOptions(ctx, outline.NoLimitWaits()), u.result.Before)
}

// plan prepares the change for a state of the document.
func (u *updating) plan(now outline.Document) error {
	u.result.Before, u.own = now, u.turn.LeftBySelf(now)
	if u.params.Plan != nil {
		if err := u.params.Plan(now, &u.params); err != nil {
			return err
		}
	}
	if u.params.changesMode() {
		known := u.support >= outline.SupportsPatches || u.support == outline.SupportsAppends && u.params.EditMode != "patch"
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
func (u *updating) replan(now outline.Document) error {
	before := u.result.Before
	if !sameContent(now, before) && (u.params.ExpectedRevision != 0 || u.params.Plan == nil && !u.params.adds()) {
		return outline.ChangedMeanwhile("another user changed the document meanwhile, from revision %d to %d%s", before.Revision, now.Revision, now.LastChange())
	}
	if !sameContent(now, before) {
		u.result.Others.Before = true
		u.loseEarlier()
	}
	return u.plan(now)
}

// send makes one request of the change.
func (u *updating) send(ctx context.Context) (outline.Document, error) {
	var document outline.Document
	var err error
	if u.params.restores != nil {
		document, err = u.client.RestoreRevision(ctx, u.result.Before, u.params.restores.ID)
	} else {
		document, err = u.update(ctx)
	}
	if outline.OutcomeUnknown(err) {
		u.pending++
	}
	if err == nil || u.pending > 0 {
		u.turn.Sent()
	}
	return document, err
}

// update makes a request that updates the document.
func (u *updating) update(ctx context.Context) (outline.Document, error) {
	p := u.params
	request := outline.UpdateDocumentParams{
		ID: p.ID, Title: p.Title, Text: p.Text, Icon: p.Icon, Color: p.Color, FullWidth: p.FullWidth, EditMode: p.EditMode, FindText: p.FindText,
		Publish: p.Publish, CollectionID: p.CollectionID, Done: !p.Unfinished,
	}
	switch {
	case u.result.Replaced:
		request.Text, request.EditMode, request.FindText = new(p.expected(u.result.Before.Text)), "", ""
	case u.appendsByFlag:
		request.EditMode, request.Append = "", true
	}
	document, err := u.client.UpdateDocument(ctx, u.result.Before, request)
	if err == nil && !p.Unfinished && (u.result.Earlier == nil || !document.UpdatedAt.Equal(u.result.Before.UpdatedAt)) { // otherwise it changed nothing
		u.turn.Updated(document)
	}
	return document, err
}

// repeatable reports whether the request may be sent twice. A server that checks
// revisions refuses the second one. On others, replacing the whole text twice has
// the same result, but adding or patching twice does not.
func (u *updating) repeatable() bool { return !u.params.changesMode() || u.result.Guarded }
