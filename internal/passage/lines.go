package passage

import (
	"strings"
	"unicode/utf8"
)

// A lineReader reads the lines of a text, which end with "\n", "\r\n" or "\r".
type lineReader struct {
	text   string
	pos    int // where the next line starts
	lf, cr int // the next "\n" and "\r" from there on, if not before pos
}

// next returns where the next line starts and where it ends, before its line
// end. At the end of the text, both are its length.
func (r *lineReader) next() (start, end int, ok bool) {
	start = r.pos
	if start >= len(r.text) {
		return start, start, false
	}
	// Each is looked for once only, however often the other one occurs.
	if r.lf <= start {
		r.lf = indexFrom(r.text, '\n', start)
	}
	if r.cr <= start {
		r.cr = indexFrom(r.text, '\r', start)
	}
	end = min(r.lf, r.cr)
	r.pos = end + lineEndAt(r.text, end)
	return start, end, true
}

// indexFrom returns the offset of the first c in text from start on, and the
// length of text if there is none.
func indexFrom(text string, c byte, start int) int {
	if i := strings.IndexByte(text[start:], c); i >= 0 {
		return start + i
	}
	return len(text)
}

// lineEndAt returns the length of the line end at an offset, or 0 if there is
// none.
func lineEndAt(text string, at int) int {
	switch {
	case strings.HasPrefix(text[at:], "\r\n"):
		return 2
	case at < len(text) && (text[at] == '\n' || text[at] == '\r'):
		return 1
	}
	return 0
}

// lineEndBefore returns the length of the line end before an offset, or 0 if
// there is none.
func lineEndBefore(text string, at int) int {
	switch {
	case strings.HasSuffix(text[:at], "\r\n"):
		return 2
	case at > 0 && (text[at-1] == '\n' || text[at-1] == '\r'):
		return 1
	}
	return 0
}

// lineStart returns the start of the line that an offset is in.
func lineStart(text string, at int) int {
	return strings.LastIndexAny(text[:at], "\r\n") + 1
}

// lineNumber returns the number, from 1, of the line that an offset is in, as a
// reader of the document counts: "\r" alone does not end a line there.
func lineNumber(text string, at int) int {
	return 1 + strings.Count(text[:at], "\n")
}

// runeStart returns the start of the UTF-8 sequence that an offset is in.
func runeStart(text string, at int) int {
	for n := 1; n < utf8.UTFMax && at > 0 && at < len(text) && !utf8.RuneStart(text[at]); n++ {
		at--
	}
	return at
}

// runeEnd returns the end of the UTF-8 sequence that an offset is in, or the
// offset itself if it is between two.
func runeEnd(text string, at int) int {
	for n := 1; n < utf8.UTFMax && at < len(text) && !utf8.RuneStart(text[at]); n++ {
		at++
	}
	return at
}
