package tools

import (
	"fmt"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/written"
)

// This file refuses whole texts that leave out what they are to replace.

// checkElision refuses a text with a line that stands for lines of the text that it
// replaces, which would be lost. stored is the whole document, and advice completes the
// failure.
func checkElision(old, text, stored, argument, advice string) error {
	e, found := written.FindElision(old, text, stored)
	if !found {
		return nil
	}
	return output.Failure{Code: output.InvalidArguments,
		Sentence: fmt.Sprintf("nothing was written: line %d of %s, %s, stands for text that is not repeated, and %s of the document would be lost.",
			e.Line, argument, output.Quote(output.Excerpt(e.Text, 80)), output.Count(e.Lost, "line", "lines")),
		Next: advice}
}

// checkReplaces refuses a text that leaves out parts of the one it replaces, or is much
// shorter: more often than not it is a part that was taken for the whole. what names the
// old text.
func (in updateDocumentIn) checkReplaces(document, old, what string) error {
	const long, kept = 4000, 0.2
	if in.AllowShrink {
		return nil
	}
	if err := checkElision(old, in.Text, document, "text",
		"[To change a part of the document, use edit_document. ]Otherwise give the whole text. If the line is meant to be in the document, set allow_shrink to true."); err != nil {
		return err
	}
	had, gets := utf8.RuneCountInString(prosemirror.Unpadded(old)), utf8.RuneCountInString(prosemirror.Unpadded(in.Text))
	if had <= long || float64(gets) >= kept*float64(had) {
		return nil
	}
	return output.Failure{Code: output.InvalidArguments,
		Sentence: fmt.Sprintf("nothing was written: text would replace %s (%d characters) with %d characters.", what, had, gets),
		Next:     "[To change a part of it, use edit_document. ]To add to it, set append to true. If most of it should go, set allow_shrink to true."}
}
