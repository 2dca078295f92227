package edit

import (
	"context"
	"fmt"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// This file predicts the state of a document after an update, and recognizes it.

// wanted predicts the tree after the change. It returns nil if there is no tree, or
// if the change would be refused.
func (u *updating) wanted(now outline.Document) *prosemirror.Node {
	p := u.params
	if now.Tree == nil || p.Text == nil {
		return nil
	}
	if p.Wanted != nil {
		return p.Wanted
	}
	if u.result.Replaced {
		return prosemirror.Replace(p.expected(now.Text))
	}
	var tree *prosemirror.Node
	var err error
	switch p.EditMode {
	case "append":
		tree, err = prosemirror.Append(now.Tree, *p.Text)
	case "prepend":
		tree, err = prosemirror.Prepend(now.Tree, *p.Text)
	case "patch":
		var patched prosemirror.Patched
		patched, err = prosemirror.Patch(now.Tree, p.FindText, *p.Text)
		tree = patched.Doc
	default:
		tree = prosemirror.Replace(*p.Text)
	}
	if err != nil {
		return nil
	}
	return tree
}

// observe compares the document with what it was when the change was sent.
func (u *updating) observe(ctx context.Context, refused bool) (now outline.Document, seen outline.WriteState, note string) {
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
				u.result.Others.Within = u.changeState(now) == Within
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

// done reports whether the document is in the state that the change aims at.
func (u *updating) done(before, now outline.Document) bool {
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
	seen := u.changeState(now)
	return seen <= Within && !sameContent(now, before)
}

// overtaken reports whether a request whose change is missing can no longer be
// carried out: another change has raised the revision, or only a move, a comment or
// publishing has. A server that checks revisions then refuses the request.
func (u *updating) overtaken(before, now outline.Document) bool {
	one := now.Revision == before.Revision+1 && (u.visible(before) || u.params.Text == nil)
	if !one && !sameContent(now, before) {
		return false
	}
	return u.result.Guarded
}

// visible reports whether the change alters more than the form of the text.
func (u *updating) visible(before outline.Document) bool {
	if u.result.Wanted != nil {
		return !prosemirror.Equal(u.result.Wanted, before.Tree)
	}
	return u.params.Text != nil && !prosemirror.SameContent(u.result.Expected, before.Text)
}

func (p Params) changesMode() bool { return p.EditMode != "" && p.EditMode != "replace" }

// adds reports whether the change only adds text.
func (p Params) adds() bool {
	return (p.EditMode == "append" || p.EditMode == "prepend") && p.Title == nil && !p.changesLook()
}

func (p Params) changesLook() bool { return p.Icon != nil || p.Color != nil || p.FullWidth != nil }

// looksAsSet reports whether a document has the icon, the color and the width that are set.
func (p Params) looksAsSet(d outline.Document) bool {
	return (p.Icon == nil || d.Icon == *p.Icon) && (p.Color == nil || strings.EqualFold(d.Color, *p.Color)) && (p.FullWidth == nil || d.FullWidth == *p.FullWidth)
}

// expected returns the text after the change, apart from its form.
func (p Params) expected(text string) string {
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
