package docedit

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"outline-mcp/outline/prosemirror"
)

// widenWords includes the words in which the edit begins and ends.
func (e edit) widenWords(raw string) edit {
	start, end := e.start, e.end
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(raw[:start])
		if !isWord(r) {
			break
		}
		start -= size
	}
	for end < len(raw) {
		r, size := utf8.DecodeRuneInString(raw[end:])
		if !isWord(r) {
			break
		}
		end += size
	}
	return e.widen(raw, start, end)
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// widenBy includes n more characters on both sides, and the words that these
// are in.
func (e edit) widenBy(raw string, n int) edit {
	start, end := max(0, e.start-n), min(len(raw), e.end+n)
	for !runeStart(raw, start) {
		start--
	}
	for !runeStart(raw, end) {
		end++
	}
	return e.widen(raw, start, end).widenWords(raw)
}

// widenLines includes the lines in which the edit begins and ends.
func (e edit) widenLines(raw string) edit {
	end := len(raw)
	if n := strings.IndexByte(raw[e.end:], '\n'); n >= 0 {
		end = e.end + n
	}
	return e.widen(raw, strings.LastIndexByte(raw[:e.start], '\n')+1, end)
}

// unique widens an edit, but not beyond a range, until the text to find occurs
// once in raw.
func (e edit) unique(raw string, limit prosemirror.Range) (edit, bool) {
	for step := 1; ; step *= 2 {
		if e.start < limit.Start || e.end > limit.End {
			return e, false
		}
		if find := raw[e.start:e.end]; find != "" {
			if at := strings.Index(raw, find); at == e.start && !strings.Contains(raw[at+1:], find) {
				return e, true
			}
			if len(find) == len(raw) {
				return e, false
			}
		}
		e = e.widenBy(raw, step)
	}
}

// forms yields the edit in the forms in which it can be sent as a patch: first
// those that stay within the blocks that the edit touches, from the shortest to
// the longest, then those that touch more blocks, so that Outline parses all of
// them again. The latter must touch blocks first to last.
func (s *Source) forms(e edit, first, last int) iter.Seq[edit] {
	return func(yield func(edit) bool) {
		each := func(e, form edit) bool {
			if !yield(form) {
				return false
			}
			form, ok := s.meant(e, form)
			return !ok || yield(form)
		}
		for _, e := range e.slides(s.Markdown.Raw) {
			if !s.narrow(e, each) {
				return
			}
		}
		s.regions(e, first, last, each)
	}
}

func (s *Source) narrow(e edit, yield func(e, form edit) bool) bool {
	raw := s.Markdown.Raw
	first, last := e.blocks(s.Markdown.Blocks)
	limit := prosemirror.Range{Start: s.Markdown.Blocks[first].Raw.Start, End: s.Markdown.Blocks[last].Raw.End}
	start := limit.Start
	for start < e.start && raw[start] == '\n' {
		start++
	}
	var seen []edit
	for _, form := range []edit{
		e, e.widenBy(raw, 0), e.widenBy(raw, 1), e.widenBy(raw, 12), e.widenLines(raw),
		e.widen(raw, start, limit.End), e.widen(raw, limit.Start, limit.End),
	} {
		form, ok := form.unique(raw, limit)
		if !ok || slices.Contains(seen, form) {
			continue
		}
		seen = append(seen, form)
		if !yield(e, form) {
			return false
		}
	}
	return true
}

func (s *Source) regions(e edit, first, last int, yield func(e, form edit) bool) {
	raw, blocks := s.Markdown.Raw, s.Markdown.Blocks
	for _, around := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {2, 0}, {2, 2}} {
		from, to := first-around[0], last+around[1]
		if from < 0 || to >= len(blocks) || from == to {
			continue
		}
		start, end := e.start, e.end
		if at := blocks[from].Raw.End; start >= at {
			_, size := utf8.DecodeLastRuneInString(raw[:at])
			start = at - size
		}
		if at := blocks[to].Raw.Start; end <= at {
			for at < blocks[to].Raw.End-1 && raw[at] == '\n' {
				at++
			}
			_, size := utf8.DecodeRuneInString(raw[at:])
			end = at + size
		}
		form, ok := e.widen(raw, start, end).unique(raw, prosemirror.Range{End: len(raw)})
		if ok && !yield(e, form) {
			return
		}
	}
}
