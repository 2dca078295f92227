package edit

import (
	"context"
	"fmt"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// updateRun is an update that is under way.
type updateRun struct {
	client *outline.Client
	turn   *outline.Turn
	params Params
	result Result // Before is the state that the next request changes

	pending int  // requests of which the answer was lost, and which were not seen to be carried out
	own     bool // this client has left Before as it is
	late    bool // the change was seen some time after it was made
	raises  bool // Outline may raise the revision of Before, because it still writes a revision
}

// run makes the update when it is its turn: it plans the change, sends it, resolves a
// lost answer, and looks whether the change is there.
func (u *updateRun) run(ctx context.Context) error {
	if err := u.prepare(ctx); err != nil {
		return err
	}
	u.raises = u.turn.Unraised(u.result.Before)
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
	u.result.After = after
	if !u.result.Guarded {
		u.result.Unguarded = u.params.Text != nil && !u.params.changesMode() && u.jumped(after)
		if after.Revision > u.raised() {
			u.loseEarlier()
			if u.params.KeepEarlier && !u.jumped(after) {
				u.result.NoEarlier = earlierUnsure
			}
		}
	}
	return u.confirm(ctx, time.Since(start))
}

// prepare plans the change for what is there when its turn has come, and makes sure that
// a revision holds that, if the caller wants it. A problem with the history does not
// prevent the update: whoever may write but not list revisions could do nothing about
// it. Waiting for a revision gives others time to write, so the document is read once
// more afterwards, and the change is planned again if it is not the same any more.
func (u *updateRun) prepare(ctx context.Context) error {
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
	if !u.params.KeepEarlier || u.result.NoEarlier != "" {
		return nil
	}
	before := u.result.Before
	earlier, why, waited := u.client.EarlierRevision(ctx, before)
	u.result.Earlier, u.result.NoEarlier = earlier, why
	if !waited {
		return nil
	}
	now, err := u.read(ctx)
	switch {
	case err != nil:
		return err
	case !now.UpdatedAt.Equal(before.UpdatedAt), !sameContent(now, before), now.Tree != nil && !prosemirror.Equal(before.Tree, now.Tree):
		return u.replan(now)
	}
	u.result.Before.Revision = now.Revision
	return nil
}

// read reads the document while others wait for their turn.
func (u *updateRun) read(ctx context.Context) (outline.Document, error) {
	return u.client.ReadAgain(outline.WithCallOptions(ctx, outline.NoLimitWaits()), u.result.Before)
}

// plan prepares the change for a state of the document.
func (u *updateRun) plan(now outline.Document) error {
	u.result.Before, u.own = now, u.turn.LeftBySelf(now)
	if u.params.Plan != nil {
		if err := u.params.Plan(now, &u.params); err != nil {
			return err
		}
	}
	u.result.Wanted, u.result.Expected = u.params.wanted(now), ""
	if u.result.Wanted == nil {
		u.result.Expected = u.params.expected(now.Text)
	}
	return nil
}

// replan prepares the change for a document that others have changed. A move, a
// comment or publishing raises the revision, too, but does not prevent the change.
func (u *updateRun) replan(now outline.Document) error {
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
func (u *updateRun) send(ctx context.Context) (outline.Document, error) {
	var document outline.Document
	var err error
	p, before := u.params, u.result.Before
	if p.restores != nil {
		document, err = u.client.RestoreRevision(ctx, before, p.restores.ID)
	} else {
		document, err = u.client.UpdateDocument(ctx, before, outline.UpdateDocumentParams{
			ID: p.ID, Title: p.Title, Text: p.Text, Icon: p.Icon, Color: p.Color, FullWidth: p.FullWidth, EditMode: p.EditMode, FindText: p.FindText,
			Publish: p.Publish, CollectionID: p.CollectionID, Done: !p.Unfinished,
		})
		if err == nil && !p.Unfinished && (u.result.Earlier == nil || !document.UpdatedAt.Equal(before.UpdatedAt)) { // otherwise it changed nothing
			u.turn.Updated(document)
		}
	}
	if outline.OutcomeUnknown(err) {
		u.pending++
	}
	if err == nil || u.pending > 0 {
		u.turn.Sent()
	}
	return document, err
}

// repeatable reports whether the request may be sent twice. A server that checks
// revisions refuses the second one. On others, replacing the whole text twice has
// the same result, but adding or patching twice does not.
func (u *updateRun) repeatable() bool { return !u.params.changesMode() || u.result.Guarded }

// observe compares the document, after a lost answer or a refusal, with what it was when
// the change was sent.
func (u *updateRun) observe(ctx context.Context, refused bool) (now outline.Document, seen outline.WriteState, note string) {
	before := u.result.Before
	now, err := u.client.ReadAgain(ctx, before)
	switch {
	case err != nil:
		seen = outline.SeenNothing
	case refused && u.params.Plan != nil && u.params.ExpectedRevision == 0:
		seen = outline.SeenOvertaken // even if the change cannot be read yet: planning again is harmless
	case now.Revision == before.Revision && (!u.result.Guarded || now.UpdatedAt.Equal(before.UpdatedAt)): // a number may be given twice
		seen = outline.SeenUnchanged
	case refused:
		seen = outline.SeenOvertaken
	case u.done(before, now):
		seen, u.late = outline.SeenDone, true
		u.pending--
		if !u.result.Guarded || now.Revision > before.Revision+1 {
			if !u.exact(now) {
				// Without a guard, they may have been first.
				u.result.Others.After, u.result.Others.Before, u.result.Others.At = u.result.Guarded, !u.result.Guarded, now.UpdatedAt
			}
			u.adopt(now)
		}
	case u.overtaken(before, now):
		seen = outline.SeenOvertaken
	default:
		seen = outline.SeenAmbiguous
		note = fmt.Sprintf("the document has gone from revision %d to %d since, and does not tell whether this change was among those", before.Revision, now.Revision)
	}
	return now, seen, note
}

// Outline reads, changes and saves a document without a lock: a request that read it
// before this change was saved may be saved after it, without it. Its newest source refuses
// such a request only if it names the revision that was read.
const (
	// The bounds of the pause before the change is looked for: at least what the write
	// took, so that requests that were under way have ended.
	minPause, maxPause = 20 * time.Millisecond, time.Second
	// recently is how long before the update a change by another user is a sign that
	// there are more.
	recently = 10 * time.Second
)

// confirm compares what is stored with the change that Outline has accepted. It reads the
// document once more if the server does not check revisions or others are at work, and
// a second time if it is then seen to have been changed. What is gone or cannot be told
// is an error. What Outline itself has stored otherwise is for verify.
func (u *updateRun) confirm(ctx context.Context, took time.Duration) error {
	answer := u.result.After
	since := answer.UpdatedAt.Sub(u.result.Before.UpdatedAt)
	if u.result.Guarded && since == 0 { // it changed nothing
		return nil
	}
	accompanied := u.jumped(answer) || !u.own && (u.result.Others.Before || 0 < since && since < recently)
	if accompanied { // a new sign: after ten seconds without one, the caller's own updates do not pause any more
		u.turn.MarkAccompanied()
	}
	accompanied = accompanied || u.turn.Accompanied()
	u.result.accompanied = accompanied && u.result.Guarded
	if u.result.Guarded && !accompanied && !u.late {
		return nil
	}
	if !u.params.headed(answer) || !u.exact(answer) {
		// Without a check of revisions, two writes at the same time get the same number.
		seen, there := u.jumped(answer) || u.result.Others.Before, u.params.headed(answer) && u.presence(answer) == Present
		switch {
		case u.ignoredMode(answer), !seen && (u.result.Guarded || !there):
			return nil
		case !there:
			return u.lookedUp(answer)
		}
		u.result.Others.Before = true
		u.loseEarlier()
		u.adopt(answer)
	}
	pause := min(max(took, minPause), maxPause)
	if accompanied || u.late { // what has ended the answer may have been another write
		pause = maxPause
	}
	for look := 1; ; look++ {
		var now outline.Document
		err := transport.Pause(ctx, pause)
		if err == nil {
			now, err = u.look(ctx, took)
		}
		if err != nil {
			return outline.UpdateError(outline.Mixed, "Outline accepted this change, but reading the document again failed: another user may have overwritten the change since")
		}
		if !now.UpdatedAt.Equal(answer.UpdatedAt) || !sameContent(now, answer) {
			u.turn.MarkAccompanied()
			u.result.Others.After, u.result.Others.At = true, now.UpdatedAt
			if now.UpdatedBy.ID != answer.UpdatedBy.ID {
				u.result.Others.Name = now.UpdatedBy.Name
			}
			if look == 1 && !accompanied { // where there is one other write, there may be more under way
				pause = maxPause
				continue
			}
		}
		u.result.After = now
		return u.lookedUp(now)
	}
}

// look reads the document while others wait for their turn: not longer than four times what
// the write took, or two seconds.
func (u *updateRun) look(ctx context.Context, took time.Duration) (outline.Document, error) {
	ctx, cancel := context.WithTimeout(ctx, max(2*time.Second, 4*took))
	defer cancel()
	return u.read(ctx)
}

// lookedUp returns what a state of the document, some time after the update, says of the
// change.
func (u *updateRun) lookedUp(now outline.Document) error {
	switch u.presence(now) {
	case Absent:
		if u.pending > 0 {
			return outline.UpdateError(outline.Mixed, u.lastAuthor()+" overwrote this change; an earlier request for it, of which the answer was lost, may still be carried out")
		}
		return outline.UpdateError(outline.Overwritten, u.lastAuthor()+" overwrote this change, which is not in the document")
	case Uncertain:
		return outline.UpdateError(outline.Mixed, fmt.Sprintf("%s changed the same part of the document at the same time: "+
			"this change to revision %d is only partly in the document, or in another form", u.lastAuthor(), u.result.Before.Revision))
	}
	u.adopt(now)
	return nil
}

// lastAuthor says who changed the document last and when, as far as it is known.
func (u *updateRun) lastAuthor() string {
	others := u.result.Others
	name := others.Name
	if name == "" {
		name = "another user"
	}
	if others.At.IsZero() {
		return name
	}
	return name + ", at " + others.At.UTC().Format(time.RFC3339) + ","
}

// ignoredMode reports whether Outline replaced the whole text by one that was to be added or
// put into it.
func (u *updateRun) ignoredMode(answer outline.Document) bool {
	return u.params.changesMode() && u.params.Text != nil && answer.Tree != nil && Same(answer.Dialect().Parse(*u.params.Text), answer.Tree)
}
