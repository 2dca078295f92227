package edit

import (
	"context"
	"errors"
	"slices"
	"strings"

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
		return r.Before.Dialect().ToText(r.Wanted)
	}
	return r.Expected
}

// holds reports whether a state of the document is what the update was to make.
// Without trees, texts are compared, apart from the form that Outline gives Markdown.
func (r *Result) holds(now outline.Document, same func(*prosemirror.Node) bool) bool {
	if r.Wanted == nil || now.Tree == nil {
		return prosemirror.SameContent(r.WantedText(), now.Text)
	}
	// Another user may have commented on it meanwhile.
	return same(now.Tree) || prosemirror.EqualWithoutComments(r.Wanted, now.Tree) && Lost(r.Wanted, now.Tree).IsZero()
}

// verify is Verify with another comparison of a tree with the wanted one.
func (r *Result) verify(ctx context.Context, c *outline.Client, same func(*prosemirror.Node) bool) error {
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
	const elsewhere = "another user may have changed it since"
	before := r.Before
	switch {
	case readErr != nil:
		return restored, "it could not be read again"
	case before.Tree == nil || now.Tree == nil:
		return restored, "this server cannot tell exactly what was there"
	case !untouched || r.accompanied || r.After.Revision != before.Revision+1:
		return restored, elsewhere
	}
	request, exact := Undo(&Source{Doc: now.Tree, Markdown: now.Markdown()}, &Source{Doc: before.Tree, Markdown: before.Markdown()})
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
	if !now.SameLook(before.DocumentSummary) {
		change.Icon, change.Color, change.FullWidth = &before.Icon, &before.Color, &before.FullWidth
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
		now.Revision == after.Revision+1 && now.UpdatedAt.Equal(after.UpdatedAt) && now.Title == after.Title && now.SameLook(after.DocumentSummary) && SameStored(now, after)
}

// Verify reports whether the stored tree is what the request should make of the
// document: the blocks outside the request unchanged, including attributes and
// marks, and inside it what the Markdown of the new text means. It ignores what
// Outline generates itself, such as the ids of new mentions, and what Outline
// kept although a loss was expected.
func (r *Request) Verify(stored *prosemirror.Node) bool {
	wanted := r.Result.Content
	if len(stored.Content) != len(wanted) ||
		!slices.EqualFunc(wanted[:r.First], stored.Content[:r.First], prosemirror.Equal) ||
		!slices.EqualFunc(wanted[r.End:], stored.Content[r.End:], prosemirror.Equal) {
		return false
	}
	for i := r.First; i < r.End; i++ {
		if Same(wanted[i], stored.Content[i]) {
			continue
		}
		if r.before == nil || !alike(wanted[i], adopt(wanted[i], stored.Content[i])) || !r.Lost.covers(Lost(r.before, stored)) {
			return false
		}
	}
	return true
}

// Same reports whether a stored tree is what a create, a replace or an append
// has sent: equal apart from what Outline generates or changes on the way in,
// such as the ids of mentions, and images that it stores as attachments.
func Same(wanted, stored *prosemirror.Node) bool {
	return prosemirror.Equal(wanted, stored) || prosemirror.Equal(wanted, adopt(wanted, stored))
}

// adopt returns the stored tree with permitted differences replaced by what was
// intended.
func adopt(wanted, stored *prosemirror.Node) *prosemirror.Node {
	if wanted == stored || wanted.Type != stored.Type {
		return stored
	}
	switch stored.Type {
	case prosemirror.Mention:
		return withAttr(stored, "id", wanted.Attrs.String("id"))
	case prosemirror.Image:
		if src := wanted.Attrs.String("src"); keptAsAttachment(src, stored.Attrs.String("src")) {
			return withAttr(stored, "src", src)
		}
	case prosemirror.Text:
		// A create turns an address that could be embedded into a link.
		link, ok := stored.Mark(prosemirror.Link)
		if ok && len(stored.Marks) == 1 && len(wanted.Marks) == 0 && link.Attrs.String("href") == stored.Text {
			bare := *stored
			bare.Marks = nil
			return &bare
		}
	}
	if len(wanted.Content) != len(stored.Content) {
		return stored
	}
	content := slices.Clone(stored.Content)
	for i, child := range content {
		content[i] = adopt(wanted.Content[i], child)
	}
	return stored.With(content)
}

// keptAsAttachment reports whether an image was embedded or on another site,
// and is an attachment now.
func keptAsAttachment(wanted, stored string) bool {
	return (strings.HasPrefix(wanted, "data:") || strings.HasPrefix(wanted, "http")) &&
		strings.HasPrefix(stored, "/api/attachments.redirect?id=")
}

// Difference is a run of top-level blocks that is not stored as intended, as
// raw Markdown. Either side may be empty.
type Difference struct{ Wanted, Stored string }

// Differences returns where a stored tree is not the same as the intended one,
// or nothing if [Same] holds.
func Differences(wanted, stored *prosemirror.Node) []Difference {
	start, endWanted, endStored := changed(wanted.Content, stored.Content, Same)
	want, got := wanted.Content[start:endWanted], stored.Content[start:endStored]
	if len(want) != len(got) {
		return []Difference{{serialize(want), serialize(got)}}
	}
	var out []Difference
	from := -1 // where the run of differences begins
	for i := range len(want) + 1 {
		differs := i < len(want) && !Same(want[i], got[i])
		switch {
		case differs && from < 0:
			from = i
		case !differs && from >= 0:
			out = append(out, Difference{serialize(want[from:i]), serialize(got[from:i])})
			from = -1
		}
	}
	return out
}

// alike reports whether two nodes are the same apart from what Markdown cannot
// express and Outline may drop: comment marks, highlight colors and column
// widths. It also ignores the ids of mentions, because those of new mentions
// are random.
func alike(a, b *prosemirror.Node) bool {
	return prosemirror.Equal(a, b) || a != nil && b != nil && prosemirror.Equal(bare(a), bare(b))
}

func allAlike(a, b []*prosemirror.Node) bool { return slices.EqualFunc(a, b, alike) }

// bare returns a tree without what alike ignores.
func bare(n *prosemirror.Node) *prosemirror.Node {
	return n.Map(func(n *prosemirror.Node) *prosemirror.Node {
		switch n.Type {
		case prosemirror.TableCell, prosemirror.TableHeader:
			n = withAttr(n, "colwidth", nil)
		case prosemirror.Mention:
			n = withAttr(n, "id", "")
		}
		marks := bareMarks(n.Marks)
		if slices.EqualFunc(marks, n.Marks, prosemirror.Mark.Is) {
			return n
		}
		c := *n
		c.Marks = marks
		return &c
	})
}

// bareMarks drops comments and the colors of highlights.
func bareMarks(marks []prosemirror.Mark) (out []prosemirror.Mark) {
	for _, m := range marks {
		if m.Type == prosemirror.Highlight {
			m.Attrs = setAttr(m.Attrs, "color", nil)
		}
		if m.Type != prosemirror.Comment {
			out = append(out, m)
		}
	}
	return out
}

// color returns the color of a highlight, or "" for the default.
func color(m prosemirror.Mark) string { return m.Attrs.String("color") }

func withAttr(n *prosemirror.Node, name string, value any) *prosemirror.Node {
	if old, ok := n.Attrs.Get(name); !ok || old == nil {
		return n
	}
	c := *n
	c.Attrs = setAttr(n.Attrs, name, value)
	return &c
}

func setAttr(attrs prosemirror.Attrs, name string, value any) prosemirror.Attrs {
	attrs = slices.Clone(attrs)
	for i := range attrs {
		if attrs[i].Name == name {
			attrs[i].Value = value
		}
	}
	return attrs
}
