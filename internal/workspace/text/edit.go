// Package text does with text what Outline's editor and API do: it brings
// Markdown into Outline's form, edits a stored text, extracts what search and
// links need, and reads and checks comments.
//
// A document's text is stored in Outline's form of Markdown. [Normalize]
// returns the text that a new document stores, and an [Edit] turns one stored
// text into the next. Nothing outside this package depends on how an edit is
// carried out.
package text

import (
	"errors"
	"strings"
)

// ErrNoMatch is the error of a patch whose passage is not in the document.
var ErrNoMatch = errors.New("the text to replace is not in the document")

// A Mode is what an edit does with its text.
type Mode string

// The modes, by the names that the API has for them.
const (
	Replace Mode = "replace" // replaces the whole document; the zero Mode too
	Append  Mode = "append"  // adds to the end
	Prepend Mode = "prepend" // adds to the beginning
	Patch   Mode = "patch"   // replaces the first occurrence of a passage
)

// An Edit is a change of a document's text.
type Edit struct {
	Mode Mode
	Text string // Markdown, which need not be normalized
	Find string // the passage that Patch replaces
}

// Apply returns the text of a document whose stored text it is given, after the
// edit. It returns [ErrNoMatch] if the passage to patch is not in the stored
// text.
func (e Edit) Apply(stored string) (string, error) {
	switch e.Mode {
	case Append:
		return appendText(stored, e.Text), nil
	case Prepend:
		return prependText(e.Text, stored), nil
	case Patch:
		if !strings.Contains(stored, e.Find) {
			return "", ErrNoMatch
		}
		return patchText(stored, e.Find, e.Text), nil
	}
	return Normalize(e.Text), nil
}

// An edit leaves the blocks that it does not touch unchanged, because Outline
// edits the document tree of its editor, not the Markdown.

// appendText adds a text to the end of another one. It continues the last
// paragraph unless it starts with a line break.
func appendText(old, add string) string {
	if strings.TrimSpace(old) == "" {
		return Normalize(add)
	}
	list := splitBlocks(old)
	last := list[len(list)-1]
	if !strings.HasPrefix(add, "\n") && last.last == paragraphBlock && startsParagraph(add) {
		return replaceBlocks(old, last.start, last.end, old[last.start:last.end]+add)
	}
	return joinBlocks(old[:last.end], Normalize(add))
}

// prependText adds a text to the beginning of another one. It runs into the
// first paragraph unless it ends with a line break.
func prependText(add, old string) string {
	if strings.TrimSpace(old) == "" {
		return Normalize(add)
	}
	added := splitBlocks(add)
	if strings.HasSuffix(add, "\n") || len(added) == 0 {
		return joinBlocks(Normalize(add), old)
	}
	first := splitBlocks(old)[0]
	if first.first == paragraphBlock && added[len(added)-1].last == paragraphBlock {
		return replaceBlocks(old, first.start, first.end, add+old[first.start:first.end])
	}
	return joinBlocks(Normalize(add), old)
}

func startsParagraph(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line) != "" && kindOfLine(line) == paragraphBlock
}

// patchText replaces the first occurrence of find, which must be in the text.
// If nothing remains of a block, it leaves an empty paragraph.
func patchText(old, find, with string) string {
	from := strings.Index(old, find)
	to := from + len(find)
	start, end := from, to
	for _, c := range splitBlocks(old) {
		if c.start <= to && c.end >= from {
			start, end = min(start, c.start), max(end, c.end)
		}
	}
	return replaceBlocks(old, start, end, old[start:from]+with+old[to:end])
}

// replaceBlocks replaces the blocks between two offsets by a text.
func replaceBlocks(old string, start, end int, text string) string {
	before := strings.TrimRight(old[:start], "\n")
	text = Normalize(text)
	rest := strings.TrimLeft(old[end:], "\n")
	switch {
	case text == "" && before != "" && rest != "":
		return before + "\n\n\n" + rest
	case text == "":
		return before + rest
	}
	// Keep the space that was there unless the kinds of blocks have changed.
	joined := text
	if before != "" {
		joined = joinBlocks(before, text)
		if gap := old[len(before):start]; sameKind(old[start:], text) {
			joined = before + gap + text
		}
	}
	if rest == "" {
		return joined
	}
	return joinBlocksWithGap(joined, rest, old[end:len(old)-len(rest)])
}

func sameKind(a, b string) bool {
	a, _, _ = strings.Cut(a, "\n")
	b, _, _ = strings.Cut(b, "\n")
	return kindOfLine(a) == kindOfLine(b)
}

// joinBlocks puts one text below another.
func joinBlocks(above, below string) string { return joinBlocksWithGap(above, below, "") }

// joinBlocksWithGap is joinBlocks with at least the given space between the
// two.
func joinBlocksWithGap(above, below, gap string) string {
	above, below = strings.TrimRight(above, "\n"), strings.TrimLeft(below, "\n")
	if above == "" || below == "" {
		return above + below
	}
	list := splitBlocks(above)
	last := list[len(list)-1].last
	line, _, _ := strings.Cut(below, "\n")
	first := kindOfLine(line)
	space := "\n\n"
	if first.needsExtraLine() || first.isList() && first == last {
		space = "\n\n\n"
	}
	if len(gap) > len(space) {
		space = gap
	}
	return above + space + below
}
