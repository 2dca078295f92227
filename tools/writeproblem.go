package tools

import (
	"unicode/utf8"

	"outline-mcp/outline"
	"outline-mcp/output"
)

// writeProblem is the failure of a write that has changed something.
type writeProblem struct {
	output.Failure
	EditsApplied   int  `json:"edits_applied,omitempty"`
	RevisionBefore int  `json:"revision_before,omitempty"`
	Revision       int  `json:"revision,omitempty"`
	CharsBefore    int  `json:"chars_before,omitempty"`
	CharsAfter     int  `json:"chars_after,omitempty"`
	Restored       bool `json:"restored,omitempty"`
	earlier

	Diff             string `json:"diff,omitempty"`
	DiffLinesLeftOut int    `json:"diff_lines_left_out,omitempty"`
	NextStartLine    int    `json:"next_start_line,omitempty"`

	lines []int  // of the new text, for each line of Diff
	hint  string // what the diff is good for, as the end of the sentence
}

// newWriteProblem returns a problem that shows what has changed in a document.
func newWriteProblem(before, after outline.Document) writeProblem {
	shown := diffOf(before, after)
	return writeProblem{
		Failure:        output.Failure{DocumentID: after.ID},
		RevisionBefore: before.Revision, Revision: after.Revision,
		CharsBefore: utf8.RuneCountInString(before.Text), CharsAfter: utf8.RuneCountInString(after.Text),
		Diff: shown.Diff, lines: shown.lines,
	}
}

// Unwrap returns the failure without a diff, for which a batch has room.
func (p writeProblem) Unwrap() error { return p.Failure }

// Completed keeps the diff, and adds to the sentence what it is good for.
func (p writeProblem) Completed(complete func(output.Failure) output.Failure) output.Problem {
	p.Next += p.hint
	p.Failure = complete(p.Failure)
	return p
}

// shown returns the problem's diff.
func (p writeProblem) shown() diff {
	return diff{p.Diff, p.DiffLinesLeftOut, p.NextStartLine, p.lines}
}

// WriteText implements output.Result.
func (p writeProblem) WriteText(t *output.Text) {
	p.Failure.WriteText(t)
	t.Printf("edits_applied %d, revision_before %d, revision %d, chars_before %d, chars_after %d", p.EditsApplied, p.RevisionBefore, p.Revision, p.CharsBefore, p.CharsAfter)
	t.If(p.Restored).Printf(", restored true")
	t.Blank()
	p.earlier.write(t, p.DocumentID)
	p.shown().write(t)
}

// Cuts implements output.Cuttable.
func (p *writeProblem) Cuts() []output.Cut {
	return []output.Cut{{Units: len(p.Diff), Keep: func(n int) {
		shorter := p.shown().cut(n)
		p.Diff, p.DiffLinesLeftOut, p.NextStartLine = shorter.Diff, shorter.DiffLinesLeftOut, shorter.NextStartLine
	}}}
}
