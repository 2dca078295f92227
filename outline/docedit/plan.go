package docedit

import (
	"outline-mcp/outline/prosemirror"
)

// Plan returns the one request that makes all changes and nothing else. Of the
// forms that do, it is the one that loses least, then the one that touches the
// fewest blocks, then the shortest. The error is a *RefusedError where no form
// does. The changes are sorted and do not overlap. The request has no EditMode
// if the changes change nothing but the way in which the same is written.
func Plan(s *Source, changes []Change) (Request, error) {
	e, err := s.edit(changes)
	if err != nil {
		return Request{}, err
	}
	if e.isNothing() {
		return Request{Result: s.Doc, before: s.Doc}, nil
	}
	t, err := s.target(e)
	if err != nil {
		return Request{}, err
	}
	if t.isBefore() {
		return Request{Result: s.Doc, before: s.Doc}, nil
	}
	r, ok := s.choose(e, t.first, t.last, func(result *prosemirror.Node) (Loss, bool) {
		if !t.is(result) {
			return Loss{}, false
		}
		return lost(s.Doc.Content, result.Content), true
	})
	if !ok {
		return Request{}, &RefusedError{
			Kind:    NoExactForm,
			Reason:  "every request that makes this change also changes something else",
			Instead: "Make it in smaller steps, or replace the whole block.",
		}
	}
	return r, nil
}

// choose returns the best request that makes an edit so that the result is
// right. First and last are the blocks that the edit concerns.
func (s *Source) choose(e edit, first, last int, right func(result *prosemirror.Node) (Loss, bool)) (best Request, ok bool) {
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
			return best, true
		}
	}
	if ok {
		return best, true
	}
	// A document of one block has no neighbors that would make Outline parse
	// it anew.
	all := e.widen(s.Markdown.Raw, 0, len(s.Markdown.Raw))
	if mended, ok := s.meant(e, all); ok {
		all = mended
	}
	r := Request{EditMode: ModeReplace, Text: all.text, before: s.Doc}
	r.Result = prosemirror.Replace(r.Text)
	r.End = len(r.Result.Content)
	r.Lost, ok = right(r.Result)
	return r, ok
}

// simulate carries out an edit as a patch. Ok is false where Outline would
// fail.
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

// better orders requests that are right.
func (r *Request) better(other *Request) bool {
	if r.Lost.less(other.Lost) || other.Lost.less(r.Lost) {
		return r.Lost.less(other.Lost)
	}
	if a, b := r.End-r.First, other.End-other.First; a != b {
		return a < b
	}
	return len(r.FindText)+len(r.Text) < len(other.FindText)+len(other.Text)
}
