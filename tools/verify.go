package tools

import (
	"context"
	"fmt"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/sametext"
	"outline-mcp/output"
)

// verify compares what a document is after an update with what it was to be.
// Outline may form Markdown anew, and that is no difference. Where the answer
// differs the document is read again, as that is what counts. A problem shows
// what has become of the document as it was before the call.
func verify(ctx context.Context, env mcptool.Env, update *outline.Update, before outline.Document, editsApplied int) error {
	if sametext.Equal(update.Expected, update.After.Text) {
		return nil
	}
	if now, err := env.Outline.Document(ctx, update.After.ID); err == nil {
		if sametext.Equal(update.Expected, now.Text) {
			update.After = now
			return nil
		}
		if now.Revision == update.After.Revision {
			update.After = now
		}
	}
	problem := newWriteProblem(before, update.After)
	problem.EditsApplied = editsApplied
	problem.Code = output.WriteMismatch
	if problem.Diff == "" {
		problem.Sentence = "Outline accepted the change and did not make it: the text is as it was"
		return problem
	}
	problem.Sentence = fmt.Sprintf("the document was written, but what is there now is not what was asked for: it has %s instead of about %d. "+
		"Its earlier text, revision %d, can be brought back in Outline (the document's menu, History)",
		output.Count(problem.CharsAfter, "character", "characters"), utf8.RuneCountInString(update.Expected), problem.RevisionBefore)
	problem.hint = fmt.Sprintf(", or by writing the lines with - in the diff again, with edit_document and expected_revision %d", problem.Revision)
	return problem
}

// overwritten is said where nothing kept a write from undoing another one.
const overwritten = "this Outline does not look at revisions, and the document was changed between reading and writing it: what somebody else wrote then may be lost; its History has it"

// writeProblem is the failure of a write of which something stands.
type writeProblem struct {
	output.Failure
	EditsApplied   int `json:"edits_applied,omitempty"`
	RevisionBefore int `json:"revision_before,omitempty"`
	Revision       int `json:"revision,omitempty"`
	CharsBefore    int `json:"chars_before,omitempty"`
	CharsAfter     int `json:"chars_after,omitempty"`

	Diff             string `json:"diff,omitempty"`
	DiffLinesLeftOut int    `json:"diff_lines_left_out,omitempty"`
	NextStartLine    int    `json:"next_start_line,omitempty"`

	lines []int  // of the new text, for each line of Diff
	hint  string // what the diff is good for, as the end of the sentence
}

// newWriteProblem returns a problem that shows what became of a document.
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
	t.Line("edits_applied %d, revision_before %d, revision %d, chars_before %d, chars_after %d", p.EditsApplied, p.RevisionBefore, p.Revision, p.CharsBefore, p.CharsAfter)
	p.shown().write(t)
}

// Cuts implements output.Cuttable.
func (p *writeProblem) Cuts() []output.Cut {
	return []output.Cut{{Units: len(p.Diff), Keep: func(n int) {
		shorter := p.shown().cut(n)
		p.Diff, p.DiffLinesLeftOut, p.NextStartLine = shorter.Diff, shorter.DiffLinesLeftOut, shorter.NextStartLine
	}}}
}
