package prosemirror

import (
	"sort"
	"strings"
)

// A shownForm says how the text of the API was made from a raw form.
type shownForm struct {
	empty []emptyLine
	cut   int // bytes of white space cut from the start
}

// An emptyLine is a line with only a backslash, an empty paragraph, with the
// line end before it. It is shown as two newlines.
type emptyLine struct {
	raw   Range
	shown int // where the two newlines are before white space is cut from the start
}

// shownText makes the text of the API from a raw form.
func shownText(raw string) (text string, form shownForm) {
	added := 0
	for i := 0; i < len(raw); {
		slash := strings.IndexByte(raw[i:], '\\')
		if slash < 0 {
			break
		}
		slash += i
		start, end := slash, slash+1
		if lineStart := slash > i && raw[slash-1] == '\n'; slash > 0 {
			if !lineStart {
				i = slash + 1
				continue
			}
			start--
		}
		if end < len(raw) {
			if raw[end] != '\n' {
				i = end
				continue
			}
			end++
		}
		form.empty = append(form.empty, emptyLine{Range{start, end}, start + added})
		added += 2 - (end - start)
		i = end
	}
	shown := raw
	if len(form.empty) > 0 {
		var out strings.Builder
		out.Grow(len(raw) + added)
		copied := 0
		for _, e := range form.empty {
			out.WriteString(raw[copied:e.raw.Start])
			out.WriteString("\n\n")
			copied = e.raw.End
		}
		out.WriteString(raw[copied:])
		shown = out.String()
	}
	text = strings.TrimLeftFunc(shown, isSpaceRune)
	form.cut = len(shown) - len(text)
	return strings.TrimRightFunc(text, isSpaceRune), form
}

// textOffset maps an offset of Raw to Text. From is the first empty line that
// may be at the offset; the next call with a greater offset starts there.
func (md *Markdown) textOffset(raw int, from *int) int {
	empty := md.shown.empty
	for *from < len(empty) && empty[*from].raw.End <= raw {
		*from++
	}
	at := raw
	switch {
	case *from < len(empty) && empty[*from].raw.Start < raw:
		at = empty[*from].shown + min(2, raw-empty[*from].raw.Start)
	case *from > 0:
		last := empty[*from-1]
		at = last.shown + 2 + raw - last.raw.End
	}
	return max(0, min(at-md.shown.cut, len(md.Text)))
}

// RawOffset maps an offset of Text to Raw, where the same text follows. The two
// differ after empty paragraphs, whose line contains a backslash in Raw and
// nothing in Text, and by the white space removed from the start. At such a
// line in Text, the backslash follows in Raw.
func (md *Markdown) RawOffset(text int) int {
	text = max(0, min(text, len(md.Text)))
	shown := text + md.shown.cut
	empty := md.shown.empty
	n := sort.Search(len(empty), func(i int) bool { return empty[i].shown > shown }) - 1
	if n < 0 {
		return shown
	}
	e := empty[n]
	if within := shown - e.shown; within < 2 {
		return e.raw.Start + within
	}
	return e.raw.End + shown - (e.shown + 2)
}

// RawRange maps a range of Text to the part of Raw that is shown as it. An
// empty range stays empty.
func (md *Markdown) RawRange(start, end int) Range {
	return Range{md.RawOffset(start), md.RawOffset(max(start, end))}
}
