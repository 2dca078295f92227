// Package edit changes a document exactly as asked.
//
// # Passages
//
// An [Edit] names a passage of the document's Markdown. If it does not occur
// exactly, it is searched again with tolerance for what changes when a text passes
// through an editor: line ends (CRLF, CR), white space at the end of lines,
// typographic quotation marks and apostrophes, non-breaking spaces, the character
// of a bullet, and the number of blank lines between two lines, including none. A
// line that contains only a backslash (Outline's empty paragraph) or only the marks
// of a block quote is a blank line.
//
// If that does not find it, it may be the same Markdown written in another way, as
// in an export: with other escapes; with line ends, \n or <br> for the breaks
// within a paragraph or cell; with other padding of cells and numbers, or other
// lengths of fences.
//
// Case, words, other punctuation, indentation, and whether a space or a line end
// separates two words always count.
//
// # Requests
//
// Outline patches a tree, not a text: what a patch stores depends on how many
// blocks the passage touches, which marks surround it and what the new text looks
// like. The same change can be sent in several forms. Some of them damage the text
// around it, and some drop what Markdown cannot express. [Source.Request] tries the
// possible requests on the model in outline/prosemirror, and chooses the one whose
// result is right and loses least. If no form is right, it says why.
// [Request.Verify] compares the tree that Outline stored with the intended one, and
// [Undo] finds the request that restores an earlier tree.
//
// # Updates
//
// [Prepare] plans edits, and [Edits.Apply] makes them. Each request is an [Update]: it
// waits for its turn, resolves a lost answer by reading the document, and looks for the
// change afterwards if others may have overwritten it, because releases of Outline up to
// 1.9.2 do not check revisions. A change that is gone or uncertain is not made again: the
// error says so. [Result.Verify] compares what is stored with what was
// wanted, and undoes a mismatch if that is possible.
//
// Texts are not trusted: time and memory grow nearly linearly with their length,
// whatever they contain.
package edit

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// Edits are edits of one document, and what has become of them.
type Edits struct {
	Before outline.Document // as it was read first
	First  Plan             // of all edits on Before

	Now      outline.Document // as it was read or written last
	Made     []Result         // of the requests that were made
	Current  Step             // that was sent last
	Left     []int            // the edits that are not in the document
	Lost     Loss             // by the edits that are
	Verified bool             // all written trees were as wanted

	// Earlier is the revision that holds Before; see [Result].
	Earlier   *outline.Revision
	NoEarlier string

	edits   []Edit
	whole   bool  // they are the parts of a whole text, which Before only becomes
	own     []int // those of edits that are for this document
	accept  func(context.Context, Loss) error
	written outline.Document // as the last request left it
	rest    []Step           // of the plan, if the document is restOf
	restOf  *prosemirror.Node
}

// ErrNoChange reports edits that together change nothing.
var ErrNoChange = errors.New("together, the edits change nothing")

// A WrittenOverError reports that others have written over edits that were made while
// the rest of them was left or, if Unsure is set, that they may have, so that it is not
// known whether these edits, and the one that was sent last, are in the document.
type WrittenOverError struct {
	Made, All int
	Unsure    bool
}

func (e *WrittenOverError) Error() string { return "another user has written over the edits" }

// A PartlyMadeError reports that others have changed the document while an edit had
// replaced only some of the occurrences of its passage.
type PartlyMadeError struct{ Index int }

func (e *PartlyMadeError) Error() string {
	return "another user has changed the document between two occurrences of a passage"
}

// Prepare plans those edits that are for a document, by their indices, as
// DocumentToUpdate has just read it. The error is an [*EditError], a [*RefusedError],
// [ErrNoChange], or that of ctx.
func Prepare(ctx context.Context, before outline.Document, edits []Edit, own []int) (*Edits, error) {
	e := &Edits{Before: before, Now: before, edits: edits, own: own}
	e.leaveAll()
	var err error
	if e.First, err = e.plan(ctx, before); err == nil && e.First.Text == before.Text {
		err = ErrNoChange
	}
	if err == nil {
		e.takeBlankLines(ctx)
	}
	return e, err
}

// takeBlankLines makes empty paragraphs of the additional blank lines of edits that change
// nothing else, if Outline then shows the document as they write it.
func (e *Edits) takeBlankLines(ctx context.Context) {
	given, taken := e.edits, slices.Clone(e.edits)
	lines := func(text string) string { return gapLines().ReplaceAllString(text, "\n") }
	for _, i := range e.own {
		if lines(given[i].Old) == lines(given[i].New) {
			taken[i].New = strings.ReplaceAll(given[i].New, "\n\n\n", "\n\n\\\n\n")
		}
	}
	if slices.EqualFunc(given, taken, func(a, b Edit) bool { return a.New == b.New }) || e.First.Stored(e.Before.Text) == e.First.Text {
		return
	}
	e.edits = taken
	if plan, err := e.plan(ctx, e.Before); err == nil && plan.Stored(e.Before.Text) == e.First.Text {
		e.First = plan
	} else {
		e.edits = given
	}
}

var gapLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n(?:\\?\n)+`) })

// ByTree reports whether the requests are planned on the tree of the document. Otherwise
// it is not known what Outline would drop of the new text.
func (e *Edits) ByTree() bool { return e.Before.Tree != nil }

// Applied returns how many edits are in the document.
func (e *Edits) Applied() int { return len(e.own) - len(e.Left) }

// Begun reports whether anything was written. An edit of all occurrences of a passage
// may be made in some places only.
func (e *Edits) Begun() bool { return len(e.Made) > 0 }

func (e *Edits) leaveAll() { e.Left = slices.Clone(e.own) }

// A Policy says under which conditions edits are made.
type Policy struct {
	// ExpectedRevision is for the first request, as in [Params].
	ExpectedRevision int
	// Accept returns an error if what a plan loses must not be lost. It is asked about
	// the plans that follow the first one. nil accepts all.
	Accept func(context.Context, Loss) error
	// With sets what else the last request changes; nil sets nothing.
	With func(*Params)
}

// Apply sends the requests one after the other; most edits need only one. If others
// write in between, the rest is planned again, but the first request only if there is
// no ExpectedRevision. The error may be as for [Prepare] and [Update], a [*Mismatch], a
// [*WrittenOverError] or that of Accept; Left then has the edits that are not made.
func (e *Edits) Apply(ctx context.Context, c *outline.Client, policy Policy) error {
	e.Verified, e.accept = true, policy.Accept
	if len(e.First.Steps) == 0 { // the same content in another form
		e.Left = nil
	}
	for len(e.Left) > 0 {
		var plan Plan
		result, err := Update(ctx, c, Params{
			Before: &e.Now, ExpectedRevision: policy.ExpectedRevision, KeepEarlier: !e.Begun(),
			Plan: func(now outline.Document, change *Params) (err error) {
				if plan, err = e.planAgain(ctx, now); err != nil {
					return err
				}
				if len(plan.Steps) == 0 {
					return errNothingLeft
				}
				e.Current = plan.Steps[0]
				request := &e.Current.Request
				change.Unfinished = len(plan.Steps) > 1
				if policy.With != nil && !change.Unfinished {
					policy.With(change)
				}
				change.EditMode, change.FindText, change.Text, change.Wanted = request.EditMode, request.FindText, &request.Text, request.Result
				return nil
			},
		})
		if errors.Is(err, errNothingLeft) {
			e.Left = nil
			return nil
		}
		if err != nil {
			return e.withEarlierSteps(result.After, err)
		}
		if !e.Begun() {
			e.Earlier, e.NoEarlier = result.Earlier, result.NoEarlier
		} else if result.Others.Before {
			e.Earlier, e.NoEarlier = nil, "another user changed the document between the requests of this call"
		}
		err = result.verify(ctx, c, e.Current.Request.Verify)
		e.Now, e.written = result.After, result.After
		if err != nil {
			return err
		}
		e.Made = append(e.Made, result)
		e.Left, e.Lost = removeEdits(e.Left, e.Current.Edits), e.Lost.Plus(e.Current.Request.Lost)
		e.Verified = e.Verified && result.ByTree()
		policy.ExpectedRevision = 0
		e.rest, e.restOf = plan.Steps[1:], e.Current.Request.Result
	}
	return nil
}

// errNothingLeft means that the remaining edits no longer change anything.
var errNothingLeft = errors.New("the remaining edits change nothing")

// planAgain plans the edits that are left for the state of the document that the next
// request changes.
func (e *Edits) planAgain(ctx context.Context, now outline.Document) (Plan, error) {
	e.Now = now
	switch {
	case !e.Begun() && SameStored(now, e.Before):
		return e.First, nil
	case e.restOf != nil && now.Tree != nil && prosemirror.Equal(e.restOf, now.Tree):
		return Plan{Steps: e.rest}, nil
	case e.whole:
		return Plan{}, outline.ChangedMeanwhile("another user changed the document meanwhile, from revision %d to %d%s", e.Before.Revision, now.Revision, now.LastChange())
	case len(e.rest) > 0 && e.Begun() && len(e.Current.Edits) == 0:
		return Plan{}, &PartlyMadeError{e.unfinished()}
	}
	if err := e.stillThere(now); err != nil {
		return Plan{}, err
	}
	plan, err := e.plan(ctx, now)
	if err == nil && e.accept != nil {
		err = e.accept(ctx, plan.Lost)
	}
	return plan, err
}

// unfinished returns the edit of which the last request made a part.
func (e *Edits) unfinished() int {
	for _, step := range e.rest {
		if len(step.Edits) > 0 {
			return step.Edits[0]
		}
	}
	return e.Left[0]
}

// withEarlierSteps returns the failure of a request that Outline has accepted, or of
// another. What has overwritten that one may have overwritten those before it.
func (e *Edits) withEarlierSteps(after outline.Document, err error) error {
	failure, ok := errors.AsType[*outline.Error](err)
	if !ok || failure.Code != outline.Overwritten && failure.Code != outline.Mixed {
		return err
	}
	e.Now = after
	if !e.Begun() {
		return err
	}
	if failure.Code == outline.Mixed {
		return e.writtenOver(true)
	}
	return cmp.Or(e.stillThere(after), err)
}

// writtenOver returns the failure of edits that are not, or perhaps not, in the document
// any more.
func (e *Edits) writtenOver(unsure bool) error {
	err := &WrittenOverError{Made: e.Applied(), All: len(e.own), Unsure: unsure}
	e.leaveAll()
	return err
}

// stillThere fails if the edits that were made are not in a document that others have
// changed since. None of them is certain to be there then.
func (e *Edits) stillThere(now outline.Document) error {
	if !e.Begun() || SameStored(e.Before, e.written) {
		return nil
	}
	var seen Presence
	if e.Before.Tree != nil && e.written.Tree != nil && now.Tree != nil {
		seen = PresenceOf(e.Before.Tree, e.written.Tree, now.Tree)
	} else {
		seen = PresenceInText(e.Before.Text, e.written.Text, now.Text)
	}
	if seen == Present {
		return nil
	}
	return e.writtenOver(seen == Uncertain)
}

// Result returns what all requests together have done, as that of one update.
func (e *Edits) Result() Result {
	all := Result{Before: e.Before, After: e.Now, Earlier: e.Earlier, NoEarlier: e.NoEarlier}
	for _, made := range e.Made {
		all.Wanted, all.Expected, all.Guarded = made.Wanted, made.Expected, made.Guarded
		all.Unguarded, all.Others.Before = all.Unguarded || made.Unguarded, all.Others.Before || made.Others.Before
		if made.Others.After {
			all.Others.After, all.Others.Name, all.Others.At = true, made.Others.Name, made.Others.At
		}
	}
	return all
}

// SameStored reports whether two states of a document are the same.
func SameStored(a, b outline.Document) bool {
	if a.Tree != nil && b.Tree != nil {
		return prosemirror.Equal(a.Tree, b.Tree)
	}
	return a.Text == b.Text
}

// removeEdits returns the edits that are not done.
func removeEdits(edits, done []int) []int {
	return slices.DeleteFunc(slices.Clone(edits), func(i int) bool { return slices.Contains(done, i) })
}
