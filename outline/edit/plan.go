package edit

import (
	"errors"
	"slices"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// A Plan is how edits are made to one state of a document.
type Plan struct {
	Text     string // of the document with the edits, as they write it
	Steps    []Step // the requests that make the edits, one after the other
	Lost     Loss
	Tolerant []int // edits whose passage is written differently in the document
	// Literal is what the text of the document cannot say and becomes what it says, as
	// clauses, because a new whole text leaves no other way.
	Literal []string
}

// A Step is one request and the edits that it makes. Its Result is nil if the tree of
// the document is not known.
type Step struct {
	Edits   []int
	Request Request
}

// Stored is the text that Outline will store for a text with the edits.
func (p Plan) Stored(before string) string {
	if len(p.Steps) == 0 {
		return before
	}
	if last := p.Steps[len(p.Steps)-1].Request.Result; last != nil {
		return prosemirror.ToText(last)
	}
	return p.Text
}

// plan plans the edits that are left for a state of the document. The error is an
// [*EditError] or a [*RefusedError].
func (e *Edits) plan(now outline.Document) (Plan, error) {
	patches := e.Before.CanPatch()
	after, changes, err := e.find(now.Text, e.Left)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Text: after}
	for _, change := range inOrder(changes) {
		if change.Tolerant {
			plan.Tolerant = append(plan.Tolerant, change.Edits...)
		}
		if now.Tree == nil && patches {
			find, replace := change.findReplace(now.Text)
			plan.Steps = append(plan.Steps, Step{change.Edits, Request{EditMode: ModePatch, FindText: find, Text: replace}})
		}
	}
	switch {
	case now.Tree != nil:
		source := &Source{Doc: now.Tree, Markdown: now.Markdown()}
		plan.Steps, err = e.choose(source, changes, patches)
	case !patches:
		plan.Steps = []Step{{e.Left, Request{Text: after}}}
	}
	plan.Lost = lossOf(plan.Steps)
	return plan, err
}

// find looks for the passages of those edits that are left.
func (e *Edits) find(text string, left []int) (after string, changes []Change, err error) {
	edits := make([]Edit, len(left))
	for i, n := range left {
		edits[i] = e.edits[n]
	}
	after, changes, err = changesOf(text, edits)
	if failed, ok := errors.AsType[*EditError](err); ok {
		failed.Index = left[failed.Index]
	}
	for _, change := range changes {
		for i, n := range change.Edits {
			change.Edits[i] = left[n]
		}
	}
	return after, changes, err
}

// inOrder returns changes in the order of their first edits.
func inOrder(changes []Change) []Change {
	return slices.SortedFunc(slices.Values(changes), func(a, b Change) int { return a.Edits[0] - b.Edits[0] })
}

// choose returns one request for all changes, or, if that is not exact or loses more
// than requests one after the other, those. There is none if nothing changes. Without
// patches, the server takes the whole text only.
func (e *Edits) choose(source *Source, changes []Change, patches bool) ([]Step, error) {
	together, refused := source.Request(changes, patches)
	all := []Step{{e.Left, together}}
	switch {
	case refused == nil && together.EditMode == "":
		return nil, nil
	case !patches:
		all[0].Request.EditMode = "" // which is to replace, on any server
		return all, refused
	case refused == nil && (together.Lost.IsZero() || len(changes) == 1):
		return all, nil
	}
	apart, err := e.apart(source)
	if refused == nil && (err != nil || !lossOf(apart).Less(together.Lost)) {
		return all, nil
	}
	return apart, err
}

// apart returns a request for each part of the text that the edits change. Edits
// that change nothing are done with the first of them.
func (e *Edits) apart(source *Source) (steps []Step, err error) {
	var nothing []int
	for left := e.Left; len(left) > 0; {
		_, changes, err := e.find(source.Markdown.Text, left)
		if err != nil {
			return nil, err
		}
		first := inOrder(changes)[0]
		request, err := source.Request([]Change{first}, true)
		if err != nil {
			return nil, &EditError{Index: first.Edits[0], Err: err}
		}
		if request.EditMode == "" {
			nothing = append(nothing, first.Edits...)
		} else {
			steps = append(steps, Step{first.Edits, request})
			source = &Source{Doc: request.Result, Markdown: prosemirror.ToMarkdown(request.Result)}
		}
		left = without(left, first.Edits)
	}
	if len(steps) > 0 {
		steps[0].Edits = slices.Concat(steps[0].Edits, nothing)
	}
	return steps, nil
}

func lossOf(steps []Step) (loss Loss) {
	for _, step := range steps {
		loss = loss.Plus(step.Request.Lost)
	}
	return loss
}

// ForgetUnknownTree removes the tree of a document that holds something that package
// prosemirror does not write as Outline does. What is written is then compared by
// its text.
func ForgetUnknownTree(document *outline.Document) {
	if document.Tree != nil && document.Markdown().Text != document.Text {
		document.Tree = nil
	}
}
