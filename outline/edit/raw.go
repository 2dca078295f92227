package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// A rawEdit replaces raw[start:end] by text.
type rawEdit struct {
	start, end int
	text       string
}

// edit makes one edit of the raw form from several changes of the text,
// including what is between them.
func (s *Source) combine(changes []Change) rawEdit {
	var text strings.Builder
	out := rawEdit{start: -1}
	for _, c := range changes {
		raw := s.toRaw(c)
		if out.start < 0 {
			out.start = raw.start
		} else {
			raw.start = max(raw.start, out.end)
			text.WriteString(s.between(out.end, raw))
		}
		text.WriteString(raw.text)
		out.end = max(raw.start, raw.end)
	}
	out.text = text.String()
	return out.trim(s.Markdown.Raw)
}

// toRaw maps a change to the raw form.
func (s *Source) toRaw(c Change) rawEdit {
	md := &s.Markdown
	if md.Text == "" {
		return rawEdit{0, len(md.Raw), c.New} // nothing but empty paragraphs
	}
	// Only what really changes decides what happens to empty paragraphs.
	t := s.wholeGaps(rawEdit{c.Start, c.End, c.New}.trim(md.Text))
	at := md.RawRange(t.start, t.end)
	// White space at the ends of the raw form is not shown: what is inserted
	// there replaces it.
	first := t.start == 0 && strings.Contains(md.Text[:t.end]+t.text, "\n") // the first block goes or comes
	for (first || strings.HasPrefix(t.text, " ")) && t.start == 0 && at.Start > 0 && md.Raw[at.Start-1] == ' ' {
		at.Start--
	}
	if text := strings.TrimRight(t.text, " "); first && t.end == 0 && strings.HasSuffix(text, "\n") {
		at.End, t.text = at.Start, text // the blanks are those of the block behind it
	}
	words := t.start < t.end && t.text != "" && strings.TrimSpace(t.text) == t.text
	if behind := md.Raw[at.End:]; t.end == len(md.Text) && strings.TrimSpace(behind) == "" && (!words || strings.Contains(behind, "\n")) {
		at.End = len(md.Raw)
		if t.start == t.end && strings.HasPrefix(t.text, "\n") && !strings.Contains(behind, "\n") {
			at.Start = at.End // the blanks are those of the last block
		}
	}
	raw := s.keepSigns(rawEdit{at.Start, at.End, s.withGaps(t, md.Raw[at.Start:at.End], c.End)}).apart(md.Raw)
	if !s.inCode(t) {
		raw.text = s.keepMentions(raw.text)
	}
	return raw
}

// apart separates a mark that is put on words from one of the same signs that it touches.
func (e rawEdit) apart(raw string) rawEdit {
	const signs = "*_~="
	if e.text == "" || strings.IndexByte(signs, e.text[0]) < 0 || e.start == e.end || strings.Trim(e.text, e.text[:1]) != strings.TrimSpace(raw[e.start:e.end]) {
		return e
	}
	before, behind := strings.HasSuffix(raw[:e.start], e.text[:1]), strings.HasPrefix(raw[e.end:], e.text[:1])
	switch {
	case before && !behind:
		e.text = prosemirror.Nothing + e.text
	case behind && !before:
		e.text += prosemirror.Nothing
	}
	return e
}

// keepSigns returns an edit whose text has the corrections of what it shares with the
// old text.
func (s *Source) keepSigns(e rawEdit) rawEdit {
	within := slices.DeleteFunc(s.correctionsWithin(e.start, e.end), func(c prosemirror.Correction) bool { return c.Kind == prosemirror.EmptyParagraph })
	if len(within) == 0 {
		return e
	}
	was, startsWas := words(s.Markdown.Raw[e.start:e.end])
	now, startsNow := words(e.text)
	at := map[int]int{} // in the new text, by the place of the same word in the old one
	for _, pair := range common(was, now) {
		at[e.start+startsWas[pair[0]]] = startsNow[pair[1]]
	}
	var out strings.Builder
	copied := 0
	for _, c := range within {
		shared := s.corrected(c)
		old := s.Markdown.Raw[shared.Start:shared.End]
		to, ok := at[shared.Start]
		if !ok {
			to = -1
		}
		if strings.TrimSpace(old) == "" {
			to = s.edgeOf(shared, e.text, copied, to)
		}
		if to >= copied && strings.HasPrefix(e.text[to:], old) {
			out.WriteString(e.text[copied:to] + c.Text)
			copied = to + c.End - c.Start
		}
	}
	e.text = out.String() + e.text[copied:]
	return e
}

// edgeOf returns where the blanks of a place are in a new text, from an offset on: those at
// the start or the end of a line stay there. to is where they are otherwise.
func (s *Source) edgeOf(at prosemirror.Range, text string, from, to int) int {
	raw, known, n := s.Markdown.Raw, to >= from, -1
	blanks := raw[at.Start:at.End]
	switch {
	case strings.HasPrefix(raw[at.End:], "\n"):
		known = known && strings.HasPrefix(text[to:], blanks+"\n")
		n = strings.Index(text[from:]+"\n", blanks+"\n")
	case at.Start == 0 || raw[at.Start-1] == '\n':
		known = known && (to == 0 || text[to-1] == '\n')
		if n = strings.Index("\n"+text[from:], "\n"+blanks); n == 0 && from > 0 {
			n = -1
		}
	case at.End < len(raw):
		known = known && strings.HasPrefix(text[to:], raw[at.Start:at.End+1])
		n = strings.Index(text[from:], raw[at.Start:at.End+1])
	default:
		return to
	}
	switch {
	case known:
		return to
	case n >= 0:
		return n + from
	}
	return -1
}

// words splits text into words and other characters, and returns where each begins.
func words(text string) (list []string, starts []int) {
	for at := 0; at < len(text); {
		n := len(text[at:]) - len(strings.TrimLeftFunc(text[at:], isWord))
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text[at:])
		}
		list, starts = append(list, text[at:at+n]), append(starts, at)
		at += n
	}
	return list, starts
}

// between returns what stays between two changes, the second of which is next,
// as it is intended.
func (s *Source) between(start int, next rawEdit) string {
	list := s.correctionsWithin(start, next.start)
	if next.start < len(s.Markdown.Raw) {
		// The next change may be within an image that begins before.
		first, last := rawEdit{next.start, next.start + 1, ""}.blocks(s.Markdown.Blocks)
		_, kept := s.corrections(first, last, next)
		for _, c := range kept {
			if c.Kind == prosemirror.ImageBlank && c.Start >= start && c.Start < next.start && s.corrected(c).End > next.start {
				list = append(list, c)
			}
		}
	}
	return s.withCorrections(start, next.start, list)
}

// trim removes what the old and the new text have in common at both ends.
func (e rawEdit) trim(raw string) rawEdit {
	prefix, suffix := commonEnds(raw[e.start:e.end], e.text)
	return rawEdit{e.start + prefix, e.end - suffix, e.text[prefix : len(e.text)-suffix]}
}

// isNothing reports whether the edit changes nothing.
func (e rawEdit) isNothing() bool { return e.start == e.end && e.text == "" }

// slides returns the edit and its equivalents further left and right: an
// insertion or a deletion whose surroundings repeat it can be made in several
// places, such as after a block or before the next one.
func (e rawEdit) slides(raw string) []rawEdit {
	out := []rawEdit{e}
	if e.isNothing() || e.start < e.end && e.text != "" {
		return out
	}
	content := e.text + raw[e.start:e.end]
	size := len(content)
	slid := func(by int) rawEdit {
		to := rawEdit{e.start + by, e.end + by, ""}
		if e.text != "" {
			n := (by%size + size) % size // the first byte of the rotated content
			to.text = content[n:] + content[:n]
		}
		return to
	}
	left, right := 0, 0
	for left < e.start && raw[e.start-left-1] == content[size-1-left%size] {
		left++
	}
	for left > 0 && !utf8.RuneStart(raw[e.start-left]) {
		left--
	}
	for e.end+right < len(raw) && raw[e.end+right] == content[right%size] {
		right++
	}
	for right > 0 && runeStart(raw, e.start+right) < e.start+right {
		right--
	}
	if left > 0 {
		out = append(out, slid(-left))
	}
	if right > 0 {
		out = append(out, slid(right))
	}
	return out
}

// widen returns the same edit with more text around it, up to raw[start:end].
func (e rawEdit) widen(raw string, start, end int) rawEdit {
	return rawEdit{start, end, raw[start:e.start] + e.text + raw[e.end:end]}
}

// blocks returns the top-level blocks that the edit touches. An insertion
// between two blocks belongs to the first.
func (e rawEdit) blocks(blocks []prosemirror.Block) (first, last int) {
	end := e.end
	start := e.start
	if start == end && start > 0 {
		start--
	} else if start == end {
		end++
	}
	first = searchBlock(blocks, func(b prosemirror.Range) bool { return b.End > start })
	last = searchBlock(blocks, func(b prosemirror.Range) bool { return b.End >= end })
	return min(first, last), last
}
