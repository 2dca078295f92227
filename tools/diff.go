package tools

import (
	"fmt"
	"strings"

	"outline-mcp/internal/passage"
	"outline-mcp/outline"
	"outline-mcp/output"
)

// diff shows what became of a text, and stands in the answer of a write.
type diff struct {
	Diff             string `json:"diff"`
	DiffLinesLeftOut int    `json:"diff_lines_left_out,omitempty"`
	NextStartLine    int    `json:"next_start_line,omitempty" jsonschema:"start_line of read_document to see the rest"`
}

func diffOf(before, after outline.Document) diff {
	return diff{Diff: passage.Unified(before.Text, after.Text,
		fmt.Sprintf("revision %d", before.Revision), fmt.Sprintf("revision %d", after.Revision))}
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
	t.Printf("%s of the diff left out: ", output.Count(d.DiffLinesLeftOut, "line", "lines"))
	if d.NextStartLine > 0 {
		t.Line("read_document with start_line %d shows what is there.", d.NextStartLine)
	} else {
		t.Line("fewer edits at a time show all.")
	}
}

// cut ends the diff before its n-th byte, behind a line where there is one.
func (d diff) cut(n int) diff {
	if n >= len(d.Diff) {
		return d
	}
	kept := d.Diff[:strings.LastIndexByte(d.Diff[:n], '\n')+1]
	d.DiffLinesLeftOut = strings.Count(d.Diff[len(kept):], "\n")
	d.NextStartLine = lineAt(d.Diff, len(kept))
	d.Diff = kept
	return d
}

// lineAt returns the line of the new text that a unified diff is at behind its
// first n bytes.
func lineAt(diff string, n int) int {
	at, inHunk, read := 1, false, 0
	for line := range strings.Lines(diff) {
		if line[0] == '@' { // the lines of a text have a mark before them
			_, after, _ := strings.Cut(line, "+")
			_, _ = fmt.Sscanf(after, "%d", &at) // what passage.Unified wrote
			at, inHunk = max(at, 1), true       // an empty text has line 0
		}
		switch {
		case read >= n && inHunk:
			return at
		case line[0] == ' ', line[0] == '+':
			at++
		}
		read += len(line)
	}
	return at
}
