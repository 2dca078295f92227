// Package markdown reads the structure of a Markdown document: its headings,
// the sections they open, its lines and its words.
//
// Headings are those of CommonMark (https://spec.commonmark.org/0.31.2/), with
// the tables of GitHub Flavored Markdown and the container lines of Outline
// (":::info", "+++ Title") told apart from paragraphs. Lines count from 1 and
// end with "\n" or "\r\n". A literal backslash followed by n, which Outline
// writes for a hard break, does not end a line.
//
// Input may come from anyone. Work and memory grow linearly with the length of
// the document, whatever it holds; what is given up for that is named at
// [Headings].
package markdown

// Heading is one heading of a document, whether marked with # or underlined.
type Heading struct {
	Level int    // 1 to 6
	Text  string // what a reader sees: no marks, no link targets, white space collapsed
	Line  int    // the line the heading starts on, counting from 1
}

// Section is a heading with everything that belongs to it, up to the next
// heading of the same or a higher level, including subsections.
type Section struct {
	Heading   Heading
	FirstLine int // the heading's own line
	LastLine  int // the last line that is not blank; FirstLine if only the heading is there
}

// Headings returns the headings of a document in document order. The heading
// at an index is that of the same index in [Sections].
//
// Headings inside block quotes and list items are headings in CommonMark and
// are listed; text that looks like one inside code or HTML blocks is not.
//
// The text of a heading keeps code, emoji, the alternative text of images and
// the text of links. It may be empty.
//
// Three limits keep hostile input cheap. Quotes and lists nested more than 100
// deep (a list counts twice) are read as text; marks in a heading longer than
// 1 KiB stay in its text; and link reference definitions are not looked for in
// a paragraph longer than 16 KiB.
func Headings(source string) []Heading {
	sections := Sections(source)
	headings := make([]Heading, len(sections))
	for i, section := range sections {
		headings[i] = section.Heading
	}
	return headings
}

// Sections returns the sections of a document in the order of their headings.
//
// Two sections are either apart or one lies inside the other. The section of a
// heading inside a block quote or a list item ends with that quote or item,
// and such a heading does not end a section that began outside.
func Sections(source string) []Section {
	d := parse(source)
	d.collect(d.root, len(d.lines))
	return d.sections
}
