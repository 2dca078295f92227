package tools

import (
	"fmt"
	"strings"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// maxDrops is the maximum number of dropped parts of a text that are named.
const maxDrops = 5

// fileLinksMoved is the note on a text that was changed before it was sent.
const fileLinksMoved = "links to files were put into paragraphs of their own, because Outline drops text next to them"

// storable returns a text in a form that Outline stores without dropping anything,
// and a note on what was changed for that, or "". It fails if there is no such
// form.
func storable(text string) (sent, note string, err error) {
	if sent = prosemirror.IsolateFileLinks(text); sent != text {
		note = fileLinksMoved
	}
	return sent, note, checkDropped(sent)
}

// withoutTitle returns a text without a first line that repeats the title as a
// heading: Outline shows the title above the text. The note says so; it is "" if
// nothing was left out.
func withoutTitle(text, title string) (rest, note string) {
	sections := prosemirror.Sections(text)
	trimmed := strings.TrimLeft(text, "\n")
	line, rest, _ := strings.Cut(trimmed, "\n")
	first := len(text) - len(trimmed) + 1
	if len(sections) == 0 || sections[0].FirstLine != first || sections[0].Level != 1 || !strings.HasPrefix(line, "#") ||
		!strings.EqualFold(sections[0].Heading, output.OneLine(title)) || strings.TrimSpace(rest) == "" {
		return text, ""
	}
	return strings.TrimLeft(rest, "\n"), "the first line, which repeats the title, was left out"
}

// checkDropped refuses a text if Outline would silently drop parts of it.
func checkDropped(text string) error {
	drops := prosemirror.Dropped(text)
	if len(drops) == 0 {
		return nil
	}
	var list []string
	for _, d := range drops[:min(len(drops), maxDrops)] {
		list = append(list, fmt.Sprintf("line %d, %s: %s", d.Line, d.Construct, output.Quote(output.Excerpt(d.Text, 80))))
	}
	if more := len(drops) - maxDrops; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return output.Invalid("nothing was written: Outline would silently drop parts of the text: %s. Leave them out, or put them somewhere else.", strings.Join(list, "; "))
}
