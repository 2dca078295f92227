package edit

import (
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

// rawEdit maps a change to the raw form.
func (s *Source) toRaw(c Change) rawEdit {
	md := &s.Markdown
	if md.Text == "" {
		return rawEdit{0, len(md.Raw), c.New} // nothing but empty paragraphs
	}
	// Only what really changes decides what happens to empty paragraphs.
	t := rawEdit{c.Start, c.End, c.New}.trim(md.Text)
	at := md.RawRange(t.start, t.end)
	// White space at the ends of the raw form is not shown: what is inserted
	// there replaces it.
	for strings.HasPrefix(t.text, " ") && t.start == 0 && at.Start > 0 && md.Raw[at.Start-1] == ' ' {
		at.Start--
	}
	if behind := md.Raw[at.End:]; t.end == len(md.Text) && strings.TrimSpace(behind) == "" {
		at.End = len(md.Raw)
	}
	e := rawEdit{at.Start, at.End, keepEmpty(md.Text[t.start:t.end], md.Raw[at.Start:at.End], t.text)}
	e.text = s.keepImages(e)
	if t.end < len(md.Text) && md.Text[t.end] != md.Raw[e.end] {
		// The backslash of an empty paragraph comes next. It stays if its line
		// does, after an empty one.
		before := md.Raw[max(0, e.start-2):e.start] + e.text
		if before != "" && !strings.HasSuffix(before, "\n\n") && !strings.HasSuffix(before, "\\\n") {
			e.end++
		}
	}
	return e
}

// keepEmpty returns the new text with the lines of empty paragraphs that it
// shares with the old text as they are in the raw form.
func keepEmpty(shown, raw, text string) string {
	if shown == raw {
		return text
	}
	lines, rawLines := strings.Split(shown, "\n"), strings.Split(raw, "\n")
	if len(lines) != len(rawLines) {
		return text
	}
	added := strings.Split(text, "\n")
	for _, pair := range common(blankKeys(lines), blankKeys(added)) {
		if line := rawLines[pair[0]]; line != lines[pair[0]] {
			added[pair[1]] = line + "\n" // or the next line would go on with it
		}
	}
	return strings.Join(added, "\n")
}

// keepImages returns the new text with the images that it shares with the old
// text as they are intended.
func (s *Source) keepImages(e rawEdit) string {
	shared := map[string]int{}
	for _, m := range s.mendsWithin(e.start, e.end) {
		if !m.end {
			shared[s.Markdown.Raw[m.at:imageEnd(s.Markdown.Raw, m.at+1)]]++
		}
	}
	if len(shared) == 0 {
		return e.text
	}
	var out strings.Builder
	copied := 0
	for _, at := range images(e.text) {
		if image := e.text[at:imageEnd(e.text, at+1)]; shared[image] > 0 {
			shared[image]--
			out.WriteString(e.text[copied:at])
			copied = at + 1
		}
	}
	return out.String() + e.text[copied:]
}

// between returns what stays between two changes, the second of which is next,
// as it is intended.
func (s *Source) between(start int, next rawEdit) string {
	mends := s.mendsWithin(start, next.start)
	if next.start < len(s.Markdown.Raw) {
		// The next change may be within an image that begins before.
		first, last := rawEdit{next.start, next.start + 1, ""}.blocks(s.Markdown.Blocks)
		_, kept := s.mends(first, last, next)
		for _, m := range kept {
			if !m.end && m.at >= start && m.at < next.start && imageEnd(s.Markdown.Raw, m.at+1) > next.start {
				mends = append(mends, m)
			}
		}
	}
	return s.mended(start, next.start, mends)
}

// blankKeys tells blank lines that follow a blank line from the others.
func blankKeys(lines []string) []string {
	keys := make([]string, len(lines))
	for i, line := range lines {
		keys[i] = line
		if i > 0 && line == "" && lines[i-1] == "" {
			keys[i] = "\n"
		}
	}
	return keys
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
