package docedit

import (
	"strings"

	"outline-mcp/outline/prosemirror"
)

// surplus returns where the raw form of a top-level block holds blanks that
// the block does not: Outline writes one before each image and reads it as
// part of the text. Markdown without them means the block as it is.
func (s *Source) surplus(block int) []int {
	n := s.Doc.Content[block]
	if !holdsImage(n) {
		return nil
	}
	at := s.Markdown.Blocks[block].Raw
	raw := s.Markdown.Raw[at.Start:at.End]
	nodes := s.Doc.Content[block : block+1]
	if allAlike(parse(raw), nodes) {
		return nil
	}
	var out []int
	for i := 0; ; {
		next := strings.Index(raw[i:], " ![")
		if next < 0 {
			break
		}
		out = append(out, at.Start+i+next)
		i += next + 1
	}
	if !allAlike(parse(without(s.Markdown.Raw, at, out)), nodes) {
		return nil
	}
	return out
}

func holdsImage(n *prosemirror.Node) bool {
	if n.Type == prosemirror.Image {
		return true
	}
	for _, child := range n.Content {
		if holdsImage(child) {
			return true
		}
	}
	return false
}

// without is a part of a text without some of its bytes.
func without(text string, part prosemirror.Range, drop []int) string {
	var out strings.Builder
	at := part.Start
	for _, i := range drop {
		if i >= at && i < part.End {
			out.WriteString(text[at:i])
			at = i + 1
		}
	}
	out.WriteString(text[at:max(at, part.End)])
	return out.String()
}

// surplusOf is the surplus of several blocks, and that part of it before images
// that an edit leaves alone. Where the image goes or changes, the blank is text.
func (s *Source) surplusOf(first, last int, e edit) (all, kept []int) {
	for i := first; i <= last; i++ {
		for _, at := range s.surplus(i) {
			all = append(all, at)
			if start, end := at+1, imageEnd(s.Markdown.Raw, at+1); end <= e.start || start >= e.end && end > e.end {
				kept = append(kept, at)
			}
		}
	}
	return all, kept
}

// imageEnd is where the image that begins at start ends.
func imageEnd(raw string, start int) int {
	for _, sign := range []string{"](", ")"} {
		n := strings.Index(raw[start:], sign)
		if n < 0 {
			return start + 1
		}
		start += n + len(sign)
	}
	return start
}

// cleaned returns a form of an edit with text without surplus blanks, for when
// Outline parses the blocks anew. Ok is false if there are none.
func (s *Source) cleaned(e, form edit) (clean edit, ok bool) {
	first, last := form.blocks(s.Markdown.Blocks)
	_, drop := s.surplusOf(first, last, e)
	if len(drop) == 0 {
		return form, false
	}
	start, end := min(form.start, drop[0]), max(form.end, drop[len(drop)-1]+1)
	return edit{start, end, s.cleanText(e, start, end, drop)}, true
}

// cleanText is raw[start:end] after the edit, without the given blanks.
func (s *Source) cleanText(e edit, start, end int, drop []int) string {
	return without(s.Markdown.Raw, prosemirror.Range{Start: start, End: e.start}, drop) + e.text +
		without(s.Markdown.Raw, prosemirror.Range{Start: e.end, End: end}, drop)
}
