package edit

import (
	"context"
	"errors"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// A Mismatch reports that a document is not what an update was to make of it.
type Mismatch struct {
	Kind MismatchKind
	// Result is the update. Its After is what Outline stored or, if nobody else has
	// changed the document, what is there now.
	Result Result
	Undone outline.Document // as it was restored
	Why    string           // why it was not undone, as a clause
}

// A MismatchKind says what has become of an update.
type MismatchKind int

// The kinds of mismatch.
const (
	NotMade MismatchKind = iota // Outline accepted the change but did not make it
	Undone                      // Outline stored something else, which was undone
	Stays                       // it was not undone
	Twice                       // what the change adds is there twice
)

func (m *Mismatch) Error() string { return "the document is not what was asked for" }

// Verify checks that the document is as wanted. If the answer to the update differs,
// the document is read again, and After is what was read. If Outline has stored
// something else, that is undone, provided that the earlier document can be restored
// exactly and nobody else has changed it since. The error is a [*Mismatch].
func (r *Result) Verify(ctx context.Context, c *outline.Client) error {
	return r.verify(ctx, c, func(stored *prosemirror.Node) bool { return Same(r.Wanted, stored) })
}

// ByTree reports whether trees can be compared.
func (r *Result) ByTree() bool { return r.Wanted != nil && r.After.Tree != nil }

// WantedText returns the text that the document should have, apart from its form.
func (r *Result) WantedText() string {
	if r.Wanted != nil {
		return prosemirror.ToText(r.Wanted)
	}
	return r.Expected
}

// holds reports whether a state of the document is what the update was to make.
// Without trees, texts are compared, apart from the form that Outline gives Markdown.
func (r *Result) holds(now outline.Document, same func(*prosemirror.Node) bool) bool {
	if r.Wanted == nil || now.Tree == nil {
		return prosemirror.SameContent(r.WantedText(), now.Text)
	}
	// Somebody may have commented on it meanwhile.
	return same(now.Tree) || prosemirror.EqualWithoutComments(r.Wanted, now.Tree) && Lost(r.Wanted, now.Tree).IsZero()
}

// verify is Verify with another comparison of a tree with the wanted one.
func (r *Result) verify(ctx context.Context, c *outline.Client, same func(*prosemirror.Node) bool) error {
	if r.Doubled {
		return &Mismatch{Kind: Twice, Result: *r}
	}
	if r.holds(r.After, same) {
		return nil
	}
	read := c.Document
	if r.ByTree() {
		read = c.DocumentWithTree
	}
	now, err := read(ctx, r.After.ID)
	if err == nil && r.holds(now, same) {
		r.After = now
		return nil
	}
	untouched := err == nil && untouchedSince(r.After, now)
	if untouched {
		revision := r.After.Revision
		r.After = now
		r.After.Revision = revision // which Outline may have raised since, by writing a revision
	}
	if r.ByTree() && prosemirror.Equal(r.Before.Tree, r.After.Tree) || !r.ByTree() && r.Before.Text == r.After.Text {
		return &Mismatch{Kind: NotMade, Result: *r}
	}
	undone, why := r.undo(ctx, c, now, untouched, err)
	if why == "" {
		return &Mismatch{Kind: Undone, Result: *r, Undone: undone}
	}
	return &Mismatch{Kind: Stays, Result: *r, Why: why}
}

// undo restores the document as it was before the update, and returns it. If it
// cannot, why says what prevented it. untouched tells whether nobody else has changed
// the document since the update.
func (r *Result) undo(ctx context.Context, c *outline.Client, now outline.Document, untouched bool, readErr error) (restored outline.Document, why string) {
	const elsewhere = "somebody else may have changed it since"
	before := r.Before
	switch {
	case readErr != nil:
		return restored, "it could not be read again"
	case before.Tree == nil || now.Tree == nil:
		return restored, "this server cannot tell exactly what was there"
	case !untouched || r.After.Revision != before.Revision+1:
		return restored, elsewhere
	}
	request, exact := Undo(NewSource(now.Tree), NewSource(before.Tree))
	if !exact || request.EditMode == "" {
		return restored, "no request would restore it exactly"
	}
	if !r.Guarded && request.EditMode != ModePatch {
		return restored, elsewhere + ", and this Outline does not check revisions"
	}
	change := Params{
		Before: &now, ExpectedRevision: now.Revision,
		EditMode: request.EditMode, FindText: request.FindText, Text: &request.Text, Wanted: request.Result,
	}
	if now.Title != before.Title {
		change.Title = &before.Title
	}
	if !now.SameIcon(before.DocumentSummary) {
		change.Icon, change.Color = &before.Icon, &before.Color
	}
	undone, err := Update(ctx, c, change)
	switch {
	case errors.Is(err, outline.ErrConflict):
		return restored, elsewhere
	case err != nil:
		return restored, "the write that was to undo it failed"
	case undone.After.Tree == nil || !prosemirror.Equal(before.Tree, undone.After.Tree):
		r.After = undone.After
		return restored, "Outline did not store the undoing write exactly either"
	}
	return undone.After, ""
}

// untouchedSince reports whether nobody has changed a document since an update.
// Outline may have raised its revision by writing a revision of it. A change within
// the same millisecond would leave the same time, so that the content counts, too.
func untouchedSince(after, now outline.Document) bool {
	return now.Revision == after.Revision ||
		now.Revision == after.Revision+1 && now.UpdatedAt.Equal(after.UpdatedAt) && now.Title == after.Title && now.SameIcon(after.DocumentSummary) && SameStored(now, after)
}
