package edit

import (
	"context"

	"outline-mcp/outline/prosemirror"
)

// Source is one state of a document. It must not be used concurrently.
type Source struct {
	Doc      *prosemirror.Node
	Markdown prosemirror.Markdown

	ctx   context.Context                  // of the call that plans changes, or nil
	known map[int][]prosemirror.Correction // by block
}

// late reports whether the time of the call is over: no more is parsed, and the plan fails.
func (s *Source) late() bool { return s.ctx != nil && s.ctx.Err() != nil }

// behind returns the state of the document that a request has left.
func (s *Source) behind(result *prosemirror.Node) *Source {
	return &Source{ctx: s.ctx, Doc: result, Markdown: s.Markdown.Dialect.ToMarkdown(result)}
}

// The ways to change a document that requests use, as documents.update names
// them in editMode.
const (
	ModePatch   = "patch"
	ModeReplace = "replace"
	ModeAppend  = "append"
	ModePrepend = "prepend"
)

// Request is a documents.update that makes changes exactly.
type Request struct {
	EditMode string // one of the modes, or "" if there is nothing to send
	FindText string // for ModePatch
	Text     string

	// Result is the tree that Outline stores when it carries out the request.
	Result *prosemirror.Node
	// Lost is what the request removes from text that stays.
	Lost Loss

	// The top-level blocks of Result from First on, up to but not including
	// End, are those the request may change. All others are shared with the
	// document before.
	First, End int

	before *prosemirror.Node // the document that the request is for
}

// Loss is what Markdown cannot express and Outline therefore drops when it
// parses blocks again. It does not include what belongs to text that the change
// itself removes.
type Loss struct {
	CommentAnchors  []string // IDs of the comments, in document order
	HighlightColors int      // passages whose highlight turns to the default color
	ColumnWidths    int      // table columns whose width is reset
}

// Request returns the one request that makes all changes and nothing else. If
// several forms do, it chooses the one that loses least, then the one that
// touches the fewest blocks, then the shortest. The error is a [*RefusedError] if no form
// makes the changes. The changes are in the order of the text and do not overlap.
// The request has no EditMode if they only change how the same content is written.
// Lines that no change names stay what they are, with a blank line before or behind
// the new text if need be.
func (s *Source) Request(changes []Change) (Request, error) {
	return s.request(changes, func(e rawEdit) (target, error) { return s.separated(e, changes) })
}

func (s *Source) request(changes []Change, targetOf func(rawEdit) (target, error)) (Request, error) {
	e := s.combine(changes)
	if e.isNothing() {
		return Request{Result: s.Doc, before: s.Doc}, nil
	}
	if len(s.Doc.Content) == 0 {
		// A document without blocks, which Outline may store for one without
		// text.
		r, _ := s.replace(e, func(*prosemirror.Node) (Loss, bool) { return Loss{}, true })
		return r, nil
	}
	t, err := targetOf(e)
	if err != nil {
		return Request{}, err
	}
	if t.isBefore() {
		return Request{Result: s.Doc, before: s.Doc}, nil
	}
	right := func(result *prosemirror.Node) (Loss, bool) {
		if !t.is(result) {
			return Loss{}, false
		}
		return lost(s.Doc.Content, result.Content), true
	}
	r, ok := s.choose(t.edit, t.first, t.last, right)
	switch {
	case !ok && s.late():
		return Request{}, s.ctx.Err()
	case !ok:
		return Request{}, s.noForm(t.edit, t.first, t.last)
	}
	return r, nil
}

// A judge decides whether the result of a request is right, and what it loses.
type judge func(result *prosemirror.Node) (Loss, bool)

// choose returns the best request that makes an edit so that the result is
// right. First and last are the blocks that the edit concerns.
func (s *Source) choose(e rawEdit, first, last int, right judge) (best Request, ok bool) {
	for form := range s.forms(e, first, last) {
		if s.late() {
			return best, false
		}
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
	if !ok || !best.Lost.IsZero() {
		if r, added := s.add(e, right); added && (!ok || r.better(&best)) {
			best, ok = r, true
		}
	}
	if ok {
		return best, true
	}
	// A document of one block has no neighbors that would make Outline parse it
	// again.
	return s.replace(e, right)
}

// add makes an edit that inserts text at one end of the document by adding it there, which
// leaves all blocks as they are.
func (s *Source) add(e rawEdit, right judge) (r Request, ok bool) {
	for _, e := range e.slides(s.Markdown.Raw) {
		r = Request{Text: e.text, before: s.Doc}
		switch {
		case e.start < e.end || e.text == "":
			return r, false
		case e.start == 0:
			r.EditMode = ModePrepend
			r.Result, _ = s.Markdown.Dialect.Prepend(s.Doc, e.text) // fails without text only
			r.End = len(r.Result.Content) - len(s.Doc.Content)
		case e.end == len(s.Markdown.Raw):
			r.EditMode, r.First = ModeAppend, len(s.Doc.Content)
			r.Result, _ = s.Markdown.Dialect.Append(s.Doc, e.text)
			r.End = len(r.Result.Content)
		default:
			continue
		}
		if r.Lost, ok = right(r.Result); ok {
			return r, true
		}
	}
	return r, false
}

// replace makes an edit by replacing the whole document.
func (s *Source) replace(e rawEdit, right judge) (r Request, ok bool) {
	if s.late() {
		return r, false
	}
	all := e.widen(s.Markdown.Raw, 0, len(s.Markdown.Raw))
	if len(s.Doc.Content) > 0 {
		all, _ = s.meant(e, all)
	}
	r = Request{EditMode: ModeReplace, Text: all.text, before: s.Doc}
	r.Result = s.Markdown.Dialect.Parse(r.Text)
	r.End = len(r.Result.Content)
	r.Lost, ok = right(r.Result)
	return r, ok
}

// noForm returns the refusal of an edit that no request makes exactly.
func (s *Source) noForm(e rawEdit, first, last int) error {
	// A neighbor, too, can contain what Outline would not read back.
	for _, around := range []int{0, 1} {
		r := s.region(e, max(0, first-around), min(len(s.Doc.Content)-1, last+around))
		if !allAlike(r.blocks(), r.old) {
			return notMarkdown(r.blocks(), r.old)
		}
	}
	return &RefusedError{
		Reason:  "every request that makes this change would also change something else",
		Instead: "Make it in smaller steps, or replace the whole block.",
	}
}

// simulate carries out an edit as a patch. Ok is false if Outline would fail.
func (s *Source) simulate(e rawEdit) (r Request, ok bool) {
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

// Undo returns a request that turns the document from now into exactly the
// earlier tree, if there is one. It has no EditMode if there is nothing to
// undo.
func Undo(now, before *Source) (Request, bool) {
	is, was := now.Doc.Content, before.Doc.Content
	start, end, endBefore := changed(is, was, prosemirror.Equal)
	if start == end && start == endBefore {
		return Request{Result: now.Doc, before: now.Doc}, true
	}
	if len(is) == 0 || len(was) == 0 {
		return Request{}, false
	}
	if start == end || start == endBefore {
		// A block that stays shows where the others come or go.
		if start > 0 {
			start--
		} else {
			end++
			endBefore++
		}
	}
	restored := func(result *prosemirror.Node) (Loss, bool) {
		return Loss{}, prosemirror.Equal(result, before.Doc)
	}
	from, to := now.Markdown.Blocks[start].Raw.Start, now.Markdown.Blocks[end-1].Raw.End
	back := before.Markdown.Blocks[start].Raw.Start
	until := before.Markdown.Blocks[endBefore-1].Raw.End
	all, _ := before.corrections(start, endBefore-1, rawEdit{})
	for _, text := range []string{before.Markdown.Raw[back:until], before.withCorrections(back, until, all)} {
		e := rawEdit{from, to, text}.trim(now.Markdown.Raw)
		if e.isNothing() {
			continue
		}
		if r, ok := now.choose(e, start, end-1, restored); ok {
			return r, true
		}
	}
	return Request{}, false
}
