package tools

import (
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// An earlier is how an answer names the revision that holds the document as it was
// before a write.
type earlier struct {
	EarlierRevisionID string `json:"earlier_revision_id,omitempty" format:"uuid" jsonschema:"Restoring it undoes the write, apart from the places of comments"`

	none string // why there is none, as a clause
}

func earlierOf(u edit.Result) earlier { return newEarlier(u.Earlier, u.NoEarlier) }

// newEarlier returns the name of a revision or, if it is nil, why there is none.
func newEarlier(revision *outline.Revision, none string) earlier {
	if revision == nil {
		return earlier{none: none}
	}
	return earlier{EarlierRevisionID: revision.ID}
}

// note returns the note on a write that no revision undoes, or "".
func (e earlier) note() string {
	if e.none == "" {
		return ""
	}
	return "no revision can be named that undoes this: " + e.none
}

// sentence says in a failure how the earlier text is brought back.
func (e earlier) sentence() string {
	if e.EarlierRevisionID == "" {
		return "No revision can be named that holds its earlier text: " + e.none
	}
	return "Its earlier text is revision " + e.EarlierRevisionID + " in the document's history"
}

// write names the call that undoes the write to a document.
func (e earlier) write(t *output.Text, documentID string) {
	t.If(e.EarlierRevisionID != "").Advice("To undo: [restore_document with document_id %s and revision_id %s|"+
		"open the document's URL with /history/%[2]s added in Outline, and restore that revision].", documentID, e.EarlierRevisionID)
}
