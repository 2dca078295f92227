// Package edit changes a document exactly as asked.
//
// # Passages
//
// An [Edit] names a passage of the document's Markdown. If it does not occur
// exactly, it is searched again with tolerance for what changes when a text passes
// through an editor: line ends (CRLF, CR), white space at the end of lines,
// typographic quotation marks and apostrophes, non-breaking spaces, the character
// of a bullet, and the number of blank lines between two lines, including none. A
// line that contains only a backslash (Outline's empty paragraph) or only the marks
// of a block quote is a blank line.
//
// If that does not find it, it may be the same Markdown written in another way, as
// in an export: with other escapes; with line ends, \n or <br> for the breaks
// within a paragraph or cell; with other padding of cells and numbers, or other
// lengths of fences.
//
// Case, words, other punctuation, indentation, and whether a space or a line end
// separates two words always count.
//
// # Requests
//
// Outline patches a tree, not a text: what a patch stores depends on how many
// blocks the passage touches, which marks surround it and what the new text looks
// like. The same change can be sent in several forms. Some of them damage the text
// around it, and some drop what Markdown cannot express. [Source.Request] tries the
// possible requests on the model in outline/prosemirror, and chooses the one whose
// result is right and loses least. If no form is right, it says why.
// [Request.Verify] compares the tree that Outline stored with the intended one, and
// [Undo] finds the request that restores an earlier tree.
//
// # Updates
//
// [Prepare] plans edits, and [Edits.Apply] makes them. Each request is an [Update]: it
// waits for its turn, resolves a lost answer by reading the document, and looks for the
// change afterwards if others may have overwritten it, because releases of Outline up to
// 1.9.2 do not check revisions. [Result.Verify] compares what is stored with what was
// wanted, and undoes a mismatch if that is possible.
//
// Texts are not trusted: time and memory grow nearly linearly with their length,
// whatever they contain.
package edit
