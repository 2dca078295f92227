package docedit

import (
	"outline-mcp/outline/prosemirror"
)

// Plan returns the one request that makes all changes and nothing else. If
// several forms do, it chooses the one that loses least, then the one that
// touches the fewest blocks, then the shortest. The error is a *RefusedError if
// no form does. The changes are sorted and do not overlap. The request has no
// EditMode if the changes only change how the same content is written.
func Plan(s *Source, changes []Change) (Request, error) {
	return s.plan(changes, s.choose)
}

// PlanReplace is Plan for servers without patches: the request replaces the
// whole document.
func PlanReplace(s *Source, changes []Change) (Request, error) {
	return s.plan(changes, func(e edit, first, last int, right judge) (Request, bool) {
		return s.replace(e, right)
	})
}

// A judge decides whether the result of a request is right, and what it loses.
type judge func(result *prosemirror.Node) (Loss, bool)

func (s *Source) plan(changes []Change, choose func(e edit, first, last int, right judge) (Request, bool)) (Request, error) {
	e, err := s.edit(changes)
	if err != nil {
		return Request{}, err
	}
	if e.isNothing() {
		return Request{Result: s.Doc, before: s.Doc}, nil
	}
	if len(s.Doc.Content) == 0 {
		// A document without blocks, which Outline may store for one without
		// text.
		r, _ := s.replace(e, func(*prosemirror.Node) (Loss, bool) { return Loss{}, true })
		return r, nil
	}
	t, err := s.target(e)
	if err != nil {
		return Request{}, err
	}
	if t.isBefore() {
		return Request{Result: s.Doc, before: s.Doc}, nil
	}
	r, ok := choose(e, t.first, t.last, func(result *prosemirror.Node) (Loss, bool) {
		if !t.is(result) {
			return Loss{}, false
		}
		return lost(s.Doc.Content, result.Content), true
	})
	if !ok {
		return Request{}, s.noForm(e, t.first, t.last)
	}
	return r, nil
}

// choose returns the best request that makes an edit so that the result is
// right. First and last are the blocks that the edit concerns.
func (s *Source) choose(e edit, first, last int, right judge) (best Request, ok bool) {
	for form := range s.forms(e, first, last) {
		r, simulated := s.simulate(form)
		if !simulated {
			continue
		}
		var exact bool
		if r.Lost, exact = right(r.Result); !exact {
			continue
		}
		if !ok || r.better(&best) {
			best, ok = r, true
		}
		if best.Lost.IsZero() {
			break
		}
	}
	if ok {
		return best, true
	}
	// A document of one block has no neighbors that would make Outline parse it
	// again.
	return s.replace(e, right)
}

// replace makes an edit by replacing the whole document.
func (s *Source) replace(e edit, right judge) (r Request, ok bool) {
	all := e.widen(s.Markdown.Raw, 0, len(s.Markdown.Raw))
	if len(s.Doc.Content) > 0 {
		all, _ = s.meant(e, all)
	}
	r = Request{EditMode: ModeReplace, Text: all.text, before: s.Doc}
	r.Result = prosemirror.Replace(r.Text)
	r.End = len(r.Result.Content)
	r.Lost, ok = right(r.Result)
	return r, ok
}

// noForm returns the refusal of an edit that no request makes exactly.
func (s *Source) noForm(e edit, first, last int) error {
	// A neighbor, too, can contain what Outline would not read back.
	for _, around := range []int{0, 1} {
		r := s.region(e, max(0, first-around), min(len(s.Doc.Content)-1, last+around))
		if !allAlike(r.blocks(), r.old) {
			return notMarkdown(r.blocks(), r.old)
		}
	}
	return &RefusedError{
		Kind:    NoExactForm,
		Reason:  "every request that makes this change would also change something else",
		Instead: "Make it in smaller steps, or replace the whole block.",
	}
}

// simulate carries out an edit as a patch. Ok is false if Outline would fail.
func (s *Source) simulate(e edit) (r Request, ok bool) {
	find := s.Markdown.Raw[e.start:e.end]
	p, err := s.Markdown.Patch(s.Doc, find, e.text)
	if err != nil {
		return Request{}, false
	}
	behind := len(s.Doc.Content) - p.Last - 1
	return Request{
		EditMode: ModePatch, FindText: find, Text: e.text,
		Result: p.Doc, First: p.First, End: len(p.Doc.Content) - behind, before: s.Doc,
	}, true
}

// better compares requests that are right.
func (r *Request) better(other *Request) bool {
	if r.Lost.Less(other.Lost) || other.Lost.Less(r.Lost) {
		return r.Lost.Less(other.Lost)
	}
	if a, b := r.End-r.First, other.End-other.First; a != b {
		return a < b
	}
	return len(r.FindText)+len(r.Text) < len(other.FindText)+len(other.Text)
}
