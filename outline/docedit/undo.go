package docedit

import "outline-mcp/outline/prosemirror"

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
	mends, _ := before.mends(start, endBefore-1, edit{})
	for _, text := range []string{before.Markdown.Raw[back:until], before.mended(back, until, mends)} {
		e := edit{from, to, text}.trim(now.Markdown.Raw)
		if e.isNothing() {
			continue
		}
		if r, ok := now.choose(e, start, end-1, restored); ok {
			return r, true
		}
	}
	return Request{}, false
}
