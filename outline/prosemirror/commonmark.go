package prosemirror

import "strings"

// ToCommonMark writes a document as documents.export does, without the title:
// line breaks are two blanks and a newline, and empty paragraphs are blank
// lines, without the backslash that lets Outline read them back.
func ToCommonMark(doc *Node) string {
	s := serializer{commonMark: true}
	s.out.Grow(estimate(doc))
	s.blocks(doc)
	return strings.TrimFunc(s.String(), isSpaceRune)
}
