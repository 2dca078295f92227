package tools

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/written"
)

// This file looks at all text that a caller wants to write, before anything is sent.

// maxParts is the maximum number of parts of a text that are named.
const maxParts = 10

// fileLinksMoved is the note on a text that was changed before it was sent.
const fileLinksMoved = "links to files were put into paragraphs of their own, because Outline drops text next to them"

// lineBreaksUnescaped is the note on a text whose line breaks came escaped.
const lineBreaksUnescaped = `\n was written as two characters and converted to line breaks`

// newText returns a text that a caller wants to write as a document in the form in which
// it is sent, and notes on what was changed for that: escaped line breaks become real,
// forms of other programs become Outline's, @[Name] becomes a mention unless stored has it
// as text, and links to files get paragraphs of their own. It fails if Outline would drop
// parts of it. stored is the text that it replaces.
func newText(ctx context.Context, env mcptool.Env, text, stored string) (sent string, notes []string, err error) {
	sent, unescaped := written.Unescape(text, stored)
	if unescaped {
		notes = append(notes, lineBreaksUnescaped)
	}
	sent, foreign, err := withoutForeign(ctx, env, sent, written.Place{Parse: prosemirror.Parse, Stored: stored})
	if err != nil {
		return "", nil, err
	}
	notes = append(notes, foreign...)
	if sent, err = withMentions(ctx, env, sent, prosemirror.Parse, signsIn(stored)...); err != nil {
		return "", nil, err
	}
	if isolated := prosemirror.IsolateFileLinks(sent); isolated != sent {
		sent, notes = isolated, append(notes, fileLinksMoved)
	}
	return sent, notes, checkDropped(sent)
}

// newComment is newText for the text of a comment.
func newComment(ctx context.Context, env mcptool.Env, text string) (sent, note string, err error) {
	sent, unescaped := written.Unescape(text, "")
	if unescaped {
		note = lineBreaksUnescaped
	}
	sent, notes, err := withoutForeign(ctx, env, sent, written.Place{Parse: prosemirror.ParseComment, Comment: true})
	if err != nil {
		return "", "", err
	}
	sent, err = withMentions(ctx, env, sent, prosemirror.ParseComment)
	return sent, strings.Join(nonEmpty(append(notes, note)...), "; "), err
}

// withoutForeign returns a text in which forms of other programs are Outline's, where it
// has one, and notes on these and on what stays as it is.
func withoutForeign(ctx context.Context, env mcptool.Env, text string, place written.Place) (string, []string, error) {
	looked := 0
	place.Page = func(title, label string) (string, error) {
		if looked++; looked > mostMentions {
			return "", nil
		}
		pages, err := pagesCalled(ctx, env, title)
		pages = slices.DeleteFunc(pages, func(m mention) bool { return m.kind != "document" })
		switch {
		case err != nil || len(pages) != 1:
			return "", err
		case label != "":
			return "[" + label + "](" + pages[0].url + ")", nil
		}
		return pages[0].markdown(env), nil
	}
	text, parts, err := written.Adapt(text, place)
	var made, kept []string
	for _, part := range parts {
		if part.As != "" {
			made = append(made, fmt.Sprintf("line %d, %s as %s", part.Line, part.Name, part.As))
		} else {
			kept = append(kept, fmt.Sprintf("line %d, %s: %s", part.Line, part.Name, output.Quote(output.Excerpt(part.Text, 80))))
		}
	}
	var notes []string
	if made != nil {
		notes = append(notes, "adapted to Outline: "+firstParts(made))
	}
	if kept != nil {
		notes = append(notes, "stored as plain text, because Outline does not read it: "+firstParts(kept))
	}
	return text, notes, err
}

// firstParts lists the first parts of a text.
func firstParts(parts []string) string {
	return firstOf(parts, maxParts, "; ", "and ", func(part string) string { return part })
}

// asRead returns a document in the form in which it has an old text: as it is stored, or
// else as callers read it.
func asRead(document, old string) string {
	if !strings.Contains(document, old) {
		if read := prosemirror.Unpadded(document); strings.Contains(read, old) {
			return read
		}
	}
	return document
}

// withoutForeignIn is withoutForeign for the new text of an edit, which becomes what it is
// where it stands in the document.
func withoutForeignIn(ctx context.Context, env mcptool.Env, document string, edit textEdit) (string, []string, error) {
	document = asRead(document, edit.OldText)
	before, after, found := strings.Cut(document, edit.OldText)
	if edit.OldText == "" || !found {
		return edit.NewText, nil, nil
	}
	return withoutForeign(ctx, env, edit.NewText, written.Place{
		Parse:  func(text string) *prosemirror.Node { return prosemirror.Parse(before + text + after) },
		Inline: before != "" && !strings.HasSuffix(before, "\n") || after != "" && !strings.HasPrefix(after, "\n") && !strings.HasSuffix(edit.OldText, "\n"),
		Stored: document,
		Old:    edit.OldText,
	})
}

// unescaped returns an edit with real line breaks if those of its texts are written as two
// characters. What the document holds in that form, as in code, is meant so.
func unescaped(document string, e textEdit) (textEdit, bool) {
	was := e
	document = asRead(document, e.OldText)
	if !strings.Contains(document, e.OldText) {
		e.OldText, _ = written.Unescape(e.OldText, document)
		document = asRead(document, e.OldText)
	}
	if strings.Contains(e.OldText, `\n`) || inCode(document, e.OldText) {
		return e, e != was
	}
	if e.OldText != was.OldText && !strings.ContainsAny(e.NewText, "\r\n") {
		e.NewText = written.LineBreaks(e.NewText)
	} else {
		e.NewText, _ = written.Unescape(e.NewText, document)
	}
	return e, e != was
}

// inCode reports whether a passage of a document begins in a code block.
func inCode(document, passage string) bool {
	at := strings.Index(document, passage)
	return at >= 0 && passage != "" && strings.Count("\n"+document[:at], "\n```")%2 == 1
}

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

// withoutTitle returns a text without a first line that repeats the title as a
// heading: Outline shows the title above the text. The note says so; it is "" if
// nothing was left out.
func withoutTitle(text, title string) (rest, note string) {
	first, rest, found := firstHeading(text)
	if !found || first.Level != 1 || !strings.EqualFold(first.Heading, output.OneLine(title)) || rest == "" {
		return text, ""
	}
	return rest, "the first line, which repeats the title, was left out"
}

// firstHeading returns the heading that a text begins with, and what follows its line.
func firstHeading(text string) (first prosemirror.Section, rest string, found bool) {
	trimmed := strings.TrimLeft(text, "\n")
	line, rest, _ := strings.Cut(trimmed, "\n")
	sections := prosemirror.Sections(text)
	if len(sections) == 0 || sections[0].FirstLine != len(text)-len(trimmed)+1 || !strings.HasPrefix(line, "#") {
		return first, text, false
	}
	if strings.TrimSpace(rest) == "" {
		rest = ""
	}
	return sections[0], strings.TrimLeft(rest, "\n"), true
}

// checkDropped refuses a text if Outline would silently drop parts of it.
func checkDropped(text string) error {
	drops := prosemirror.Dropped(text)
	if len(drops) == 0 {
		return nil
	}
	list := entriesOf(drops, func(d prosemirror.Drop) string {
		return fmt.Sprintf("line %d, %s: %s%s", d.Line, d.Construct, output.Quote(output.Excerpt(d.Text, 80)), remedyOf(d.Construct))
	})
	return output.Invalid("nothing was written: Outline would silently drop parts of the text: %s. Leave them out, or put them somewhere else.", firstParts(list))
}

// remedyOf says how a text that Outline would drop can be written, in parentheses.
func remedyOf(construct string) string {
	switch {
	case strings.Contains(construct, "numbered list"):
		return " (only bullets can have checkboxes: write - in place of the numbers; if these items have none, give one to the last item of the task list above, which Outline otherwise does not see end)"
	case strings.Contains(construct, "checkbox"):
		return " (give all items of the list a checkbox at the start or none, or make two lists with a paragraph between them)"
	case strings.Contains(construct, "words behind the language"):
		return " (leave only the language there, and put the words above the code)"
	case strings.Contains(construct, "words behind the +++"):
		return " (put them on the next line, which is what a closed toggle shows)"
	case strings.Contains(construct, "beyond the columns"):
		return " (give the header as many cells, and write | in a cell as \\|)"
	}
	return ""
}

// A sharedText is the text of one of several documents that share an answer. Positions
// in it are numbers of code points from 0. All texts of an answer are cut at the same
// position, as near as each can be: short ones are whole, and one number tells where
// all go on.
type sharedText struct {
	text   string
	lines  []linePlace // where each line begins
	length int         // of what is to be shown
	all    int         // of the text
}

type linePlace struct{ char, byte int }

// newSharedText returns a text of which at most most code points are shown; 0 is all.
func newSharedText(text string, most int) sharedText {
	s := sharedText{text: text, lines: []linePlace{{}}}
	for i, r := range text {
		s.all++
		if r == '\n' {
			s.lines = append(s.lines, linePlace{s.all, i + 1})
		}
	}
	if s.length = s.all; most > 0 {
		s.length = s.end(most)
	}
	return s
}

// maxGivenUp is how many code points of its share a text gives up to end with a line.
const maxGivenUp = 250

// end returns the position at which the text is cut if limit code points of it may be
// shown: at the end of a line unless that gives up too much. It never decreases with
// the limit.
func (s sharedText) end(limit int) int {
	if limit >= s.length {
		return s.length
	}
	if begins := s.lines[s.lineAt(limit)].char; begins > 0 && limit-begins <= maxGivenUp {
		return begins
	}
	return limit
}

// lineAt returns the index of the line that holds a position.
func (s sharedText) lineAt(position int) int {
	i, found := slices.BinarySearchFunc(s.lines, position, func(l linePlace, position int) int { return l.char - position })
	if !found {
		i--
	}
	return i
}

// slice returns the text between two positions.
func (s sharedText) slice(from, to int) string { return s.text[s.offset(from):s.offset(to)] }

func (s sharedText) offset(position int) int {
	line := s.lines[s.lineAt(position)]
	offset := line.byte
	for range position - line.char {
		_, size := utf8.DecodeRuneInString(s.text[offset:])
		offset += size
	}
	return offset
}

// fairLimit returns the highest position, from from on, at which texts can be cut so
// that they show at most n code points together from from on.
func fairLimit(texts []sharedText, from, n int) int {
	return from + sort.Search(max(0, longestOf(texts)-from), func(i int) bool { return shownBetween(texts, from, from+i+1) > n })
}

// shownBetween returns how many code points the texts show together between two
// positions.
func shownBetween(texts []sharedText, from, to int) (n int) {
	for _, text := range texts {
		n += text.end(to) - text.end(from)
	}
	return n
}

var marks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\n\v\f\r\x{85}\x{2028}\x{2029}])===(\d{0,9}) `)
})

// Mark returns a mark for lines of this server's own around foreign texts: no line of
// the texts begins with it and a space.
func Mark(texts iter.Seq[string]) string {
	taken := map[string]bool{}
	for text := range texts {
		for _, mark := range marks().FindAllStringSubmatch(text, -1) {
			taken[mark[1]] = true
		}
	}
	number := ""
	for n := 2; taken[number]; n++ {
		number = strconv.Itoa(n)
	}
	return "===" + number
}
