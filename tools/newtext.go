package tools

import (
	"context"
	"fmt"
	"strings"

	"outline-mcp/internal/app/mcptool"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/written"
)

// This file looks at all text that a caller wants to write, before anything is sent.

// maxDrops is the maximum number of dropped parts of a text that are named.
const maxDrops = 5

// fileLinksMoved is the note on a text that was changed before it was sent.
const fileLinksMoved = "links to files were put into paragraphs of their own, because Outline drops text next to them"

// blocksAdapted is the note on a text with blocks of other programs.
const blocksAdapted = "alerts (> [!NOTE]) and <details> were written as Outline's callouts and toggles"

// lineBreaksUnescaped is the note on a text whose line breaks came escaped.
const lineBreaksUnescaped = `\n was written as two characters and converted to line breaks`

// newText returns a text that a caller wants to write as a document in the form in which
// it is sent, and notes on what was changed for that: escaped line breaks become real,
// alerts and details of other programs become callouts and toggles, @[Name] becomes a
// mention unless stored has it as text, and links to files get paragraphs of their own. It fails if
// Outline would drop parts of it. stored is the text that it replaces.
func newText(ctx context.Context, env mcptool.Env, text, stored string) (sent string, notes []string, err error) {
	sent, unescaped := written.Unescape(text, stored)
	if unescaped {
		notes = append(notes, lineBreaksUnescaped)
	}
	if adapted, changed := written.Adapt(sent); changed {
		sent, notes = adapted, append(notes, blocksAdapted)
	}
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
	sent, err = withMentions(ctx, env, sent, prosemirror.ParseComment)
	return sent, note, err
}

// unescaped returns an edit with real line breaks if those of its texts are written as two
// characters. What the document holds in that form, as in code, is meant so.
func unescaped(document string, e textEdit) (textEdit, bool) {
	was := e
	if !strings.Contains(document, e.OldText) {
		e.OldText, _ = written.Unescape(e.OldText, document)
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
	var list []string
	for _, d := range drops[:min(len(drops), maxDrops)] {
		list = append(list, fmt.Sprintf("line %d, %s: %s%s", d.Line, d.Construct, output.Quote(output.Excerpt(d.Text, 80)), remedyOf(d.Construct)))
	}
	if more := len(drops) - maxDrops; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return output.Invalid("nothing was written: Outline would silently drop parts of the text: %s. Leave them out, or put them somewhere else.", strings.Join(list, "; "))
}

// remedyOf says how a text that Outline would drop can be written, in parentheses.
func remedyOf(construct string) string {
	switch {
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
