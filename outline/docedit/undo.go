package docedit

import "outline-mcp/outline/prosemirror"

// Undo returns a request that turns the document from now into exactly the
// earlier tree, if there is one. It has no EditMode if there is nothing to
// undo.
func Undo(now, before *Source) (Request, bool) {
	start, end, _ := changed(now.Doc.Content, before.Doc.Content, prosemirror.Equal)
	if prosemirror.Equal(now.Doc, before.Doc) {
		return Request{Result: now.Doc, before: now.Doc}, true
	}
	e := edit{0, len(now.Markdown.Raw), before.Markdown.Raw}.trim(now.Markdown.Raw)
	if e.isNothing() || len(now.Markdown.Blocks) == 0 {
		return Request{}, false // the difference is nothing that Markdown carries
	}
	first, last := e.blocks(now.Markdown.Blocks)
	return now.choose(e, min(first, start), max(last, end-1), func(result *prosemirror.Node) (Loss, bool) {
		return Loss{}, prosemirror.Equal(result, before.Doc)
	})
}
