// Package passage finds a passage in a Markdown document, replaces it, and shows
// what has changed.
//
// If a passage does not occur exactly, it is searched again with tolerance for
// what changes when a text passes through an editor: line ends (CRLF, CR), white
// space at the end of lines, typographic quotation marks and apostrophes,
// non-breaking spaces, the character of a bullet, and the number of blank lines
// between two lines, including none. A line that contains only a backslash
// (Outline's empty paragraph) or only the marks of a block quote is a blank line.
//
// If that does not find it, it may be the same Markdown written in another way,
// as in an export: with other escapes; with line ends, \n or <br> for the breaks
// within a paragraph or cell; with other padding of cells and numbers, or other
// lengths of fences.
//
// Case, words, other punctuation, indentation, and whether a space or a line end
// separates two words always count.
//
// Texts are not trusted: time and memory grow nearly linearly with their length,
// whatever they contain.
package passage

import "strings"

// An Edit replaces a passage, which must occur exactly once, with another text.
type Edit struct {
	Old string // the passage
	New string // the new text, subject to Replacement; "" deletes the passage
}

// A Match is the place of a passage in a text.
type Match struct {
	Start, End int  // byte offsets: text[Start:End] is the passage as stored
	Tolerant   bool // whether it was found only with tolerance
}

// applied is an edit that was applied.
type applied struct {
	Match         // in the text with all earlier edits applied
	Stored string // the text that was replaced
	New    string // the text that replaced it
}

// apply applies edits one after the other, each to the result of those before it.
func apply(text string, edits []Edit) (after string, all []applied, err error) {
	d := document{text: text}
	for i, edit := range edits {
		match, err := d.find(edit.Old)
		if err != nil {
			return "", nil, &EditError{Index: i, Err: err}
		}
		// A copy does not keep the intermediate text in memory.
		stored := strings.Clone(d.text[match.Start:match.End])
		replacement := edit.Replacement(stored)
		all = append(all, applied{match, stored, replacement})
		d.replace(match, replacement)
	}
	return d.text, all, nil
}
