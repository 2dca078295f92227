package tools

import (
	"fmt"
	"strings"

	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/output"
)

// diff shows what has changed in a text. It is part of the answer to a write.
type diff struct {
	Diff             string `json:"diff"`
	DiffLinesLeftOut int    `json:"diff_lines_left_out,omitempty"`
	NextStartLine    int    `json:"next_start_line,omitempty" jsonschema:"Where read_document goes on"`

	lines []int // of the new text, for each line of Diff
}

func diffOf(before, after outline.Document) diff {
	return newDiff(before, after.Text, fmt.Sprintf("revision %d", after.Revision))
}

func newDiff(before outline.Document, after, nameAfter string) diff {
	unified := edit.Unified(before.Text, after, fmt.Sprintf("revision %d", before.Revision), nameAfter)
	return diff{Diff: unified.Text, lines: unified.Lines}
}

func (d diff) write(t *output.Text) {
	if d.Diff != "" {
		t.Blank()
		t.Line("%s", strings.TrimSuffix(d.Diff, "\n"))
	}
	if d.DiffLinesLeftOut == 0 {
		return
	}
	t.Blank()
	leftOut := output.Count(d.DiffLinesLeftOut, "line", "lines")
	if d.NextStartLine > 0 {
		t.Advice("%s of the diff left out[: read_document with start_line %d shows what is there].", leftOut, d.NextStartLine)
	} else {
		t.Line("%s of the diff left out: fewer edits at a time show all.", leftOut)
	}
}

// cut ends the diff before its n-th byte, after a line if possible.
func (d diff) cut(n int) diff {
	if n >= len(d.Diff) {
		return d
	}
	kept := d.Diff[:strings.LastIndexByte(d.Diff[:n], '\n')+1]
	d.DiffLinesLeftOut = strings.Count(d.Diff[len(kept):], "\n")
	d.NextStartLine = d.lines[strings.Count(kept, "\n")]
	d.Diff = kept
	return d
}
