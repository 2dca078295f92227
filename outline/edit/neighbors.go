package edit

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// This file keeps the lines that no passage names what they are: a line of a list, a table
// or a quote that stands next to new text may otherwise become part of it.

// separated returns an edit with the blank lines around its text that keep the lines that no
// passage names what they are, and its target. The error is a [*RefusedError] if these
// lines would become something else.
func (s *Source) separated(e rawEdit, changes []Change) (rawEdit, target, error) {
	var passages []passage
	for _, c := range changes {
		passages = append(passages, passage{s.Markdown.RawRange(c.Start, c.End), c.New})
	}
	t, err := s.target(e)
	if err != nil {
		return e, t, err
	}
	line, gone := t.region.changed(passages)
	if !gone {
		return e, t, nil
	}
	behind, before := e.blankBehind(s.Markdown.Raw), e.blankBefore(s.Markdown.Raw)
	for _, other := range []rawEdit{behind, before, behind.blankBefore(s.Markdown.Raw)} {
		if t, err := s.target(other); err == nil {
			if _, gone := t.region.changed(passages); !gone {
				return other, t, nil
			}
		}
	}
	refused := &RefusedError{
		Reason:  fmt.Sprintf("the line %q, which no passage names, would become something else", beginning(line)),
		Instead: "Put the new text where a block ends, or give that line as well.",
	}
	if strings.HasPrefix(line, "|") {
		refused.Reason = fmt.Sprintf("the row %q would no longer be part of the table", beginning(line))
		refused.Instead = "Put the new text before or after the whole table."
	}
	return e, t, refused
}

// blankBehind returns the edit with a blank line behind its text.
func (e rawEdit) blankBehind(raw string) rawEdit {
	if e.start == e.end && strings.HasSuffix(e.text, "\n") && lineStart(raw, e.end) == e.end {
		e.text += quoteSigns(raw, e.end) + "\n"
		return e
	}
	e = e.widen(raw, e.start, indexFrom(raw, '\n', e.end))
	e.text += "\n" + quoteSigns(raw, min(len(raw), e.end+1))
	return e
}

// blankBefore returns the edit with a blank line before its text.
func (e rawEdit) blankBefore(raw string) rawEdit {
	start := lineStart(raw, e.start)
	if strings.HasPrefix(e.text, "\n") && start < e.start {
		e.text = "\n" + quoteSigns(raw, start) + e.text
		return e
	}
	e = e.widen(raw, start, e.end)
	e.text = quoteSigns(raw, start) + "\n" + e.text
	return e
}

// quoteSigns returns the signs of quotes that a line begins with.
func quoteSigns(raw string, at int) string {
	line := raw[at:]
	return strings.TrimRight(line[:len(line)-len(strings.TrimLeft(line, "> "))], " ")
}

// changed returns the first line of the region that no passage names and that does not
// stay what it is, and whether there is one.
func (r *region) changed(passages []passage) (line string, found bool) {
	lines := strings.Split(r.oldRaw, "\n")
	named := r.named(passages, len(lines))
	was, now := prosemirror.LeafBlocks(r.oldRaw), prosemirror.LeafBlocks(r.newRaw)
	for i, old := range was {
		line, end := lines[old.Line], len(lines)
		if next := slices.IndexFunc(was[i:], func(l prosemirror.LeafBlock) bool { return l.Line > old.Line }); next >= 0 {
			end = was[i+next].Line
		}
		inCode := old.Node.Type == prosemirror.CodeBlock || old.Node.Type == prosemirror.MathBlock
		inTable := kindOf(old.Parent) == prosemirror.TableCell
		if isEmpty(old.Node) || named.has(old.Line, end, inCode) && !(inTable && turnsToText(line, now)) {
			continue
		}
		at := slices.IndexFunc(now, func(l prosemirror.LeafBlock) bool {
			return kindOf(l.Parent) == kindOf(old.Parent) && alike(l.Node, old.Node)
		})
		if at < 0 {
			return strings.TrimSpace(line), true
		}
		now = now[at+1:]
	}
	return "", false
}

// A passage is a part of the raw form that a change replaces.
type passage struct {
	prosemirror.Range
	text string // what replaces it
}

// namedLines says of the lines of a region, and of the places before them, whether passages
// name them: lines that they have a part of, or join, and places at which they insert lines.
type namedLines struct{ lines, before []bool }

// has reports whether passages name one of the lines from first up to end, or insert lines
// among them.
func (n *namedLines) has(first, end int, among bool) bool {
	return slices.Contains(n.lines[first:end], true) || among && first+1 < end && slices.Contains(n.before[first+1:end], true)
}

func (r *region) named(passages []passage, count int) *namedLines {
	is, raw := &namedLines{make([]bool, count+1), make([]bool, count+1)}, r.source.Markdown.Raw
	start, end := r.source.Markdown.Blocks[r.first].Raw.Start, r.source.Markdown.Blocks[r.last].Raw.End
	all, _ := r.source.corrections(r.first, r.last, rawEdit{})
	lineOf := func(at int) int { return strings.Count(r.source.withCorrections(start, at, all), "\n") }
	for _, p := range passages {
		if p.End < start || p.Start > end {
			continue
		}
		last, ends := min(p.End, end), strings.HasSuffix(p.text, "\n")
		from, to := lineOf(max(p.Start, start)), lineOf(last)
		switch {
		case p.Start == p.End && ends && lineStart(raw, p.Start) == p.Start:
			is.before[from] = true
			continue
		case p.Start == p.End && strings.HasPrefix(p.text, "\n") && indexFrom(raw, '\n', p.End) == p.End:
			is.before[from+1] = true
			continue
		case ends && last > start && raw[last-1] == '\n' && strings.Trim(raw[p.Start:p.End], "\n") != "":
			to-- // only line ends join the lines around them
		}
		for i := from; i <= to; i++ {
			is.lines[i] = true
		}
	}
	return is
}

// turnsToText reports whether a row of a table stays as it is written, and becomes text.
func turnsToText(row string, now []prosemirror.LeafBlock) bool {
	row = strings.TrimSpace(row)
	return slices.ContainsFunc(now, func(l prosemirror.LeafBlock) bool {
		return l.Node.Type == prosemirror.Paragraph && strings.Contains(l.Node.TextContent(), row)
	})
}

// kindOf returns what a block is part of: an item, a cell, or any other block.
func kindOf(parent string) string {
	switch parent {
	case prosemirror.ListItem, prosemirror.CheckboxItem:
		return parent
	case prosemirror.TableCell, prosemirror.TableHeader:
		return prosemirror.TableCell
	}
	return ""
}
