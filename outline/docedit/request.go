package docedit

import "outline-mcp/outline/prosemirror"

// The ways to change a document that requests use, as documents.update names
// them in editMode.
const (
	ModePatch   = "patch"
	ModeReplace = "replace"
)

// Request is a documents.update that makes changes exactly.
type Request struct {
	EditMode string // ModePatch, ModeReplace, or "" if there is nothing to send
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
