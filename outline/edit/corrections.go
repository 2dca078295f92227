package edit

import (
	"slices"
	"strings"

	"outline-mcp/outline/prosemirror"
)

// corrections returns where the raw form of some blocks does not mean them, and those
// of these places that an edit leaves alone. If the edit changes the sign, the image or
// the empty paragraph there, what is written is taken literally.
func (s *Source) corrections(first, last int, e rawEdit) (all, kept []prosemirror.Correction) {
	for i := first; i <= last; i++ {
		for _, c := range s.ofBlock(i) {
			all = append(all, c)
			at := s.corrected(c)
			if at.End <= e.start || at.Start >= e.end ||
				c.Kind == prosemirror.ImageBlank && c.Start < e.start && s.staysImage(c, e) {
				kept = append(kept, c)
			}
		}
	}
	return all, kept
}

// correctionsWithin returns those that are completely in part of the raw form.
func (s *Source) correctionsWithin(start, end int) []prosemirror.Correction {
	if start >= end || len(s.Markdown.Blocks) == 0 {
		return nil
	}
	first, last := rawEdit{start, end, ""}.blocks(s.Markdown.Blocks)
	all, _ := s.corrections(first, last, rawEdit{})
	return slices.DeleteFunc(all, func(c prosemirror.Correction) bool {
		at := s.corrected(c)
		return at.Start < start || at.End > end
	})
}

// corrected returns what a correction concerns: the sign, the image, or the line of the
// empty paragraph.
func (s *Source) corrected(c prosemirror.Correction) prosemirror.Range {
	switch c.Kind {
	case prosemirror.EmptyParagraph:
		return prosemirror.Range{Start: c.Start - len("\\\n"), End: c.End}
	case prosemirror.ImageBlank:
		return prosemirror.Range{Start: c.Start, End: imageEnd(s.Markdown.Raw, c.End)}
	}
	return c.Range
}

// ofBlock returns the corrections of a block that make its raw form mean it. There are
// none if it does already, or if Markdown cannot express the block.
func (s *Source) ofBlock(block int) []prosemirror.Correction {
	known, ok := s.known[block]
	if !ok {
		known = s.findCorrections(block)
		if s.known == nil {
			s.known = map[int][]prosemirror.Correction{}
		}
		s.known[block] = known
	}
	return known
}

func (s *Source) findCorrections(block int) []prosemirror.Correction {
	at := s.Markdown.Blocks[block].Raw
	nodes := s.Doc.Content[block : block+1]
	if !isEmpty(nodes[0]) && allAlike(s.parse(s.Markdown.Raw[at.Start:at.End]), nodes) {
		return nil
	}
	// Comments split the signs around them. To write them again would lose the comments.
	if plain := s.Doc.With([]*prosemirror.Node{bare(nodes[0])}); !isEmpty(nodes[0]) && allAlike(s.parse(s.Markdown.Dialect.Serialize(plain)), plain.Content) {
		return nil
	}
	all := s.possibleCorrections(block)
	// The signs stay as they are if they are not the reason.
	few := slices.DeleteFunc(slices.Clone(all), func(c prosemirror.Correction) bool { return c.Kind == prosemirror.InlineSign })
	for _, list := range [][]prosemirror.Correction{few, all} {
		if isEmpty(nodes[0]) || allAlike(s.parse(s.withCorrections(at.Start, at.End, list)), nodes) {
			return list
		}
	}
	return nil
}

// possibleCorrections returns the places of a block that may not mean it.
func (s *Source) possibleCorrections(block int) []prosemirror.Correction {
	at := s.Markdown.Blocks[block].Raw
	raw, all := s.Markdown.Dialect.Corrections(s.Doc.Content[block])
	if !strings.HasSuffix(s.Markdown.Raw[at.Start:at.End], raw) {
		return nil
	}
	for i := range all {
		all[i].Start += at.End - len(raw)
		all[i].End += at.End - len(raw)
	}
	return all
}

// keepLiteral corrects signs of marks beside an edit of a block that are text, and of which
// the block would make marks beside the new text, although that has no such sign. The
// text shows no difference.
func (s *Source) keepLiteral(e rawEdit, block int) {
	at := s.Markdown.Blocks[block].Raw
	if s.ofBlock(block) != nil || e.start < at.Start || e.end > at.End {
		return
	}
	var literal []prosemirror.Correction
	for _, c := range s.possibleCorrections(block) {
		sign := s.Markdown.Raw[c.Start:c.End]
		if c.Text == `\`+sign && strings.ContainsAny(sign, "_=$") && (c.End <= e.start || c.Start >= e.end) && !strings.Contains(e.text, sign) {
			literal = append(literal, c)
		}
	}
	if len(literal) == 0 {
		return
	}
	naive, meant := s.parse(s.editWithCorrections(e, at.Start, at.End, nil)), s.parse(s.editWithCorrections(e, at.Start, at.End, literal))
	if !allAlike(naive, meant) && serialize(naive) == serialize(meant) {
		s.known[block] = literal
	}
}

func isEmpty(n *prosemirror.Node) bool {
	return n.Type == prosemirror.Paragraph && len(n.Content) == 0
}

// staysImage reports whether an image is still one after an edit of it.
func (s *Source) staysImage(c prosemirror.Correction, e rawEdit) bool {
	raw := s.Markdown.Raw
	markdown := raw[c.End:e.start] + e.text + raw[e.end:max(e.end, imageEnd(raw, c.End))]
	blocks := s.parse(markdown[:imageEnd(markdown, 0)])
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

// withCorrections returns raw[start:end] with the given corrections.
func (s *Source) withCorrections(start, end int, list []prosemirror.Correction) string {
	raw := s.Markdown.Raw
	if len(list) == 0 {
		return raw[start:max(start, end)]
	}
	var out strings.Builder
	for _, c := range list {
		if c.Start >= start && c.End <= end {
			out.WriteString(raw[start:c.Start] + c.Text)
			start = c.End
		}
	}
	out.WriteString(raw[start:max(start, end)])
	return out.String()
}

// editWithCorrections returns raw[start:end] after an edit, with the given corrections.
func (s *Source) editWithCorrections(e rawEdit, start, end int, list []prosemirror.Correction) string {
	var before, behind []prosemirror.Correction
	for _, c := range list {
		if c.End <= e.start {
			before = append(before, c)
		} else {
			behind = append(behind, c)
		}
	}
	return s.withCorrections(start, e.start, before) + e.text + s.withCorrections(e.end, end, behind)
}

// meant returns a form of an edit whose text means the blocks that stay, for
// the case that Outline parses them again. Ok is false if the raw form means
// them.
func (s *Source) meant(e, form rawEdit) (corrected rawEdit, ok bool) {
	first, last := form.blocks(s.Markdown.Blocks)
	_, list := s.corrections(first, last, e)
	if len(list) == 0 {
		return form, false
	}
	start, end := min(form.start, list[0].Start), max(form.end, list[len(list)-1].End)
	return rawEdit{start, end, s.editWithCorrections(e, start, end, list)}, true
}
