package tools

import (
	"outline-mcp/output"
)

// A change is what an answer says of a write that may have changed a document's text.
type change struct {
	Changed        bool     `json:"changed"`
	Verified       bool     `json:"verified"`
	RevisionBefore int      `json:"revision_before"`
	Revision       int      `json:"revision"`
	Guarded        bool     `json:"guarded"`
	Lost           *lost    `json:"lost,omitempty"`
	Notes          []string `json:"notes,omitempty"`
	earlier
	diff
}

// line writes the revisions, and what is to be told after them.
func (c change) line(t *output.Text, more string) {
	t.Printf("revision_before %d, revision %d%s", c.RevisionBefore, c.Revision, more)
	t.If(c.Changed && !c.Verified).Printf(", verified false")
	t.If(!c.Guarded).Printf(", guarded false")
	t.Blank()
}

// rest writes what follows the revisions.
func (c change) rest(t *output.Text, documentID string, dryRun bool) {
	if c.Lost != nil {
		c.Lost.write(t, dryRun)
	}
	for _, note := range c.Notes {
		t.Line("Note: %s.", note)
	}
	c.earlier.write(t, documentID)
	c.diff.write(t)
}
