package outline

import (
	"context"
	"strings"

	"outline-mcp/outline/sametext"
)

// mayRepeat reports whether a change may be sent again while an earlier
// request may still arrive. A revision refuses the second; without one, a
// whole text comes to the same twice, and what is added or patched does not.
func (c *Client) mayRepeat(ctx context.Context, u UpdateDocumentParams) bool {
	if !u.changesMode() {
		return true
	}
	known, err := c.knowsRevisions(ctx)
	return err == nil && known
}

// fate is what became of a change whose answer was lost.
type fate int

const (
	done      fate = iota
	pending        // not done, but it may still arrive
	notDone        // and it cannot arrive any more
	undecided      // something was done, and it may have been this
)

// fateOf compares a document with what it was when the change was sent.
func (u UpdateDocumentParams) fateOf(ctx context.Context, c *Client, before, now Document) fate {
	if now.Revision == before.Revision {
		return pending
	}
	expected := u.expected(before.Text)
	head := (u.Title == nil || now.Title == *u.Title) && (u.Icon == nil || now.Icon == *u.Icon) && (u.Publish == nil || (now.PublishedAt != nil) == *u.Publish)
	visible := u.Text != nil && !sametext.Equal(expected, before.Text) // in more than form
	switch {
	case head && (u.Text == nil || now.Text == expected || visible && sametext.Equal(now.Text, expected)):
		if !now.sameContent(&before) || expected == before.Text && u.Text != nil {
			return done
		}
	case head && visible && u.adds() && sametext.Contains(now.Text, expected):
		return done // and others have added to it
	}
	// One revision more is one change, and not this one; or only a move, a
	// comment or publishing. Either way the request comes too late now, if the
	// server looks at revisions.
	one := now.Revision == before.Revision+1 && (visible || u.Text == nil)
	if !one && !now.sameContent(&before) {
		return undecided
	}
	if known, err := c.knowsRevisions(ctx); err != nil || !known {
		return undecided
	}
	return notDone
}

// expected is what becomes of a text, but for its form.
func (u UpdateDocumentParams) expected(text string) string {
	if u.Text == nil {
		return text
	}
	switch u.EditMode {
	case "append":
		return text + *u.Text
	case "prepend":
		return *u.Text + text
	case "patch":
		return strings.Replace(text, u.FindText, *u.Text, 1)
	}
	return *u.Text
}

func (d *Document) sameContent(other *Document) bool {
	return d.Text == other.Text && d.Title == other.Title && d.Icon == other.Icon && (d.PublishedAt == nil) == (other.PublishedAt == nil)
}
