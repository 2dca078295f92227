package edit

import (
	"context"
	"fmt"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// observe compares the document with what it was when the change was sent.
func (u *updating) observe(ctx context.Context, refused bool) (now outline.Document, seen outline.Sight, note string) {
	before := u.result.Before
	now, err := u.client.ReadAgain(ctx, before)
	switch {
	case err != nil:
		seen = outline.SeenNothing
	case refused && u.params.Plan != nil && u.params.ExpectedRevision == 0:
		seen = outline.SeenOvertaken // even if the change cannot be read yet: planning again is harmless
	case now.Revision == before.Revision:
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
				u.result.Others.Within = u.presence(now) == Within
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

// earlierUnsure says why there may be no revision that holds the document as it was.
const earlierUnsure = "an answer of Outline was lost, and others may have changed the document before this change"

// keepEarlier makes sure that a revision holds the document as it is, if the caller
// wants that, before the first request that changes it. A problem with the history
// does not prevent the update: whoever may write but not list revisions could do
// nothing about it. Waiting gives others time to write, so the document is read once
// more afterwards, and the change is planned again if it is not the same any more.
func (u *updating) keepEarlier(ctx context.Context) error {
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
		return u.replan(ctx, now)
	}
	u.result.Before.Revision = now.Revision
	return nil
}

// loseEarlier records that somebody has changed the document since it was known
// which revision holds it. Waiting for another revision would give them time for the
// next change.
func (u *updating) loseEarlier() {
	if u.params.KeepEarlier {
		u.result.Earlier, u.result.NoEarlier = nil, outline.EarlierChanging
	}
}

// jumped reports whether the revision of a document tells that others have changed it
// between reading and writing it.
func (u *updating) jumped(after outline.Document) bool {
	raised := u.raised()
	if u.late {
		raised++ // for the revision of the change itself
	}
	raised += 2 * u.pending // so may each request of which the answer was lost
	return after.Revision > raised
}

// raised is the revision of the document after the change if nobody else changes it
// and no answer is lost.
func (u *updating) raised() int {
	if u.raises {
		return u.result.Before.Revision + 2
	}
	return u.result.Before.Revision + 1
}
