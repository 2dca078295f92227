package edit

import (
	"errors"
	"slices"

	"outline-mcp/outline/prosemirror"
)

// A Plan is how edits are made to one state of a document.
type Plan struct {
	Text     string // of the document with the edits, as they write it
	Steps    []Step // the requests that make the edits, one after the other
	Lost     Loss
	Tolerant []int // edits whose passage is written differently in the document
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

// A Planner plans edits. Without patches, the server takes the whole text only.
type Planner struct {
	Edits   []Edit
	Patches bool
}

// Plan plans the edits that are left, on a document of which source is the tree, or
// nil if that is not known. The error is an [*EditError] or a [*RefusedError].
func (p Planner) Plan(text string, source *Source, left []int) (Plan, error) {
	after, changes, err := p.find(text, left)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Text: after}
	for _, change := range inOrder(changes) {
		if change.Tolerant {
			plan.Tolerant = append(plan.Tolerant, change.Edits...)
		}
		if source == nil && p.Patches {
			find, replace := change.findReplace(text)
			plan.Steps = append(plan.Steps, Step{change.Edits, Request{EditMode: ModePatch, FindText: find, Text: replace}})
		}
	}
	switch {
	case source == nil && !p.Patches:
		plan.Steps = []Step{{left, Request{Text: after}}}
	case source != nil:
		plan.Steps, err = p.choose(source, changes, left)
	}
	plan.Lost = lossOf(plan.Steps)
	return plan, err
}

// find looks for the passages.
func (p Planner) find(text string, left []int) (after string, changes []Change, err error) {
	edits := make([]Edit, len(left))
	for i, n := range left {
		edits[i] = p.Edits[n]
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
// than requests one after the other, those. There is none if nothing changes.
func (p Planner) choose(source *Source, changes []Change, left []int) ([]Step, error) {
	together, refused := source.Request(changes, p.Patches)
	if refused == nil && together.EditMode == "" {
		return nil, nil
	}
	if !p.Patches {
		together.EditMode = "" // which is to replace, on any server
	}
	all := []Step{{left, together}}
	if refused == nil && (together.Lost.IsZero() || len(changes) == 1) || !p.Patches {
		return all, refused
	}
	apart, err := p.apart(source, left)
	if refused == nil && (err != nil || !lossOf(apart).Less(together.Lost)) {
		return all, nil
	}
	return apart, err
}

// apart returns a request for each part of the text that the edits change. Edits
// that change nothing are done with the first of them.
func (p Planner) apart(source *Source, left []int) (steps []Step, err error) {
	var nothing []int
	for len(left) > 0 {
		_, changes, err := p.find(source.Markdown.Text, left)
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
			source = &Source{Doc: request.Result, Markdown: source.Markdown.Update(source.Doc, request.Result)}
		}
		left = Without(left, first.Edits)
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

// Without returns the edits that are not done.
func Without(edits, done []int) []int {
	return slices.DeleteFunc(slices.Clone(edits), func(i int) bool { return slices.Contains(done, i) })
}
