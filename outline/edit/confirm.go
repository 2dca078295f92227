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
		return u.replan(now)
	}
	u.result.Before.Revision = now.Revision
	return nil
}

// loseEarlier records that another user has changed the document since it was known
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

// This file looks for a change in a document that others change as well. Outline reads,
// changes and saves a document without a lock: a request that read it before this change
// was saved may be saved after it, without it. Its newest source refuses such a request
// only if it names the revision that was read.

// Others is what an update has seen of the changes of others, or of other updates by
// this client. On servers that do not check revisions, there may have been more.
type Others struct {
	Before bool // they changed the document between reading and writing it
	After  bool // they changed it afterwards; the update is still there
	Within bool // they changed the same blocks, which are not exactly as wanted

	Name string    // who changed the document last, if that is another user
	At   time.Time // when, if it was afterwards
}

// The bounds of the pause before a change is looked for, and of the reading after it; how
// long before a write a change by another user is a sign that there are more, to a
// server that does not check revisions and to one that does; and how often a document
// is read again in which the change was overwritten.
const (
	minPause, maxPause = 20 * time.Millisecond, time.Second
	maxReading         = time.Second / 2
	recently, lately   = 30 * time.Second, 10 * time.Second
	maxLooks           = 15
)

// changeState returns what a state of the document shows of the change.
func (u *updating) changeState(now outline.Document) ChangeState {
	before, p := u.result.Before, u.params
	seen := Present
	switch {
	case p.Text == nil, u.exact(now):
	case u.result.Wanted != nil && now.Tree != nil:
		seen = ChangeIn(before.Tree, u.result.Wanted, now.Tree)
	case now.Text == before.Text:
		seen = Absent
	default:
		seen = ChangeInText(before.Text, u.result.Expected, now.Text)
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
	return (p.Title == nil || strings.TrimSpace(now.Title) == strings.TrimSpace(*p.Title)) && p.looksAsSet(now)
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
// a pause in which requests that were under way have ended. lost reports that it is not.
// If the server checks revisions, it looks once, and only if others are at work.
func (u *updating) confirm(ctx context.Context, took time.Duration) (lost bool, err error) {
	answer, before := u.result.After, u.result.Before
	wait := min(max(took, minPause), maxPause)
	long := min(5*wait, maxPause)
	since := answer.UpdatedAt.Sub(before.UpdatedAt)
	company := true
	if u.result.Guarded {
		if since == 0 { // it changed nothing
			return false, nil
		}
		u.result.accompanied = u.turn.Accompanied() || u.jumped(answer) || !u.own && (u.result.Others.Before || 0 < since && since < lately)
		if !u.result.accompanied {
			return false, nil
		}
		u.turn.Met()
		wait = maxPause
	} else if !u.own && since < recently {
		wait = maxPause // another user is at work
	} else if u.jumped(answer) || since < recently {
		wait = long
	} else {
		company = false
	}
	if !u.accepted(answer) {
		return false, nil
	}
	var saved time.Time // when the change was seen to be overwritten
	for looks := 0; ; looks++ {
		err := transport.Pause(ctx, wait)
		var now outline.Document
		if err == nil {
			now, err = u.look(ctx)
		}
		switch {
		case err != nil && looks > 0:
			return false, u.mixed("overwrote this change, and reading the document once more failed")
		case err != nil:
			// Outline has said that it is done: a failure would have it done twice.
			u.result.Unconfirmed = true
			return false, nil
		}
		seen := u.changeState(now)
		if !now.UpdatedAt.Equal(answer.UpdatedAt) || !sameContent(now, answer) {
			u.result.Others.After, u.result.Others.At = true, now.UpdatedAt
			if now.UpdatedBy.ID != answer.UpdatedBy.ID {
				u.result.Others.Name = now.UpdatedBy.Name
			}
			if looks == 0 && !company && seen != Absent {
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
			if u.result.Guarded || looks == maxLooks || looks > 0 && !now.UpdatedAt.Equal(saved) {
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

// look reads the document for confirm, at most once if the server checks revisions.
func (u *updating) look(ctx context.Context) (outline.Document, error) {
	if u.result.Guarded {
		limited, cancel := context.WithTimeout(outline.WithCallOptions(ctx, outline.NoRetries()), maxReading)
		defer cancel()
		ctx = limited
	}
	return u.client.ReadAgain(ctx, u.result.Before)
}

// awaitSave waits, for a short time, until another user has saved a document that
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
			return u.replan(now)
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
	switch u.changeState(answer) {
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
		(p.Title == nil || now.Title == *p.Title || now.Title == before.Title) && (!p.changesLook() || p.looksAsSet(now) || now.SameLook(before.DocumentSummary))
}

// headStays reports whether the title or the icon of the change is in the document after
// its text was overwritten.
func (u *updating) headStays() bool {
	p := u.params
	heads := p.Title != nil || p.changesLook() || p.restores != nil && !p.restores.Heads(u.result.Before.DocumentSummary)
	return p.Text != nil && heads && p.headed(u.result.After)
}

// overwritten is the failure of a change that is not in the document any more.
func (u *updating) overwritten() error {
	if u.pending > 0 {
		return u.mixed("overwrote this change; an earlier request for it, of which the answer was lost, may still be carried out")
	}
	did := "overwrote this change, which is not in the document"
	if u.headStays() {
		did = "overwrote the text of this change, which is not in the document; its title and icon are" // saved separately
	}
	return outline.UpdateError(outline.Overwritten, u.by()+" "+did)
}

// mixed is the failure of a change of which it cannot be said whether it is in the
// document, because another user changed that, too.
func (u *updating) mixed(did string) error {
	return outline.UpdateError(outline.Mixed, u.by()+" "+did)
}

// by says who changed the document last.
func (u *updating) by() string {
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
