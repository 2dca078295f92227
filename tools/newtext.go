package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/search"
	"outline-mcp/tools/written"
)

// This file looks at all text that a caller wants to write, before anything is sent.

// maxParts is the maximum number of parts of a text that are named.
const maxParts = 10

// fileLinksMoved is the note on a text that was changed before it was sent.
const fileLinksMoved = "links to files were put into paragraphs of their own, because Outline drops text next to them"

// lineBreaksUnescaped is the note on a text whose line breaks came escaped.
const lineBreaksUnescaped = `\n was written as two characters and converted to line breaks`

// fenceLeftOut is the note on a text that came as one code block.
const fenceLeftOut = "the code fence around the whole text was left out, so that its Markdown is read; to keep it, write a line above it"

// newText returns a text that a caller wants to write as a document in the form in which
// it is sent, and notes on what was changed for that: escaped line breaks become real,
// a code fence around the whole text is left out, forms of other programs become
// Outline's, @[Name] becomes a mention unless stored has it as text, and links to files
// get their own paragraphs. It fails if Outline would drop parts of it. stored is the
// text that it replaces.
func newText(ctx context.Context, env mcptool.Env, text, stored string) (sent string, notes []string, err error) {
	sent, unescaped := written.Unescape(text, stored)
	if unescaped {
		notes = append(notes, lineBreaksUnescaped)
	}
	sent, unfenced := written.Unfence(sent, stored)
	if unfenced {
		notes = append(notes, fenceLeftOut)
	}
	sent, foreign, err := withoutForeign(ctx, env, sent, written.Place{Parse: prosemirror.Parse, Stored: stored + "\n" + prosemirror.Unpadded(stored)})
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
	if err := ctx.Err(); err != nil { // reading a very long text again takes a second
		return "", nil, err
	}
	return sent, append(notes, localNote(env, sent, stored)...), checkDropped(prosemirror.Dropped, sent, stored)
}

// localNote names the files on a computer to which a text links, if there are any.
func localNote(env mcptool.Env, text, stored string) []string {
	names := localFiles(text, stored)
	if names == nil || env.DryRun != nil { // a push replaces them
		return nil
	}
	return []string{"lead nowhere in Outline: " + firstParts(names) + ". Put files there with upload_attachment (insert replace), and link documents by their url"}
}

var localAddress = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:file:|[a-z]:[\\/]|\.{1,2}/|[^:/?#]+(?:/[^:?#]*)?\.(?:avif|csv|docx?|gif|html?|jpe?g|json|md|mp4|pdf|png|pptx?|svg|txt|webp|xlsx?|zip)(?:[?#]|$))`)
})

var fileAddress = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\((file:[^)\s]+)\)`) })

// localFiles returns the addresses of files on a computer to which a text links, apart from
// those that stored, the text that it replaces, has as well.
func localFiles(text, stored string) (names []string) {
	if !strings.Contains(text, "](") && !strings.Contains(text, "]:") {
		return nil
	}
	add := func(address string) {
		if localAddress().MatchString(address) && !strings.Contains(stored, address) && !slices.Contains(names, output.Quote(address)) {
			names = append(names, output.Quote(address))
		}
	}
	var walk func(*prosemirror.Node)
	walk = func(n *prosemirror.Node) {
		add(n.Attrs.String("src"))
		if _, code := n.Mark(prosemirror.Code); n.IsText() && !code {
			for _, m := range fileAddress().FindAllStringSubmatch(n.Text, -1) { // which Outline makes no link
				add(m[1])
			}
		}
		if link, ok := n.Mark(prosemirror.Link); ok {
			add(link.Attrs.String("href"))
		}
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(prosemirror.Parse(text))
	return names
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
	if sent, err = withMentions(ctx, env, sent, prosemirror.ParseComment); err == nil {
		err = checkDropped(prosemirror.DroppedInComment, sent, "")
	}
	return sent, strings.Join(nonEmpty(append(notes, note)...), "; "), err
}

// withoutForeign returns a text in which forms of other programs are Outline's, where it
// has one, and notes on these and on what stays as it is.
func withoutForeign(ctx context.Context, env mcptool.Env, text string, place written.Place) (string, []string, error) {
	looked, parse := 0, place.Parse
	place.Parse = func(text string) *prosemirror.Node {
		if ctx.Err() != nil {
			return &prosemirror.Node{Type: prosemirror.Doc}
		}
		return parse(text)
	}
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
	err = cmp.Or(ctx.Err(), err)
	var made, kept, own []string
	for _, part := range parts {
		if part.Own {
			own = append(own, fmt.Sprintf("line %d, %s as %s", part.Line, output.Quote(output.Excerpt(part.Text, 80)), part.As))
		} else if part.As != "" {
			made = append(made, fmt.Sprintf("line %d, %s as %s", part.Line, part.Name, part.As))
		} else {
			kept = append(kept, fmt.Sprintf("line %d, %s: %s", part.Line, part.Name, output.Quote(output.Excerpt(part.Text, 80))))
			if page := strings.Trim(strings.ToLower(part.Text), "<>"); part.Name == "HTML" && slices.Contains([]string{"body", "div", "h1", "h2", "h3", "html", "li", "ol", "p", "table", "ul"}, page) {
				kept[len(kept)-1] += " (import_document converts HTML)"
			}
		}
	}
	var notes []string
	if made != nil {
		notes = append(notes, "adapted to Outline: "+firstParts(made))
	}
	if kept != nil {
		notes = append(notes, "stored as plain text, because Outline does not read it: "+firstParts(kept))
	}
	if own != nil {
		notes = append(notes, `check how Outline reads this (\ before a sign keeps it as text): `+firstParts(own))
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
	source := line
	if strings.Contains(line, "[") { // a link may be defined below
		source = trimmed
	}
	sections := prosemirror.Sections(source)
	if len(sections) == 0 || sections[0].FirstLine != 1 || !strings.HasPrefix(line, "#") {
		return first, text, false
	}
	if strings.TrimSpace(rest) == "" {
		rest = ""
	}
	return sections[0], strings.TrimLeft(rest, "\n"), true
}

// checkDropped refuses a text if Outline would silently drop parts of it that stored, the
// text that it replaces, does not show as well.
func checkDropped(dropped func(string) []prosemirror.Drop, text, stored string) error {
	drops := dropped(text)
	if len(drops) > 0 && stored != "" {
		shown := dropped(stored)
		drops = slices.DeleteFunc(drops, func(d prosemirror.Drop) bool {
			return slices.ContainsFunc(shown, func(s prosemirror.Drop) bool { return s.Construct == d.Construct && s.Text == d.Text })
		})
	}
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
		return " (only bullets can have checkboxes: write - in place of the numbers)"
	case strings.Contains(construct, "undefined"):
		return " (begin with a word)"
	case strings.Contains(construct, "checkbox"):
		return " (give all items of the list a checkbox at the start or none, or make two lists with a paragraph between them)"
	case strings.Contains(construct, "words behind the language"):
		return " (leave only the language there, and put the words above the code)"
	case strings.Contains(construct, "words behind the +++"):
		return " (put them on the next line, which is what a closed toggle shows)"
	case strings.Contains(construct, "size of a video"):
		return " (write the size of the file in bytes behind its name, as in [name.txt 120](...))"
	case strings.Contains(construct, "beyond the columns"):
		return " (give the header as many cells, and write | in a cell as \\|)"
	}
	return ""
}

// nearestIcons is how many names a failure lists.
const nearestIcons = 6

// iconOf returns the icon that a caller means: an emoji, the shortcode of one, such as
// :rocket:, or a name in Outline's library in any case, with or without signs between its
// words. Names in the library go before shortcodes without colons.
func iconOf(given string) (string, error) {
	named := strings.TrimSpace(given)
	if named == "" || named == "none" || outline.IsUUID(named) || strings.ContainsFunc(named, prosemirror.IsEmoji) {
		return named, nil
	}
	library, emoji, wanted := prosemirror.IconNames(), prosemirror.EmojiByName(), lettersOf(named)
	if slices.Contains(library, named) {
		return named, nil
	}
	if code := strings.Trim(named, ":"); code != named && emoji[strings.ToLower(code)] != "" {
		return emoji[strings.ToLower(code)], nil
	}
	for _, name := range library {
		if lettersOf(name) == wanted {
			return name, nil
		}
	}
	shortcodes := slices.Sorted(maps.Keys(emoji))
	for _, name := range shortcodes {
		if lettersOf(name) == wanted {
			return emoji[name], nil
		}
	}
	all := append(library, entriesOf(shortcodes, func(name string) string { return ":" + name + ":" })...)
	nearest := entriesOf(search.Nearest(all, named, nearestIcons), func(i int) string { return all[i] })
	return "", output.Invalid("nothing was written: icon %s is neither an emoji nor the name of an icon. The nearest are %s",
		output.Quote(output.Excerpt(given, 60)), strings.Join(nearest, ", "))
}

// lettersOf returns the letters and digits of a name in lower case. A plus counts: +1 is no 1.
func lettersOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// maxText is Outline's limit for the body of a document, in UTF-16 code units.
const maxText = 1_536_000

// checkText rejects a body that is too long for Outline, or whose tables are too large,
// before the user is asked for it.
func checkText(text string) error {
	return cmp.Or(checkLength(text), checkMarks(text), outline.CheckTables(prosemirror.TableCells(text)))
}

// maxMarks is how many lines and Markdown marks a text may have: it is parsed several times.
const maxMarks = 100_000

// checkMarks rejects a text that takes too much memory to be adapted.
func checkMarks(text string) error {
	if prosemirror.CountMarks(text) > maxMarks {
		return fmt.Errorf("text must have at most %d lines and Markdown marks; split it into several documents", maxMarks)
	}
	return nil
}

// checkLength rejects a body that is too long for Outline.
func checkLength(text string) error {
	length := len(text)
	if length > maxText { // UTF-8 is never shorter than UTF-16
		length = units(text)
	}
	if length > maxText {
		return fmt.Errorf("text must be at most %d characters long, not %d; split it into several documents", maxText, length)
	}
	return nil
}

// checkTitle rejects a title that is too long for Outline.
func checkTitle(title string) error {
	if n := utf8.RuneCountInString(title); n > 100 {
		return fmt.Errorf("title must be at most 100 characters long, not %d", n)
	}
	return nil
}
