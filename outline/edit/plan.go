package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// A Plan is how edits are made to one state of a document.
type Plan struct {
	Text     string // of the document with the edits, as they write it
	Steps    []Step // the requests that make the edits, one after the other
	Lost     Loss
	Places   int   // passages that the edits change
	Tolerant []int // edits whose passage is written differently in the document

	dialect prosemirror.Dialect
}

// A Step is one request and the edits that it completes, none if it replaces one of
// several occurrences. Its Result is nil if the tree of the document is not known.
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
		return p.dialect.ToText(last)
	}
	return p.Text
}

// plan plans the edits that are left for a state of the document. The error is an
// [*EditError] or a [*RefusedError].
func (e *Edits) plan(ctx context.Context, now outline.Document) (Plan, error) {
	after, changes, err := e.find(now.Text, e.Left)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Text: after, dialect: now.Dialect()}
	for _, change := range changes {
		plan.Places += change.places
	}
	for _, group := range groups(changes) {
		change := joinChanges(now.Text, group)
		if change.Tolerant {
			plan.Tolerant = append(plan.Tolerant, change.Edits...)
		}
		if now.Tree == nil {
			find, replace := change.findReplace(now.Text)
			plan.Steps = append(plan.Steps, Step{change.Edits, Request{EditMode: ModePatch, FindText: find, Text: replace}})
		}
	}
	if now.Tree != nil {
		plan.Steps, err = e.choose(&Source{ctx: ctx, Doc: now.Tree, Markdown: now.Markdown()}, changes)
	}
	err = cmp.Or(ctx.Err(), err)
	plan.Lost = lossOf(plan.Steps)
	if section := e.edits[e.Left[0]].Section; section != nil && err == nil {
		err = section.check(now, plan)
	}
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

// groups returns changes in the order of their first edits, those together that share
// edits, because an edit replaces several occurrences. The changes of a group are in the
// order of the text.
func groups(changes []Change) (list [][]Change) {
	shares := func(a Change) func(b Change) bool {
		return func(b Change) bool {
			return slices.ContainsFunc(a.Edits, func(i int) bool { return slices.Contains(b.Edits, i) })
		}
	}
	for _, change := range changes {
		group := []Change{change}
		list = slices.DeleteFunc(list, func(other []Change) bool {
			shared := slices.ContainsFunc(other, shares(change))
			if shared {
				group = append(group, other...)
			}
			return shared
		})
		list = append(list, group)
	}
	first := func(group []Change) int { return slices.Min(editsOf(group)) }
	slices.SortFunc(list, func(a, b []Change) int { return first(a) - first(b) })
	for _, group := range list {
		slices.SortFunc(group, func(a, b Change) int { return a.Start - b.Start })
	}
	return list
}

func editsOf(group []Change) (edits []int) {
	for _, change := range group {
		edits = append(edits, change.Edits...)
	}
	slices.Sort(edits)
	return slices.Compact(edits)
}

// joinChanges returns the changes of a group, which are in the order of the text, and what is
// between them as one.
func joinChanges(text string, group []Change) Change {
	all := group[0]
	for _, next := range group[1:] {
		all.New += text[all.End:next.Start] + next.New
		all.End, all.Tolerant = next.End, all.Tolerant || next.Tolerant
	}
	all.Edits = editsOf(group)
	return all
}

// choose returns one request for all changes, or, if that is not exact or loses more
// than requests one after the other, those. There is none if nothing changes.
func (e *Edits) choose(source *Source, changes []Change) ([]Step, error) {
	together, refused := source.Request(changes)
	all := []Step{{e.Left, together}}
	switch {
	case refused == nil && together.EditMode == "":
		return nil, nil
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
		first := groups(changes)[0]
		edits := editsOf(first)
		made, err := source.oneByOne(first)
		if err != nil {
			return nil, &EditError{Index: edits[0], Err: err}
		}
		if len(made) == 0 {
			nothing = append(nothing, edits...)
		} else {
			last := &made[len(made)-1]
			last.Edits = edits
			source = source.behind(last.Request.Result)
		}
		steps = append(steps, made...)
		if len(steps) > mostSteps {
			return nil, &RefusedError{
				Reason:  fmt.Sprintf("the edits would need more than %d requests, because no single one would leave the rest of the document as it is", mostSteps),
				Instead: "Make fewer edits at a time, or with longer passages.",
			}
		}
		left = removeEdits(left, edits)
	}
	if first := slices.IndexFunc(steps, func(s Step) bool { return len(s.Edits) > 0 }); first >= 0 {
		steps[first].Edits = slices.Concat(steps[first].Edits, nothing)
	}
	return steps, nil
}

// mostSteps is how many requests the edits of one document may need.
const mostSteps = 100

// oneByOne returns a request for each change, the last one in the text first: those
// before it stay where they are. The steps do not say which edits they make.
func (s *Source) oneByOne(changes []Change) (steps []Step, err error) {
	text := s.Markdown.Text
	for i, change := range slices.Backward(changes) {
		if len(steps) > mostSteps {
			break
		}
		if !strings.HasPrefix(s.Markdown.Text, text[:change.End]) {
			return nil, &RefusedError{Reason: "a change of one occurrence of the passage would change how an earlier one is written", Instead: "Replace them in separate edits."}
		}
		request, err := s.Request(changes[i : i+1])
		if err != nil {
			return nil, err
		}
		if request.EditMode != "" {
			steps = append(steps, Step{Request: request})
			s = s.behind(request.Result)
		}
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
