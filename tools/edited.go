package tools

import (
	"fmt"

	"outline-mcp/output"
)

func (e *edit) answer(dryRun bool) editedDocument {
	answer := editedDocument{
		DocumentID: e.before.ID, Title: e.now.Title, URL: e.env.Outline.AbsoluteURL(e.now.URL),
		EditsApplied: e.applied(), Changed: e.before.Text != e.now.Text, Verified: !dryRun,
		RevisionBefore: e.before.Revision, Revision: e.now.Revision, diff: diffOf(e.before, e.now), dryRun: dryRun,
	}
	if dryRun {
		answer.diff = newDiff(e.before, e.first.after, "with the edits")
	}
	for _, i := range e.first.tolerant() {
		answer.Notes = append(answer.Notes, fmt.Sprintf("edits[%d]: old_text stands there in another form (quotation marks, spaces, bullets or blank lines); what is stored was taken for it", i))
	}
	answer.Notes = append(answer.Notes, e.notes...)
	if !dryRun && !answer.Changed {
		answer.Notes = append(answer.Notes, "what the edits change is only form, which Outline writes its own way")
	}
	return answer
}

type editedDocument struct {
	DocumentID     string   `json:"document_id" format:"uuid"`
	Title          string   `json:"title"`
	URL            string   `json:"url" format:"uri"`
	EditsApplied   int      `json:"edits_applied"`
	Changed        bool     `json:"changed"`
	Verified       bool     `json:"verified"`
	RevisionBefore int      `json:"revision_before"`
	Revision       int      `json:"revision"`
	Notes          []string `json:"notes,omitempty"`
	diff

	dryRun bool
}

// WriteText implements output.Result.
func (d editedDocument) WriteText(t *output.Text) {
	done := "Edited"
	switch {
	case d.dryRun:
		done = "Nothing was written: dry_run of edits to"
	case !d.Changed:
		done = "Nothing changed in"
	}
	t.Line("%s %s, document_id %s, %s", done, titleOf(d.Title), d.DocumentID, d.URL)
	t.Line("edits_applied %d, changed %t, verified %t, revision_before %d, revision %d", d.EditsApplied, d.Changed, d.Verified, d.RevisionBefore, d.Revision)
	for _, note := range d.Notes {
		t.Line("Note: %s.", note)
	}
	d.diff.write(t)
}

// Cuts implements output.Cuttable.
func (d *editedDocument) Cuts() []output.Cut {
	return []output.Cut{{Units: len(d.Diff), Keep: func(n int) {
		d.diff = d.cut(n)
		if d.dryRun {
			d.NextStartLine = 0 // nothing of it is there to be read
		}
	}}}
}
