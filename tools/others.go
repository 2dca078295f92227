package tools

import (
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// notesOnOthers describes the changes by others that were seen during an update.
func notesOnOthers(u edit.Result) (notes []string) {
	who := "somebody else"
	if u.Others.Name != "" {
		who = output.OneLine(output.Excerpt(u.Others.Name, 100))
	}
	switch {
	case u.Unguarded:
		notes = append(notes, "this Outline does not check revisions, and the document was changed between reading and writing it: what somebody else wrote may be lost")
	case u.Others.Before:
		notes = append(notes, "somebody else changed the document while this call was under way; this change stands beside theirs")
	}
	if u.Others.After {
		notes = append(notes, who+" changed the document at "+stamp(u.Others.At)+", after this change, which is still there")
	}
	if u.Others.Within {
		notes = append(notes, "somebody else changed the same paragraph, list or table: the words of this change are there, but not exactly in the form that was asked for")
	}
	if u.Unconfirmed {
		notes = append(notes, "Outline accepted the change, but reading the document again failed: somebody else may have written over it since")
	}
	return notes
}
