package tools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aymanbagabas/go-udiff/lcs"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/edit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// This file remembers what callers have read, and refuses whole texts over a newer state.

const (
	readingKept = 24 * time.Hour
	mostLines   = 1 << 12 // of a reading
)

func readingKey(ctx context.Context, d outline.Document) [2]string {
	p, _ := auth.FromContext(ctx)
	return [2]string{p.View(), d.ID}
}

// readingOf returns what a caller knows who has read all of a document, and its lines. Of a
// very long one, the last hash is also that of all further lines.
func readingOf(d outline.Document) (r mcptool.Reading, lines []textLine) {
	all := newLines(d.Text)
	r = mcptool.Reading{Revision: d.Revision, Head: [3]string{d.Title, d.Icon, d.Color}, Lines: make([]rune, 0, min(len(all.lines), mostLines))}
	for i, line := range all.lines[:min(len(all.lines), mostLines)] {
		if i == mostLines-1 {
			line.text += all.text[line.end:]
		}
		r.Lines = append(r.Lines, line.hash())
	}
	return r, all.lines
}

// sees returns what is to be called when an answer shows lines of a document, with whether
// more follows: the caller has read them.
func sees(ctx context.Context, env mcptool.Env, d outline.Document) func(first, last int, cut bool) {
	return func(first, last int, cut bool) {
		now, all := readingOf(d)
		index := func(line int) int {
			i, _ := slices.BinarySearchFunc(all, line, func(l textLine, line int) int { return l.number - line })
			return min(i, len(now.Lines))
		}
		from, to := index(first), index(last+1)
		was, known := env.Readings.Get(readingKey(ctx, d))
		now.Ends = was.Ends
		if cut && to > 1 {
			now.Ends = append(slices.Clone(was.Ends[max(0, len(was.Ends)-8):]), [2]rune(now.Lines[to-2:to]))
		}
		for _, d := range slices.Backward(lcs.DiffRunes(was.Lines, now.Lines)) {
			if known && (d.ReplStart < from || d.ReplEnd > to) { // what is not shown is known as before
				now.Lines = slices.Replace(now.Lines, d.ReplStart, d.ReplEnd, was.Lines[d.Start:d.End]...)
			}
		}
		env.Readings.Set(readingKey(ctx, d), now, readingKept)
	}
}

// wrote remembers the state in which a caller has left a document, as far as it knows it:
// if it has written the whole text, or knew the one before.
func wrote(ctx context.Context, env mcptool.Env, u edit.Result, whole bool) {
	was, known := env.Readings.Get(readingKey(ctx, u.After))
	others := u.Others.Before || u.Others.After || u.Unguarded
	if !known && (!whole || others) {
		return
	}
	before, _ := readingOf(u.Before)
	now, _ := readingOf(u.After)
	now.Ends = was.Ends
	if others {
		now.Lines, now.Revision = was.Lines, was.Revision
	} else if !whole && !slices.Equal(was.Lines, before.Lines) {
		now.Revision = was.Revision
		own := lcs.DiffRunes(before.Lines, now.Lines)
		for _, d := range slices.Backward(lcs.DiffRunes(was.Lines, now.Lines)) { // what others have changed is known as before
			if !slices.ContainsFunc(own, func(o lcs.Diff) bool {
				return o.ReplStart == d.ReplStart && o.ReplEnd == d.ReplEnd && slices.Equal(before.Lines[o.Start:o.End], was.Lines[d.Start:d.End])
			}) {
				now.Lines = slices.Replace(now.Lines, d.ReplStart, d.ReplEnd, was.Lines[d.Start:d.End]...)
			}
		}
	}
	for i := range now.Head {
		if known && was.Head[i] != before.Head[i] && before.Head[i] == now.Head[i] {
			now.Head[i] = was.Head[i]
		}
	}
	env.Readings.Set(readingKey(ctx, u.After), now, readingKept)
}

// checkRead refuses to replace what the caller has not read: a title or icon, or the text of
// a document or of a section of it, that is another than when the caller read it. With
// ExpectedRevision, the caller says what it has read.
func (in updateDocumentIn) checkRead(ctx context.Context, env mcptool.Env, before outline.Document, section prosemirror.Section) error {
	was, known := env.Readings.Get(readingKey(ctx, before))
	if in.ExpectedRevision != 0 || !known {
		return nil
	}
	var differs []string
	now, lines := readingOf(before)
	for i, sent := range []string{in.Title, in.Icon, in.Color} {
		if was.Head[i] != now.Head[i] && sent != "" && sent != now.Head[i] {
			differs = append(differs, "the "+[]string{"title", "icon", "color"}[i]+" is "+output.Quote(output.Excerpt(now.Head[i], 100)))
		}
	}
	sent, _ := readingOf(outline.Document{Text: in.Text})
	if in.Text != "" && !in.Append && !in.Prepend && !slices.Equal(sent.Lines, now.Lines) {
		differs = append(differs, changesSince(was.Lines, now.Lines, lines, section)...)
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
	inside := func(number int) bool {
		return section.Level == 0 || section.FirstLine <= number && number <= section.LastLine
	}
	lines = append([]textLine{{}}, lines...) // with a line before all
	for _, d := range lcs.DiffRunes(was, now) {
		for _, line := range lines[d.ReplStart+1 : d.ReplEnd+1] {
			if inside(line.number) {
				differs = append(differs, fmt.Sprintf("line %d is new, %s", line.number, output.Quote(output.Excerpt(line.text, 80))))
			}
		}
		before := lines[d.ReplStart].number
		if d.ReplStart == d.ReplEnd && inside(before) && (inside(before+1) || was[d.Start]&7 == 0 || int(was[d.Start]&7) > section.Level) {
			differs = append(differs, fmt.Sprintf("%s gone after line %d", output.Count(d.End-d.Start, "line is", "lines are"), before))
		}
	}
	return differs
}
