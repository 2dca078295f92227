package edit

import (
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// This file predicts the state of a document after an update, and compares states.

// wanted predicts the tree after the change of a document. It returns nil if there is no
// tree, or if the change would be refused.
func (p Params) wanted(now outline.Document) *prosemirror.Node {
	if now.Tree == nil || p.Text == nil {
		return nil
	}
	if p.Wanted != nil {
		return p.Wanted
	}
	tree, _ := new(now.Markdown()).Update(now.Tree, p.EditMode, p.FindText, *p.Text)
	return tree
}

// expected returns the text after the change, apart from its form.
func (p Params) expected(text string) string {
	if p.Text == nil {
		return text
	}
	switch p.EditMode {
	case ModeAppend:
		return text + *p.Text
	case ModePrepend:
		return *p.Text + text
	case ModePatch:
		return strings.Replace(text, p.FindText, *p.Text, 1)
	}
	return *p.Text
}

func (p Params) changesMode() bool { return p.EditMode != "" && p.EditMode != "replace" }

// adds reports whether the change only adds text.
func (p Params) adds() bool {
	return (p.EditMode == ModeAppend || p.EditMode == ModePrepend) && p.Title == nil && !p.changesLook()
}

func (p Params) changesLook() bool { return p.Icon != nil || p.Color != nil || p.FullWidth != nil }

// looksAsSet reports whether a document has the icon, the color and the width that are set.
func (p Params) looksAsSet(d outline.Document) bool {
	return (p.Icon == nil || d.Icon == *p.Icon) && (p.Color == nil || strings.EqualFold(d.Color, *p.Color)) && (p.FullWidth == nil || d.FullWidth == *p.FullWidth)
}

// headed reports whether a document has the title and the icon that are set, or the
// title of the revision that is restored.
func (p Params) headed(now outline.Document) bool {
	if p.restores != nil {
		return p.restores.IsTitle(now.Title)
	}
	return (p.Title == nil || strings.TrimSpace(now.Title) == strings.TrimSpace(*p.Title)) && p.looksAsSet(now)
}

// setsHead reports whether the change sets what headed compares.
func (p Params) setsHead() bool { return p.Title != nil || p.changesLook() || p.restores != nil }

// presence returns what a state of the document shows of the change.
func (u *updateRun) presence(now outline.Document) Presence {
	before, p := u.result.Before, u.params
	text := Present
	switch {
	case p.Text == nil || u.exact(now):
	case u.result.Wanted != nil && now.Tree != nil:
		text = PresenceOf(before.Tree, u.result.Wanted, now.Tree)
	case now.Text == before.Text:
		text = Absent
	default:
		text = PresenceInText(before.Text, u.result.Expected, now.Text)
	}
	switch {
	case !p.setsHead(), p.headed(before) && p.headed(now), text == Present && p.headed(now):
		return text
	case p.headed(now) || p.Text != nil && text != Absent:
		return Uncertain
	}
	return Absent
}

// exact reports whether a state of the document is the one that the change aims at.
func (u *updateRun) exact(now outline.Document) bool {
	if u.result.Wanted != nil && now.Tree != nil {
		return sameApartFromComments(u.result.Wanted, now.Tree)
	}
	return prosemirror.SameContent(now.Text, u.result.Expected)
}

// adopt makes a state of the document, with what others have written, the wanted one.
func (u *updateRun) adopt(now outline.Document) {
	if u.params.Text == nil || !u.exact(now) {
		u.result.Wanted, u.result.Expected = now.Tree, now.Text
	}
}

// done reports whether the document is in the state that the change aims at.
func (u *updateRun) done(before, now outline.Document) bool {
	p, expected := u.params, u.result.Expected
	if p.restores != nil && !p.headed(now) || p.Title != nil && now.Title != *p.Title || !p.looksAsSet(now) || p.Publish != nil && (now.PublishedAt != nil) != *p.Publish {
		return false
	}
	visible := u.visible(before)
	if !visible {
		if u.result.Wanted != nil && now.Tree != nil {
			return sameApartFromComments(u.result.Wanted, now.Tree)
		}
		return (p.Text == nil || now.Text == expected) && (!sameContent(now, before) || expected == before.Text && p.Text != nil)
	}
	return u.presence(now) == Present && !sameContent(now, before)
}

// overtaken reports whether a request whose change is missing can no longer be
// carried out: another change has raised the revision, or only a move, a comment or
// publishing has. A server that checks revisions then refuses the request.
func (u *updateRun) overtaken(before, now outline.Document) bool {
	one := now.Revision == before.Revision+1 && (u.visible(before) || u.params.Text == nil)
	return u.result.Guarded && (one || sameContent(now, before))
}

// visible reports whether the change alters more than the form of the text.
func (u *updateRun) visible(before outline.Document) bool {
	if u.result.Wanted != nil {
		return !prosemirror.Equal(u.result.Wanted, before.Tree)
	}
	return u.params.Text != nil && !prosemirror.SameContent(u.result.Expected, before.Text)
}

// loseEarlier records that another user has changed the document since it was known
// which revision holds it. Waiting for another revision would give them time for the
// next change.
func (u *updateRun) loseEarlier() {
	if u.params.KeepEarlier {
		u.result.Earlier, u.result.NoEarlier = nil, outline.EarlierChanging
	}
}

// earlierUnsure says why there may be no revision that holds the document as it was.
const earlierUnsure = "an answer of Outline was lost, and others may have changed the document before this change"

// jumped reports whether the revision of a document tells that others have changed it
// between reading and writing it.
func (u *updateRun) jumped(after outline.Document) bool {
	raised := u.raised()
	if u.late {
		raised++ // for the revision of the change itself
	}
	raised += 2 * u.pending // so may each request of which the answer was lost
	return after.Revision > raised
}

// raised is the revision of the document after the change if nobody else changes it
// and no answer is lost.
func (u *updateRun) raised() int {
	if u.raises {
		return u.result.Before.Revision + 2
	}
	return u.result.Before.Revision + 1
}

// sameContent reports whether two states of a document differ in nothing but comments
// and what a move changes.
func sameContent(d, other outline.Document) bool {
	same := d.Title == other.Title && d.SameLook(other.DocumentSummary) && (d.PublishedAt == nil) == (other.PublishedAt == nil)
	if d.Tree != nil && other.Tree != nil {
		return same && prosemirror.EqualWithoutComments(d.Tree, other.Tree)
	}
	return same && d.Text == other.Text
}

// sameApartFromComments reports whether a tree is as wanted: others may have
// commented on it since.
func sameApartFromComments(wanted, now *prosemirror.Node) bool {
	return Same(wanted, now) || Same(wanted.WithoutMarks(prosemirror.Comment), now.WithoutMarks(prosemirror.Comment))
}
