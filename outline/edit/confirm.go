package edit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/outline/transport"
)

// This file looks for a change in a document that others change as well. Releases of
// Outline read, change and save a document without a lock: a request that read it
// before this change was saved may be saved after it, without it.

// Others is what an update has seen of the changes of others, or of other updates by
// this client. On servers that do not check revisions, there may have been more.
type Others struct {
	Before bool // they changed the document between reading and writing it
	After  bool // they changed it afterwards; the update is still there
	Within bool // they changed the same blocks, which are not exactly as wanted

	Name string    // who changed the document last, if that is another user
	At   time.Time // when, if it was afterwards
}

// The bounds of the pause before a change is looked for, how long before a write a
// change by somebody else is a sign that there are more, and how often a document is
// read again in which the change was overwritten.
const (
	minPause, maxPause = 20 * time.Millisecond, time.Second
	recently           = 30 * time.Second
	maxLooks           = 15
)

// presence returns what a state of the document shows of the change.
func (u *updating) presence(now outline.Document) Presence {
	before, p := u.result.Before, u.params
	seen := Present
	switch {
	case p.Text == nil, u.exact(now):
	case u.result.Wanted != nil && now.Tree != nil:
		seen = PresenceOf(before.Tree, u.result.Wanted, now.Tree)
	case now.Text == before.Text:
		seen = Absent
	default:
		seen = PresenceInText(before.Text, u.result.Expected, now.Text)
	}
	switch {
	case p.headed(now):
		return seen
	case p.Text == nil || seen == Absent:
		return Absent
	}
	return Unclear
}

// headed reports whether a document has the title and the icon that are set, or the
// title of the revision that is restored.
func (p Params) headed(now outline.Document) bool {
	if p.restores != nil {
		return p.restores.IsTitle(now.Title)
	}
	return (p.Title == nil || strings.TrimSpace(now.Title) == strings.TrimSpace(*p.Title)) && p.iconIs(now)
}

// exact reports whether a state of the document is the one that the change aims at.
func (u *updating) exact(now outline.Document) bool {
	if u.result.Wanted != nil && now.Tree != nil {
		return sameApartFromComments(u.result.Wanted, now.Tree)
	}
	return prosemirror.SameContent(now.Text, u.result.Expected)
}

// adopt makes a state of the document, with what others have written, the wanted one.
func (u *updating) adopt(now outline.Document) {
	if u.params.Text == nil || !u.exact(now) {
		u.result.Wanted, u.result.Expected = now.Tree, now.Text
	}
}

// confirm looks whether the change, which Outline has accepted, is still there after
// a pause in which requests that were under way have ended, if the server does not
// guard it. lost reports that it is not.
func (u *updating) confirm(ctx context.Context, took time.Duration) (lost bool, err error) {
	answer := u.result.After
	if u.result.Guarded || !u.accepted(answer) {
		return false, nil
	}
	wait := min(max(took, minPause), maxPause)
	before := u.result.Before
	own := u.turn.LeftBySelf(before)
	long := min(5*wait, maxPause)
	if u.jumped(answer) || !own && answer.UpdatedAt.Sub(before.UpdatedAt) < recently {
		wait = long
	}
	var saved time.Time // when the change was seen to be overwritten
	for looks := 0; ; looks++ {
		err := transport.Pause(ctx, wait)
		var now outline.Document
		if err == nil {
			now, err = u.client.ReadAgain(ctx, u.result.Before)
		}
		switch {
		case err != nil && looks > 0:
			return false, u.mixed("wrote over this change, and reading the document once more failed")
		case err != nil:
			// Outline has said that it is done: a failure would have it done twice.
			u.result.Unconfirmed = true
			return false, nil
		}
		seen := u.presence(now)
		if !now.UpdatedAt.Equal(answer.UpdatedAt) || !sameContent(now, answer) {
			u.result.Others.After, u.result.Others.At = true, now.UpdatedAt
			if now.UpdatedBy.ID != answer.UpdatedBy.ID {
				u.result.Others.Name = now.UpdatedBy.Name
			}
			if looks == 0 && wait != long && seen != Absent {
				wait = long // where there is one other write, there may be more under way
				continue
			}
		}
		u.result.After = now
		switch seen {
		case Absent:
			// What overwrote it may be overwritten itself. Who writes again and again
			// has just saved when the document changes, and is least likely to be in
			// the middle of an update that the repeated change would overwrite.
			if looks == maxLooks || looks > 0 && !now.UpdatedAt.Equal(saved) {
				return true, nil
			}
			saved, wait = now.UpdatedAt, minPause
			continue
		case Unclear:
			return false, u.mixed(fmt.Sprintf("changed the same part of the document at the same time: of this change, made to revision %d, not all is there, or in another form", before.Revision))
		case Doubled:
			u.result.Doubled = true
		case Within:
			u.result.Others.Within = true
			fallthrough
		default:
			u.adopt(now)
		}
		return false, nil
	}
}

// awaitSave waits, for a short time, until somebody else has saved a document that
// others keep changing, and makes the change for that state. Just then, they are least
// likely to be in the middle of an update, which the change would overwrite.
func (u *updating) awaitSave(ctx context.Context) error {
	for range maxLooks {
		if transport.Pause(ctx, minPause) != nil {
			return nil
		}
		now, err := u.read(ctx)
		switch {
		case err != nil:
			return err
		case !now.UpdatedAt.Equal(u.result.Before.UpdatedAt):
			return u.replan(ctx, now)
		}
	}
	return nil
}

// accepted reports whether the answer to the update shows the change, perhaps beside
// those of others. If it does not, Outline has stored something else.
func (u *updating) accepted(answer outline.Document) bool {
	switch {
	case !u.params.headed(answer):
		return false
	case u.params.Text == nil:
		u.adopt(answer)
		return true
	case u.exact(answer):
		return true
	}
	switch u.presence(answer) {
	case Present:
		if u.params.changesMode() && answer.Tree != nil && Same(prosemirror.Replace(*u.params.Text), answer.Tree) {
			return false // the mode was ignored
		}
	case Within:
		if !u.jumped(answer) {
			return false
		}
		u.result.Others.Within = true
	default:
		return false
	}
	u.result.Others.Before = true
	u.loseEarlier()
	u.adopt(answer)
	return true
}

// mayRepeat reports whether a change that was lost can be made again on what is there
// now, without overwriting anything.
func (u *updating) mayRepeat(now outline.Document) bool {
	p, before := u.params, u.result.Before
	return p.ExpectedRevision == 0 && (p.Plan != nil || p.EditMode == "append" || p.EditMode == "prepend") &&
		(p.Title == nil || now.Title == *p.Title || now.Title == before.Title) && (!p.changesIcon() || p.iconIs(now) || now.SameIcon(before.DocumentSummary))
}

// overwritten is the failure of a change that is not in the document any more.
func (u *updating) overwritten() error {
	if u.pending > 0 {
		return u.mixed("wrote over this change; an earlier request for it, of which the answer was lost, may still be carried out")
	}
	did := "wrote over this change, which is not in the document"
	heads := u.params.Title != nil || u.params.changesIcon() || u.params.restores != nil && !u.params.restores.Heads(u.result.Before.DocumentSummary)
	if u.params.Text != nil && heads && u.params.headed(u.result.After) {
		did = "wrote over the text of this change, which is not in the document; its title and icon are" // saved separately
	}
	return outline.UpdateError(outline.Overwritten, u.by()+" "+did)
}

// mixed is the failure of a change of which it cannot be said whether it is in the
// document, because somebody else changed that, too.
func (u *updating) mixed(did string) error {
	return outline.UpdateError(outline.Mixed, u.by()+" "+did)
}

// by says who changed the document last.
func (u *updating) by() string {
	others := u.result.Others
	name := others.Name
	if name == "" {
		name = "somebody else"
	}
	if others.At.IsZero() {
		return name
	}
	return name + ", at " + others.At.UTC().Format(time.RFC3339) + ","
}
