package mcptool

import "outline-mcp/outline/expiring"

// Readings hold what callers know of documents, by [auth.Principal.View] and the ID of the
// document: the states that they have read or have left themselves. They are in the memory
// of this process only, and nothing is shared between callers.
type Readings = expiring.Map[[2]string, Reading]

// A Reading is the state of a document as a caller knows it. It has no text.
type Reading struct {
	Revision int
	Head     [3]string // title, icon and color
	Lines    []rune    // a hash of each line that is not blank; its lowest three bits are the level of a heading
	Ends     [][2]rune // the last two lines of answers that were cut
}
