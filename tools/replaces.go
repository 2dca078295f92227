package tools

import (
	"context"
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/written"
)

// This file refuses whole texts that leave out what they are to replace.

// checkElision refuses a text with a line that stands for lines of the text that it
// replaces, which would be lost. stored is the whole document, and advice completes the
// failure.
func checkElision(old, text, stored, argument, advice string) error {
	e, found := written.FindElision(old, text, stored)
	if !found {
		return nil
	}
	return output.Failure{Code: output.InvalidArguments,
		Sentence: fmt.Sprintf("nothing was written: line %d of %s, %s, stands for text that is not repeated, and %s of the document would be lost.",
			e.Line, argument, output.Quote(output.Excerpt(e.Text, 80)), output.Count(e.Lost, "line", "lines")),
		Next: advice}
}

// checkReplaces refuses a text that leaves out parts of the one it replaces, ends where a
// reading of that may have ended, or is much shorter: more often than not it is a part that
// was taken for the whole. what names the old text.
func (in updateDocumentIn) checkReplaces(ctx context.Context, env mcptool.Env, before outline.Document, old, what string) error {
	if in.AllowShrink {
		return nil
	}
	if err := checkElision(old, in.Text, before.Text, "text",
		"[To change a part of the document, use edit_document. ]Otherwise give the whole text. If the line is meant to be in the document, set allow_shrink to true."); err != nil {
		return err
	}
	if hidden := hiddenSecret().FindString(in.Text); hidden != "" && !hiddenSecret().MatchString(old) && strings.Contains(strings.ToLower(old), "bearer ") {
		return output.Failure{Code: output.InvalidArguments,
			Sentence: fmt.Sprintf("nothing was written: text has %s where the document has a token, which your client hides.", output.Quote(hidden)),
			Next:     "[Change other passages with edit_document. ]If the token should go, set allow_shrink to true."}
	}
	had, gets := newLines(old), newLines(in.Text)
	known, _ := env.Readings.Get(readingKey(ctx, before))
	if at, found := had.endOf(gets, env.MaxBytes, known.Ends); found {
		end := had.lines[at]
		line := end.number + strings.Count(before.Text[:max(0, strings.Index(before.Text, old))], "\n")
		return output.Failure{Code: output.InvalidArguments,
			Sentence: fmt.Sprintf("nothing was written: text ends with line %d of the document, %s, and leaves out the %s after it, as a reading that was cut does.",
				line, output.Quote(output.Excerpt(end.text, 80)), output.Count(len(had.lines)-at-1, "line", "lines")),
			Next: fmt.Sprintf("[Read on with read_document and start_line %d, and send all of it. ][To change a part of it, use edit_document. ]To add to it, set append to true. If the rest should go, set allow_shrink to true.", line+1)}
	}
	if lost := len(had.text) - len(gets.text); 5*len(gets.text) >= len(had.text) || lost < manyBytes/3 && len(had.lines)-len(gets.lines) < manyLines {
		return nil
	}
	return output.Failure{Code: output.InvalidArguments,
		Sentence: fmt.Sprintf("nothing was written: text would replace %s (%d characters) with %d characters.", what, utf8.RuneCountInString(had.text), utf8.RuneCountInString(gets.text)),
		Next:     "[To change a part of it, use edit_document. ]To add to it, set append to true. If most of it should go, set allow_shrink to true."}
}

// hiddenSecret matches what Copilot CLI 1.0.102 shows in place of a token after Bearer.
var hiddenSecret = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bbearer \*{6}`) })

// Fewer lines and bytes than these are a list's last items, or a short section.
const (
	manyLines = 10
	manyBytes = 1500
)

// A linedText is a text in the form in which callers read it, with its lines that are not
// blank.
type linedText struct {
	text  string
	lines []textLine
}

type textLine struct {
	text        string
	number, end int // from 1, and the offset behind it
}

// words returns the line without the signs of lists.
func (l textLine) words() string { return strings.TrimLeft(l.text, " \t*-+") }

func newLines(text string) linedText {
	l := linedText{text: prosemirror.Unpadded(text)}
	l.lines = make([]textLine, 0, strings.Count(l.text, "\n")+1)
	at, number := 0, 0
	for line := range strings.Lines(l.text) {
		number++
		at += len(line)
		if line = strings.TrimRight(line, " \t\n"); line != "" {
			l.lines = append(l.lines, textLine{line, number, at})
		}
	}
	return l
}

var lineSeed = maphash.MakeSeed()

// hash returns a hash of the line whose lowest three bits are the level of a heading.
func (l textLine) hash() rune {
	level := len(l.text) - len(strings.TrimLeft(l.text, "#"))
	return rune(maphash.String(lineSeed, l.text)>>34)&^7 | rune(min(level, 7))
}

// endOf returns the index of the line of l with which another text ends, apart from lines
// that it adds, if that leaves out what follows: if answers of limit bytes may end
// with this line, if one of the ends of answers is there, or if much more follows than is
// added.
func (l linedText) endOf(other linedText, limit int, ends [][2]rune) (at int, found bool) {
	const mostAdded = 60
	for added := range min(mostAdded, len(other.lines)) {
		kept := other.lines[:len(other.lines)-added]
		var same int
		if at, same = lastOf(l.lines, kept); same == 0 || same == 1 && added > 0 {
			continue
		}
		end, rest := l.lines[at], l.lines[at+1:]
		there, elsewhere := map[string]int{}, 0
		for _, line := range other.lines {
			there[line.words()]++
		}
		for _, line := range rest {
			if there[line.words()]--; there[line.words()] >= 0 {
				elsewhere++
			}
		}
		lost := len(strings.TrimSpace(l.text[end.end:])) - len(other.text[kept[len(kept)-1].end:])
		if 2*elsewhere > len(rest) || lost <= 0 {
			return at, false
		}
		long := 4*lost >= len(l.text) && (len(rest)-added >= manyLines || lost >= manyBytes) || lost >= 5*manyBytes
		return at, long || output.MayEndAt(l.text, end.end, limit) || at > 0 && slices.Contains(ends, [2]rune{l.lines[at-1].hash(), end.hash()})
	}
	return at, false
}

// lastOf returns the index of the line with which other lines end, and how many lines up to
// it are the same; 0 if that is not clear. Of several, it is the last one of those before
// which most is the same.
func lastOf(lines, other []textLine) (at, same int) {
	const most = 100
	count, n := 0, len(other)
	for i := range lines {
		k := 0
		for k < min(i+1, n, most) && lines[i-k].words() == other[n-1-k].words() {
			k++
		}
		if k > 0 {
			count++
		}
		if k > 0 && k >= same {
			at, same = i, k
		}
	}
	if count > 1 && same == 1 {
		return 0, 0
	}
	return at, same
}
