package edit

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// This file keeps the lines that no passage names what they are: a line of a list, a table
// or a quote that stands next to new text may otherwise become part of it.

// separated is target with the blank lines around the text of an edit that keep the lines
// that no change names what they are. The error is a [*RefusedError] if they cannot.
func (s *Source) separated(e rawEdit, changes []Change) (target, error) {
	t, err := s.target(e)
	if err != nil || s.late() {
		return t, err
	}
	line := t.region.changed(changes)
	if line == "" {
		return t, nil
	}
	raw := s.Markdown.Raw
	behind := e.blankBehind(raw)
	for _, other := range []rawEdit{behind, e.blankBefore(raw), behind.blankBefore(raw)} {
		if t, err := s.target(other); err == nil && t.region.changed(changes) == "" {
			return t, nil
		}
	}
	if strings.HasPrefix(line, "|") {
		return t, &RefusedError{
			Reason:  fmt.Sprintf("the row %q would no longer be part of the table", beginning(line)),
			Instead: "Put the new text before or after the whole table.",
		}
	}
	return t, &RefusedError{
		Reason:  fmt.Sprintf("the line %q, which no passage names, would become something else", beginning(line)),
		Instead: "Put the new text where a block ends, or give that line as well.",
	}
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

// changed returns the first line of the region that no change names and that does not stay
// what it is, or "".
func (r *region) changed(changes []Change) string {
	lines, newLines := strings.Split(r.oldRaw, "\n"), strings.Split(r.newRaw, "\n")
	named, before := r.named(changes, len(lines))
	was, now := prosemirror.LeafBlocks(r.oldRaw), prosemirror.LeafBlocks(r.newRaw)
	texts, seen := map[string]bool{}, 0 // the lines of paragraphs, which may have been rows
	for i, end := range linesBehind(now, len(newLines)) {
		if now[i].Node.Type != prosemirror.Paragraph || kindOf(now[i].Parent) == prosemirror.TableCell {
			continue
		}
		for ; seen < end; seen++ { // several blocks may be of one line
			if seen >= now[i].Line {
				texts[strings.TrimSpace(newLines[seen])] = true
			}
		}
	}
	for i, end := range linesBehind(was, len(lines)) {
		old, line := was[i], strings.TrimSpace(lines[was[i].Line])
		inCode := old.Node.Type == prosemirror.CodeBlock || old.Node.Type == prosemirror.MathBlock
		isNamed := named[end] > named[old.Line] || inCode && before[end] > before[old.Line+1]
		next := strings.TrimSpace(append(lines, "")[old.Line+1]) // below a header, what makes it one
		rowIsText := kindOf(old.Parent) == prosemirror.TableCell && (texts[line] || next != "" && texts[next])
		if isEmpty(old.Node) || isNamed && !rowIsText {
			continue
		}
		at := slices.IndexFunc(now, func(l prosemirror.LeafBlock) bool {
			return kindOf(l.Parent) == kindOf(old.Parent) && alike(l.Node, old.Node)
		})
		if at < 0 {
			return line
		}
		now = now[at+1:]
	}
	return ""
}

// linesBehind returns the line behind each of the leaf blocks of a text.
func linesBehind(leaves []prosemirror.LeafBlock, lines int) []int {
	ends := make([]int, len(leaves))
	for i, leaf := range slices.Backward(leaves) {
		if i+1 < len(leaves) && leaves[i+1].Line > leaf.Line {
			lines = leaves[i+1].Line
		}
		ends[i] = max(lines, leaf.Line+1)
	}
	return ends
}

// named returns how many of the first lines of a region changes name, that is, replace a
// part of them or join them, and before how many they insert lines, for each number of lines.
func (r *region) named(changes []Change, count int) (lines, before []int) {
	lines, before = make([]int, count+2), make([]int, count+2)
	md := &r.source.Markdown
	start, end := md.Blocks[r.first].Raw.Start, md.Blocks[r.last].Raw.End
	all, _ := r.source.corrections(r.first, r.last, rawEdit{})
	lineOf := func(at int) int { return strings.Count(r.source.withCorrections(start, at, all), "\n") }
	for _, c := range changes {
		at := md.RawRange(c.Start, c.End)
		if at.End < start || at.Start > end {
			continue
		}
		last, ends := min(at.End, end), strings.HasSuffix(c.New, "\n")
		from, to := lineOf(max(at.Start, start)), lineOf(last)
		switch {
		case at.Start == at.End && ends && lineStart(md.Raw, at.Start) == at.Start:
			before[from+1] = 1
			continue
		case at.Start == at.End && strings.HasPrefix(c.New, "\n") && indexFrom(md.Raw, '\n', at.End) == at.End:
			before[from+2] = 1
			continue
		case ends && last > start && md.Raw[last-1] == '\n' && strings.Trim(md.Raw[at.Start:at.End], "\n") != "":
			to-- // only line ends join the lines around them
		}
		for i := from; i <= to; i++ {
			lines[i+1] = 1
		}
	}
	for i := range count + 1 {
		lines[i+1] += lines[i]
		before[i+1] += before[i]
	}
	return lines, before
}

// kindOf returns what a block is part of: an item, a cell, or any other block.
func kindOf(parent string) string {
	switch parent {
	case prosemirror.ListItem, prosemirror.CheckboxItem, prosemirror.TableCell:
		return parent
	case prosemirror.TableHeader:
		return prosemirror.TableCell
	}
	return ""
}
