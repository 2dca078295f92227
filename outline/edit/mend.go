package edit

import (
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// A mend is a place where the raw form of a document does not mean the
// document, and what to write there instead. Outline writes a blank before each
// image, which it reads as text, and no empty line after an empty paragraph,
// which it then reads as a line break of the next one.
type mend struct {
	at  int  // offset in raw
	end bool // an empty line is missing at the end of an empty paragraph; otherwise a blank is too much
}

// mends returns the places in some blocks, and those of them that an edit
// leaves alone. If the edit may change the image or the empty paragraph, what
// is written is taken literally.
func (s *Source) mends(first, last int, e rawEdit) (all, kept []mend) {
	raw := s.Markdown.Raw
	for i := first; i <= last; i++ {
		at := s.Markdown.Blocks[i].Raw
		if isEmpty(s.Doc.Content[i]) {
			m := mend{at.End, true}
			all = append(all, m)
			if backslash := at.End - 2; at.End <= e.start || backslash >= e.end {
				kept = append(kept, m)
			}
			continue
		}
		for _, blank := range s.blanks(i) {
			m := mend{at: blank}
			all = append(all, m)
			end := imageEnd(raw, blank+1)
			if blank >= e.end || end <= e.start || blank < e.start && staysImage(raw[blank+1:e.start]+e.text+raw[e.end:max(e.end, end)]) {
				kept = append(kept, m)
			}
		}
	}
	return all, kept
}

// mendsWithin returns the places in part of the raw form whose image or empty
// paragraph is completely in that part.
func (s *Source) mendsWithin(start, end int) []mend {
	if start >= end || len(s.Markdown.Blocks) == 0 {
		return nil
	}
	first, last := rawEdit{start, end, ""}.blocks(s.Markdown.Blocks)
	all, _ := s.mends(first, last, rawEdit{})
	return slices.DeleteFunc(all, func(m mend) bool {
		if m.end {
			return m.at-len("\\\n") < start || m.at > end
		}
		return m.at < start || imageEnd(s.Markdown.Raw, m.at+1) > end
	})
}

func isEmpty(n *prosemirror.Node) bool {
	return n.Type == prosemirror.Paragraph && len(n.Content) == 0
}

// blanks returns where a block contains blanks before images that are not
// intended.
func (s *Source) blanks(block int) []int {
	if !holdsImage(s.Doc.Content[block]) {
		return nil
	}
	blanks, known := s.blankAt[block]
	if !known {
		blanks = s.findBlanks(block)
		if s.blankAt == nil {
			s.blankAt = map[int][]int{}
		}
		s.blankAt[block] = blanks
	}
	return blanks
}

func (s *Source) findBlanks(block int) []int {
	at := s.Markdown.Blocks[block].Raw
	raw := s.Markdown.Raw[at.Start:at.End]
	nodes := s.Doc.Content[block : block+1]
	if allAlike(parse(raw), nodes) {
		return nil
	}
	out := images(raw)
	mends := make([]mend, len(out))
	for i := range out {
		out[i] += at.Start
		mends[i].at = out[i]
	}
	if !allAlike(parse(s.mended(at.Start, at.End, mends)), nodes) {
		return nil
	}
	return out
}

// images returns where blanks precede what is written as an image.
func images(markdown string) []int {
	var out []int
	for at := strings.Index(markdown, " !["); at >= 0; {
		end, next := len(markdown), strings.Index(markdown[at+1:], " ![")
		if next >= 0 {
			next += at + 1
			end = next
		}
		if _, target, ok := strings.Cut(markdown[at:end], "]("); ok && strings.Contains(target, ")") {
			out = append(out, at)
		}
		at = next
	}
	return out
}

func holdsImage(n *prosemirror.Node) bool {
	return n.Type == prosemirror.Image || slices.ContainsFunc(n.Content, holdsImage)
}

// staysImage reports whether edited Markdown still begins with an image.
func staysImage(markdown string) bool {
	blocks := parse(markdown[:imageEnd(markdown, 0)])
	return len(blocks) == 1 && len(blocks[0].Content) == 1 && blocks[0].Content[0].Type == prosemirror.Image
}

// imageEnd returns the end of the image that begins at start.
func imageEnd(raw string, start int) int {
	for _, sign := range []string{"](", ")"} {
		n := strings.Index(raw[start:], sign)
		if n < 0 {
			return min(start+1, len(raw))
		}
		start += n + len(sign)
	}
	return start
}

// mended returns raw[start:end] with what is intended at the given places.
func (s *Source) mended(start, end int, mends []mend) string {
	raw := s.Markdown.Raw
	if len(mends) == 0 {
		return raw[start:max(start, end)]
	}
	var out strings.Builder
	for _, m := range mends {
		switch {
		case m.at < start || m.at > end || m.at == end && !m.end:
			continue
		case m.end:
			out.WriteString(raw[start:m.at] + "\n")
			start = m.at
		default:
			out.WriteString(raw[start:m.at])
			start = m.at + 1
		}
	}
	out.WriteString(raw[start:max(start, end)])
	return out.String()
}

// mendedEdit returns raw[start:end] after an edit, with what is intended at the
// given places.
func (s *Source) mendedEdit(e rawEdit, start, end int, mends []mend) string {
	var before, behind []mend
	for _, m := range mends {
		if m.at <= e.start && (m.end || m.at < e.start) {
			before = append(before, m)
		} else {
			behind = append(behind, m)
		}
	}
	return s.mended(start, e.start, before) + e.text + s.mended(e.end, end, behind)
}

// meant returns a form of an edit whose text means the blocks that stay, for
// the case that Outline parses them again. Ok is false if the raw form means
// them.
func (s *Source) meant(e, form rawEdit) (mended rawEdit, ok bool) {
	first, last := form.blocks(s.Markdown.Blocks)
	_, mends := s.mends(first, last, e)
	if len(mends) == 0 {
		return form, false
	}
	start, end := min(form.start, mends[0].at), form.end
	if m := mends[len(mends)-1]; !m.end {
		end = max(end, m.at+1)
	} else {
		end = max(end, m.at)
	}
	return rawEdit{start, end, s.mendedEdit(e, start, end, mends)}, true
}
