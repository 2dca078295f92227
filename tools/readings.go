package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/aymanbagabas/go-udiff/lcs"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// This file remembers what callers have read, and refuses whole texts over a newer state.

// readingOf returns what a caller knows who has read all of a document. Of a very long one,
// the last hash is also that of all further lines.
func readingOf(d outline.Document) mcptool.Reading {
	all := newLines(d.Text)
	r := mcptool.Reading{Revision: d.Revision, Title: d.Title, Icon: d.Icon, Color: d.Color}
	for i, line := range all.lines[:min(len(all.lines), mcptool.MostLines)] {
		if i == mcptool.MostLines-1 {
			line.text += all.text[line.end:]
		}
		r.Lines = append(r.Lines, line.hash())
	}
	return r
}

// sees returns what is to be called when an answer shows lines of a document, with whether
// more follows: the caller has read them.
func sees(ctx context.Context, env mcptool.Env, d outline.Document) func(first, last int, cut bool) {
	return func(first, last int, cut bool) {
		now, all := readingOf(d), newLines(d.Text).lines
		index := func(line int) int {
			i, _ := slices.BinarySearchFunc(all, line, func(l textLine, line int) int { return l.number - line })
			return min(i, len(now.Lines))
		}
		from, to := index(first), index(last+1)
		was, known := env.Readings.Of(ctx, d.ID)
		now.Ends = was.Ends
		if cut && to > 1 {
			now.Ends = append(slices.Clone(was.Ends[max(0, len(was.Ends)-8):]), [2]rune(now.Lines[to-2:to]))
		}
		if known { // what is not shown is known as before
			for _, d := range slices.Backward(lcs.DiffRunes(was.Lines, now.Lines)) {
				if d.ReplStart < from || d.ReplEnd > to {
					now.Lines = slices.Replace(now.Lines, d.ReplStart, d.ReplEnd, was.Lines[d.Start:d.End]...)
				}
			}
		}
		env.Readings.Set(ctx, d.ID, now)
	}
}

// wrote remembers the state in which a caller has left a document, as far as it knows it:
// if it has written the whole text, or knew the one before.
func wrote(ctx context.Context, env mcptool.Env, u edit.Result, whole bool) {
	was, known := env.Readings.Of(ctx, u.After.ID)
	others := u.Others.Before || u.Others.After || u.Unguarded
	if !known && (!whole || others) {
		return
	}
	before, now := readingOf(u.Before), readingOf(u.After)
	now.Ends = was.Ends
	if others || !whole && !slices.Equal(was.Lines, before.Lines) {
		now.Lines, now.Revision = was.Lines, was.Revision
	}
	for _, field := range [][3]*string{{&was.Title, &before.Title, &now.Title}, {&was.Icon, &before.Icon, &now.Icon}, {&was.Color, &before.Color, &now.Color}} {
		if known && *field[0] != *field[1] && *field[1] == *field[2] {
			*field[2] = *field[0]
		}
	}
	env.Readings.Set(ctx, u.After.ID, now)
}

// checkRead refuses to replace what the caller has not read: a title or icon, or the text of
// a document or of a section of it, that is another than when the caller read it. With
// ExpectedRevision, the caller says what it has read.
func (in updateDocumentIn) checkRead(ctx context.Context, env mcptool.Env, before outline.Document, section prosemirror.Section) error {
	was, known := env.Readings.Of(ctx, before.ID)
	if in.ExpectedRevision != 0 || !known {
		return nil
	}
	var differs []string
	for _, field := range [][4]string{{"title", was.Title, before.Title, in.Title}, {"icon", was.Icon, before.Icon, in.Icon}, {"color", was.Color, before.Color, in.Color}} {
		if field[1] != field[2] && field[3] != "" && field[3] != field[2] {
			differs = append(differs, "the "+field[0]+" is "+output.Quote(output.Excerpt(field[2], 100)))
		}
	}
	now := readingOf(before).Lines
	if in.Text != "" && !in.Append && !in.Prepend && !slices.Equal(readingOf(outline.Document{Text: in.Text}).Lines, now) {
		differs = append(differs, changesSince(was.Lines, now, newLines(before.Text).lines, section)...)
	}
	if differs == nil {
		return nil
	}
	return output.Failure{Code: output.Conflict, DocumentID: before.ID,
		Sentence: fmt.Sprintf("nothing was written: the document has changed since you read revision %d%s: %s.", was.Revision, output.OneLine(before.LastChange()), firstParts(differs)),
		Next:     fmt.Sprintf("Read it again[ with read_document] and send what is to be there now, or set expected_revision to %d to replace it all the same.", before.Revision)}
}

// changesSince names the lines of a document, or of a section if it has a level, that are
// others than when the caller read them.
func changesSince(was, now []rune, lines []textLine, section prosemirror.Section) (differs []string) {
	inside := func(i int) bool {
		return section.Level == 0 || i < len(now) && i >= 0 && lines[i].number >= section.FirstLine && lines[i].number <= section.LastLine
	}
	for _, d := range lcs.DiffRunes(was, now) {
		for i := d.ReplStart; i < d.ReplEnd; i++ {
			if inside(i) {
				differs = append(differs, fmt.Sprintf("line %d is new, %s", lines[i].number, output.Quote(output.Excerpt(lines[i].text, 80))))
			}
		}
		if gone := d.End - d.Start; d.ReplStart == d.ReplEnd && inside(d.ReplStart-1) && (inside(d.ReplStart) || was[d.Start]&7 == 0 || int(was[d.Start]&7) > section.Level) {
			after := "at the beginning"
			if d.ReplStart > 0 {
				after = fmt.Sprintf("after line %d", lines[d.ReplStart-1].number)
			}
			differs = append(differs, output.Count(gone, "line is", "lines are")+" gone "+after)
		}
	}
	return differs
}
