package tools

import (
	"errors"
	"slices"
	"sort"

	"outline-mcp/internal/passage"
	"outline-mcp/outline"
	"outline-mcp/outline/docedit"
	"outline-mcp/outline/prosemirror"
)

// An editPlan is how edits are made to one state of a document.
type editPlan struct {
	text  string     // of the document with the edits, as they write it
	steps []editStep // the requests that make the edits, one after the other
	lost  docedit.Loss

	tolerant []int // edits whose passage is written differently in the document
}

// An editStep is one request and the edits that it makes. Its Result is nil if the
// tree of the document is not known.
type editStep struct {
	edits   []int
	request docedit.Request
}

// stored is the text that Outline will store for a text with the edits.
func (p editPlan) stored(before string) string {
	if len(p.steps) == 0 {
		return before
	}
	if last := p.steps[len(p.steps)-1].request.Result; last != nil {
		return prosemirror.ToText(last)
	}
	return p.text
}

// An editPlanner plans edits. Without patches, the server takes the whole text only.
type editPlanner struct {
	edits   []passage.Edit
	patches bool
}

// plan plans the edits that are left, on a document of which source is the tree,
// or nil if that is not known.
func (p editPlanner) plan(text string, source *docedit.Source, left []int) (editPlan, error) {
	after, patches, err := p.find(text, left)
	if err != nil {
		return editPlan{}, err
	}
	plan := editPlan{text: after}
	for _, patch := range patches {
		if patch.Tolerant {
			plan.tolerant = append(plan.tolerant, patch.Edits...)
		}
	}
	switch {
	case source == nil && p.patches:
		for _, patch := range patches {
			find, replace := patch.FindReplace(text)
			plan.steps = append(plan.steps, editStep{patch.Edits, docedit.Request{EditMode: docedit.ModePatch, FindText: find, Text: replace}})
		}
	case source == nil:
		plan.steps = []editStep{{left, docedit.Request{Text: after}}}
	case p.patches:
		plan.steps, err = p.choose(source, patches, left)
	default:
		var request docedit.Request
		if request, err = docedit.PlanReplace(source, changes(patches)); err == nil && request.EditMode != "" {
			request.EditMode = "" // which is to replace, on any server
			plan.steps = []editStep{{left, request}}
		}
	}
	plan.lost = lossOf(plan.steps)
	return plan, err
}

// find looks for the passages.
func (p editPlanner) find(text string, left []int) (after string, patches []passage.Patch, err error) {
	after, patches, err = passage.Plan(text, entriesOf(left, func(n int) passage.Edit { return p.edits[n] }))
	var failed *passage.EditError
	if errors.As(err, &failed) {
		return "", nil, &passage.EditError{Index: left[failed.Index], Err: failed.Err}
	}
	for _, patch := range patches {
		for i, n := range patch.Edits {
			patch.Edits[i] = left[n]
		}
	}
	return after, patches, err
}

// choose returns one request for all patches, or, if that is not exact or loses
// more than requests one after the other, those. There is none if nothing changes.
func (p editPlanner) choose(source *docedit.Source, patches []passage.Patch, left []int) ([]editStep, error) {
	together, refused := docedit.Plan(source, changes(patches))
	if refused == nil && together.EditMode == "" {
		return nil, nil
	}
	if refused == nil && (together.Lost.IsZero() || len(patches) == 1) {
		return []editStep{{left, together}}, nil
	}
	apart, err := p.apart(source, left)
	if refused == nil && (err != nil || !losesLess(lossOf(apart), together.Lost)) {
		return []editStep{{left, together}}, nil
	}
	return apart, err
}

// apart returns a request for each part of the text that the edits change. Edits
// that change nothing are done with the first of them.
func (p editPlanner) apart(source *docedit.Source, left []int) (steps []editStep, err error) {
	var nothing []int
	for len(left) > 0 {
		_, patches, err := p.find(source.Markdown.Text, left)
		if err != nil {
			return nil, err
		}
		request, err := docedit.Plan(source, changes(patches[:1]))
		if err != nil {
			return nil, &passage.EditError{Index: patches[0].Edits[0], Err: err}
		}
		if request.EditMode == "" {
			nothing = append(nothing, patches[0].Edits...)
		} else {
			steps = append(steps, editStep{patches[0].Edits, request})
			source = &docedit.Source{Doc: request.Result, Markdown: source.Markdown.Update(source.Doc, request.Result)}
		}
		left = without(left, patches[0].Edits)
	}
	if len(steps) > 0 {
		steps[0].edits = slices.Concat(steps[0].edits, nothing)
	}
	return steps, nil
}

func lossOf(steps []editStep) (loss docedit.Loss) {
	for _, step := range steps {
		loss = loss.Plus(step.request.Lost)
	}
	return loss
}

// without returns the edits that are not done.
func without(edits, done []int) []int {
	return slices.DeleteFunc(slices.Clone(edits), func(i int) bool { return slices.Contains(done, i) })
}

// changes returns patches of a text in the order of the text.
func changes(patches []passage.Patch) []docedit.Change {
	list := entriesOf(patches, func(p passage.Patch) docedit.Change { return docedit.Change{Start: p.Start, End: p.End, New: p.New} })
	sort.Slice(list, func(i, j int) bool { return list[i].Start < list[j].Start })
	return list
}

// sourceOf returns the tree of a document for planning, or nil if it is not known.
func sourceOf(document outline.Document) *docedit.Source {
	if document.Tree == nil {
		return nil
	}
	return &docedit.Source{Doc: document.Tree, Markdown: document.Markdown()}
}

// dropUnknownTree removes the tree of a document that holds something that package
// prosemirror does not write as Outline does. What is written is then compared by
// its text.
func dropUnknownTree(document *outline.Document) {
	if document.Tree != nil && document.Markdown().Text != document.Text {
		document.Tree = nil
	}
}
