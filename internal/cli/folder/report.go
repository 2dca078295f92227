package folder

import (
	"fmt"
	"io"
)

// What says what has become, or will become, of a file or a document.
type What string

// What a command says of a file.
const (
	New      What = "new"
	Updated  What = "changed"
	Merged   What = "merged"
	Conflict What = "conflict"
	Moved    What = "moved"
	Removed  What = "removed"
	Restored What = "restored"
	Kept     What = "kept"
	Skipped  What = "skipped"
	Renamed  What = "renamed"
	Archived What = "archived"
	Deleted  What = "deleted"
	Refused  What = "refused"
	Gone     What = "gone"
	Uploaded What = "uploaded"
)

// leaves reports whether a push leaves what it is said of.
func (w What) leaves() bool { return w == Conflict || w == Gone || w == Kept || w == Refused }

// A Line says what has become of a file.
type Line struct {
	Path     string `json:"path"`
	What     What   `json:"what"`
	Document string `json:"document,omitempty"` // URL ID
	Detail   string `json:"detail,omitempty"`   // a clause
}

// Write writes a line for people.
func (l Line) Write(w io.Writer) {
	fmt.Fprintf(w, "%-10s %s", l.What, l.Path)
	if l.Detail != "" {
		fmt.Fprintf(w, "  (%s)", l.Detail)
	}
	fmt.Fprintln(w)
}

// Write writes a change for people.
func (c Change) Write(w io.Writer) {
	side := func(name string, all []What) {
		for _, what := range all {
			fmt.Fprintf(w, "%-8s %-10s %s\n", name, what, c.Path)
		}
	}
	side("here", c.Here)
	side("there", c.There)
	if c.Conflict {
		fmt.Fprintf(w, "%-8s %-10s %s  (Outline's version is in %s)\n", "both", Conflict, c.Path, besidePath(c.Path))
	}
}
