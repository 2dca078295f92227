package tools

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/outline/docedit"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
)

// maxDrops is how many parts of a text that Outline would drop are named.
const maxDrops = 5

// fileLinksMoved is said of a text that was changed before it was sent.
const fileLinksMoved = "links to files were put into paragraphs of their own, as Outline drops the words beside them"

// storable returns a text as Outline stores it without dropping anything, and what
// was changed to that end, or "". It refuses a text that cannot be stored so.
func storable(text string) (sent, note string, err error) {
	if sent = prosemirror.IsolateFileLinks(text); sent != text {
		note = fileLinksMoved
	}
	return sent, note, checkDropped(sent)
}

// checkDropped refuses a text of which Outline would drop parts without a word.
func checkDropped(text string) error {
	return dropping(prosemirror.Dropped(text), func(d prosemirror.Drop) string { return fmt.Sprintf("line %d, %s", d.Line, d.Construct) })
}

// checkDroppedChanges refuses changes to a document for the same reason. What
// Outline would drop of the blocks as they are does not count.
func checkDroppedChanges(source *docedit.Source, list []docedit.Change) error {
	text, blocks := source.Markdown.Text, source.Markdown.Blocks
	var drops []prosemirror.Drop
	for len(list) > 0 {
		// A change concerns the blocks it touches, with the other changes of those.
		first := max(0, blockAt(blocks, list[0].Start))
		n, end := 0, 0
		for n < len(list) && (n == 0 || list[n].Start <= end) {
			if last := blockAt(blocks, list[n].End); last >= 0 {
				end = blocks[last].Text.End
			} else {
				end = len(text)
			}
			n++
		}
		start := 0
		if len(blocks) > 0 {
			start = blocks[first].Text.Start
		}
		var changed strings.Builder
		at := start
		for _, c := range list[:n] {
			changed.WriteString(text[at:c.Start] + c.New)
			at = c.End
		}
		changed.WriteString(text[at:end])
		known := prosemirror.Dropped(text[start:end])
		drops = append(drops, slices.DeleteFunc(prosemirror.Dropped(changed.String()), func(d prosemirror.Drop) bool {
			return slices.ContainsFunc(known, func(k prosemirror.Drop) bool { return k.Construct == d.Construct && k.Text == d.Text })
		})...)
		list = list[n:]
	}
	return dropping(drops, func(d prosemirror.Drop) string { return d.Construct })
}

// blockAt returns the first block that ends at an offset of the text or behind it,
// or a negative number.
func blockAt(blocks []prosemirror.Block, offset int) int {
	i, _ := slices.BinarySearchFunc(blocks, offset, func(b prosemirror.Block, offset int) int { return b.Text.End - offset })
	return min(i, len(blocks)-1)
}

// dropping returns the failure that names what Outline would drop, or nil if that is
// nothing.
func dropping(drops []prosemirror.Drop, name func(prosemirror.Drop) string) error {
	if len(drops) == 0 {
		return nil
	}
	var list []string
	for _, d := range drops[:min(len(drops), maxDrops)] {
		list = append(list, name(d)+": "+output.Quote(output.Excerpt(d.Text, 80)))
	}
	if more := len(drops) - maxDrops; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return output.Invalid("nothing was written: Outline would drop parts of the text without a word. Write them in another way:\n%s", strings.Join(list, "\n"))
}
