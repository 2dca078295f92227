// Package passage finds a passage in a Markdown document, replaces it, and
// shows what has changed.
//
// A passage is looked for as it is. If it is not there, it is looked for once
// more, overlooking what changes when a text travels through an editor: line
// ends (CRLF, CR), white space at the end of lines, typographic quotation marks
// and apostrophes, spaces that do not break, the character of a bullet, and how
// many blank lines stand between two lines, none included. A line with nothing
// but a backslash, Outline's empty paragraph, is a blank line, and so is one
// with nothing but the marks of a block quote. Case, words, other punctuation,
// indentation, and whether words are parted by a space or a line end always
// count.
//
// Texts may come from anyone. Work and memory grow nearly linearly with their
// length, whatever they hold.
package passage

import "strings"

// Edit replaces a passage, which must occur exactly once, by another text.
type Edit struct {
	Old string // the passage
	New string // what stands in its place afterwards, but see Replacement; "" deletes
}

// Match is where a passage stands in a text.
type Match struct {
	Start, End int  // byte offsets: text[Start:End] is the passage as stored
	Tolerant   bool // it was found only by overlooking what round trips change
}

// Applied is an edit as it was applied.
type Applied struct {
	Match         // in the text as it stood when the edit's turn came
	Stored string // what stood there
	New    string // what has taken its place
}

// Apply applies edits one after the other, each to the text as it stands after
// those before it. When one fails, none is applied, and the error is an
// [*EditError].
func Apply(text string, edits []Edit) (after string, applied []Applied, err error) {
	d := document{text: text}
	for i, edit := range edits {
		match, err := d.find(edit.Old)
		if err != nil {
			return "", nil, &EditError{Index: i, Err: err}
		}
		// A copy, so that not each of the texts in between is kept for it.
		stored := strings.Clone(d.text[match.Start:match.End])
		replacement := edit.Replacement(stored)
		applied = append(applied, Applied{match, stored, replacement})
		d.replace(match, replacement)
	}
	return d.text, applied, nil
}
