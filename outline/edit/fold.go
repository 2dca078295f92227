package edit

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// bullet stands for the mark of a list item in a folded text. No UTF-8 text has
// this byte.
const bullet = 0xFF

// A foldedText is a text without the differences that round trips make: its
// non-blank lines, each with one "\n" before it and one after the last.
// Passages that are equal with tolerance have equal folded texts.
type foldedText struct {
	text  string
	lines []lineAt // by offset
	jumps []jump   // if it was folded loosely, where its bytes do not follow each other in the stored text
}

// lineAt says where a line starts in a folded text and in the stored one.
type lineAt struct{ folded, stored int }

func fold(text string) foldedText {
	f := foldedText{}
	out := make([]byte, 0, len(text)+2)
	out = append(out, '\n')
	r := lineReader{text: text}
	for {
		start, end, ok := r.next()
		if !ok {
			break
		}
		line := trimEnd(text[start:end])
		if isBlank(line) {
			continue
		}
		f.lines = append(f.lines, lineAt{len(out), start})
		out = append(foldLine(out, line), '\n')
	}
	f.text = string(out)
	return f
}

// offset returns the offset in the stored text of an offset of the folded one
// that lies in, or at the end of, the line with the byte at inside.
func (f foldedText) offset(text string, inside, at int) int {
	n := sort.Search(len(f.lines), func(i int) bool { return f.lines[i].folded > inside }) - 1
	line := f.lines[n]
	stored := line.stored
	if f.jumps != nil {
		start, width := place(f.jumps, inside)
		if at > inside {
			return start + width
		}
		return start
	}
	for range at - line.folded {
		_, width := foldRune(text[stored:])
		stored += max(width, 1)
	}
	return stored
}

// isBlank reports whether a line counts as blank: it has nothing but white
// space, marks of block quotes, and at most a backslash at the end.
func isBlank(line string) bool {
	line = strings.TrimLeft(line, "> \t")
	if line != "" && line[0] < utf8.RuneSelf && line[0] != '\\' {
		return false // nearly all lines
	}
	line = strings.TrimSuffix(trimEnd(line), `\`)
	return strings.Trim(line, "> \t\u00a0\u202f\u2007") == ""
}

// trimEnd removes white space from the end of a line.
func trimEnd(line string) string {
	line = strings.TrimRight(line, " \t")
	if line != "" && line[len(line)-1] >= utf8.RuneSelf {
		line = strings.TrimRight(line, " \t\u00a0\u202f\u2007")
	}
	return line
}

// foldLine appends a line in its folded form. Every byte before the text of the
// line keeps its place.
func foldLine(out []byte, line string) []byte {
	i := 0
	for ; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '>':
			out = append(out, c)
			continue
		case (c == '-' || c == '*' || c == '+') && opensItem(line[i+1:]):
			out = append(out, bullet)
			continue
		}
		break
	}
	return foldInline(out, line[i:])
}

// opensItem reports whether a bullet is the marker of an item, given what
// follows it on its line.
func opensItem(rest string) bool {
	if rest == "" || rest[0] == ' ' || rest[0] == '\t' {
		return true
	}
	folded, _ := foldRune(rest)
	return folded == ' '
}

// unmark returns the folded form of a passage whose first line, stored in line,
// does not begin an item.
func unmark(body, line string) string {
	out := []byte(body)
	for i, c := range out {
		switch c {
		case bullet:
			out[i] = line[i]
		case ' ', '\t', '>':
		default:
			return string(out)
		}
	}
	return string(out)
}

// foldInline appends text within a line in its folded form.
func foldInline(out []byte, text string) []byte {
	for {
		i := 0
		for i < len(text) && text[i] < utf8.RuneSelf {
			i++
		}
		out = append(out, text[:i]...)
		text = text[i:]
		if text == "" {
			return out
		}
		c, width := foldRune(text)
		if width == 0 {
			c, width = text[0], 1
		}
		out = append(out, c)
		text = text[width:]
	}
}

// foldRune returns the byte that represents, in a folded text, the character
// that s begins with, and the length of that character. Length 0 means that the
// character represents itself.
//
// It folds those quotation marks that editors use in place of ' and ". Primes
// and guillemets are not folded, because they are typed on purpose.
func foldRune(s string) (c byte, width int) {
	switch {
	case s[0] == bullet:
		return bullet - 1, 1 // not UTF-8 either, and not a bullet
	case len(s) >= 2 && s[0] == 0xC2 && s[1] == 0xA0: // U+00A0 no-break space
		return ' ', 2
	case len(s) < 3 || s[0] != 0xE2 || s[1] != 0x80:
		return 0, 0
	}
	switch s[2] {
	case 0x87, 0xAF: // U+2007 figure space, U+202F narrow no-break space
		return ' ', 3
	case 0x98, 0x99, 0x9A, 0x9B: // U+2018 to U+201B ‘ ’ ‚ ‛
		return '\'', 3
	case 0x9C, 0x9D, 0x9E, 0x9F: // U+201C to U+201F “ ” „ ‟
		return '"', 3
	}
	return 0, 0
}

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

// extendRight moves the end of a match over what is left of its line and over
// blank lines, as far as tail, which holds only such, has line ends.
func extendRight(text string, end int, tail string) int {
	r, wanted := lineReader{text: text, pos: end}, lineReader{text: tail}
	for {
		from, to, _ := wanted.next()
		rest := tail[from:to]
		if to == wanted.pos { // the last line of tail, which nothing ends
			if strings.HasPrefix(text[end:], rest) {
				end += len(rest)
			}
			return end
		}
		from, to, ok := r.next()
		if !ok || to == r.pos || !isBlank(text[from:to]) {
			return end
		}
		end = r.pos
	}
}

// extendLeft moves the start of a match, where a line starts, over the end of
// the line before and over blank lines, as far as head, which holds only blank
// lines, has line ends.
func extendLeft(text string, start int, head string) int {
	for {
		start -= lineEndBefore(text, start)
		head = head[:len(head)-lineEndBefore(head, len(head))]
		above, wanted := lineStart(text, start), lineStart(head, len(head))
		switch {
		case wanted == 0: // the first line of head, which may be part of one
			return above + len(strings.TrimSuffix(text[above:start], head))
		case !isBlank(text[above:start]):
			return start
		case above == 0:
			return 0
		}
		start, head = above, head[:wanted]
	}
}
