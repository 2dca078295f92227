package edit

import (
	"sort"
	"strings"
)

// foldLoosely is fold, and also removes the differences between ways to write the
// same Markdown: escapes, breaks within a paragraph, the padding of table cells
// and of numbers, and the length of fences.
func foldLoosely(text string) foldedText {
	l := looseFolder{text: text, out: append(make([]byte, 0, len(text)+2), '\n'), jumps: []jump{{}}}
	r := lineReader{text: text}
	broken := false // the line before ends with a break
	for {
		start, end, ok := r.next()
		if !ok {
			break
		}
		line := trimEnd(text[start:end])
		hard := len(line)+2 <= end-start && text[end-1] == ' ' && text[end-2] == ' '
		if isBlank(line) {
			broken = broken && hard
			continue
		}
		if slashes := len(line) - len(strings.TrimRight(line, `\`)); slashes%2 == 1 {
			line = trimEnd(line[:len(line)-1])
			hard = strings.TrimLeft(line, "> \t-*+0123456789.)[x]") != "" // an empty item has one, too
		}
		before := len(l.out)
		l.line(start, start+len(line), broken)
		broken = hard
		if len(l.out) == before {
			continue // nothing but breaks
		}
		l.lines = append(l.lines, lineAt{before, start})
		if l.last() != '\n' {
			l.add('\n', start+len(line), 0)
		}
	}
	return foldedText{string(l.out), l.lines, l.jumps}
}

// A jump is a folded byte that does not represent exactly one stored byte, or
// whose stored byte does not follow the previous one.
type jump struct{ folded, start, width uint32 }

// place returns the part of the stored text that a folded byte represents.
func place(jumps []jump, at int) (start, width int) {
	j := jumps[sort.Search(len(jumps), func(i int) bool { return int(jumps[i].folded) > at })-1]
	if at == int(j.folded) {
		return int(j.start), int(j.width)
	}
	return int(j.start+j.width) + at - int(j.folded) - 1, 1
}

type looseFolder struct {
	text  string
	out   []byte
	jumps []jump
	lines []lineAt
}

func (l *looseFolder) last() byte { return l.out[len(l.out)-1] }

// add appends a byte that represents a part of the text.
func (l *looseFolder) add(c byte, start, width int) {
	l.jumps = append(l.jumps, jump{uint32(len(l.out)), uint32(start), uint32(width)})
	l.out = append(l.out, c)
}

// copy appends a part of the text.
func (l *looseFolder) copy(start, end int) {
	if start < end {
		l.add(l.text[start], start, 1)
		l.out = append(l.out, l.text[start+1:end]...)
	}
}

// trim removes blanks from the end of the output, but not before an offset.
func (l *looseFolder) trim(from int) {
	end := len(l.out)
	for end > from && isSpace(l.out[end-1]) {
		end--
	}
	l.out = l.out[:end]
	for int(l.jumps[len(l.jumps)-1].folded) >= end {
		l.jumps = l.jumps[:len(l.jumps)-1]
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// line folds the line from start to end. If the line before ends with a break,
// indentation and quote marks do not count.
func (l *looseFolder) line(start, end int, broken bool) {
	line := l.text[:end]
	i, pad, from := start, 0, len(l.out)
	if broken {
		i = end - len(strings.TrimLeft(line[start:], "> \t"))
	} else if line[i] == ' ' && numberLength(line[i+1:]) > 0 {
		// The numbers of a list with ten or more items are padded.
		i, pad = i+1, 1
	}
	for ; i < end && !broken; i++ {
		c := line[i]
		if (c == '-' || c == '*' || c == '+') && opensItem(line[i+1:]) {
			c = bullet
		} else if !isSpace(c) && c != '>' {
			break
		}
		l.add(c, i, 1)
	}
	if n := numberLength(line[i:]); n > 0 && !broken {
		l.add(line[i], i-pad, 1+pad)
		l.copy(i+1, i+n-1)
		l.add('.', i+n-1, 1)
		i += n
	}
	if strings.HasPrefix(line[i:], "![") {
		l.trim(from) // Outline puts a blank before an image
	}
	if n := fenceLength(line[i:]); n > 0 {
		c := line[i]
		if c == '~' {
			c = '`'
		}
		l.add(c, i, 1)
		l.add(c, i+1, 1)
		l.add(c, i+2, n-2)
		i = skipSpace(line, i+n)
	}
	if strings.Trim(line[i:], "|-: \t") == "" && strings.IndexByte(line[i:], '|') >= 0 {
		l.delimiters(line, i)
		return
	}
	l.inline(line, i)
}

// numberLength returns the length of the number that opens an item, with its
// dot or parenthesis, or 0 if there is none.
func numberLength(line string) int {
	n := 0
	for n < len(line) && n < 9 && '0' <= line[n] && line[n] <= '9' {
		n++
	}
	if n == 0 || n+1 >= len(line) || line[n] != '.' && line[n] != ')' || !isSpace(line[n+1]) {
		return 0
	}
	return n + 1
}

// fenceLength returns the length of the signs that open or close a code block,
// a toggle or a callout, or 0 if a line has none.
func fenceLength(line string) int {
	if line == "" || strings.IndexByte("`~+:", line[0]) < 0 {
		return 0
	}
	rest := strings.TrimLeft(line, line[:1])
	if n := len(line) - len(rest); n >= 3 && strings.IndexByte(rest, line[0]) < 0 {
		return n
	}
	return 0
}

// fences are the signs of the blocks that a passage begins and ends with, 0 for
// none. If the text has more of these signs there, it is a different passage:
// +++ is not part of +++++.
type fences struct{ first, last byte }

func fencesOf(old string) fences {
	old = strings.Trim(old, " \t\r\n")
	var f fences
	if first, _, _ := strings.Cut(old, "\n"); fenceLength(first) > 0 {
		f.first = first[0]
	}
	if last := old[strings.LastIndexByte(old, '\n')+1:]; last != "" && fenceLength(last) == len(last) {
		f.last = last[0]
	}
	return f
}

// split reports whether a match has only a part of the signs where it begins or
// ends.
func (f fences) split(text string, m Match) bool {
	return f.first != 0 && m.Start > 0 && text[m.Start-1] == f.first && text[m.Start] == f.first ||
		f.last != 0 && m.End < len(text) && text[m.End] == f.last && text[m.End-1] == f.last
}

// delimiters folds the line below the header of a table: it reduces a run of
// dashes to one, and removes blanks.
func (l *looseFolder) delimiters(line string, i int) {
	for i < len(line) {
		start := i
		for i++; line[start] == '-' && i < len(line) && line[i] == '-'; i++ {
		}
		if !isSpace(line[start]) {
			l.add(line[start], start, i-start)
		}
	}
}

// inline folds the rest of a line.
func (l *looseFolder) inline(line string, i int) {
	from := len(l.out)
	for i < len(line) {
		if !isSign[line[i]] {
			start := i
			for i < len(line) && !isSign[line[i]] {
				i++
			}
			l.copy(start, i)
			continue
		}
		switch c, rest := line[i], line[i:]; {
		case breakLength(rest) > 0:
			l.trim(from)
			n := breakLength(rest)
			if l.last() != '\n' {
				l.add('\n', i, n)
			}
			i = skipSpace(line, i+n)
			from = len(l.out)
		case c == '|', strings.HasPrefix(rest, `\|`):
			l.trim(from)
			n := strings.IndexByte(rest, '|') + 1
			l.add('|', i, n)
			i = skipSpace(line, i+n)
		case c == '\\' && len(rest) > 1 && isPunctuation(rest[1]):
			l.add(rest[1], i, 2)
			i += 2
		case strings.HasPrefix(rest, "![") && len(l.out) > from && isSpace(l.last()):
			blank := len(strings.TrimRight(line[:i], " \t"))
			l.trim(from)
			if len(l.out) > from && l.last() != '|' {
				l.add(' ', blank, i-blank) // Outline puts a blank before an image
			}
			l.copy(i, i+1)
			i++
		default:
			folded, width := c, 1
			if c >= 0x80 {
				if f, n := foldRune(rest); n > 0 {
					folded, width = f, n
				}
			}
			l.add(folded, i, width)
			i += width
		}
	}
	l.trim(from)
}

func skipSpace(line string, i int) int {
	return len(line) - len(strings.TrimLeft(line[i:], " \t"))
}

// isSign tells the bytes that inline folding looks at.
var isSign = func() (table [256]bool) {
	for _, c := range []byte("\\<|!\xC2\xE2\xFF") {
		table[c] = true
	}
	return table
}()

// breakLength returns the length of the break that a text begins with, \n or
// <br>, or 0 if there is none.
func breakLength(text string) int {
	if strings.HasPrefix(text, `\n`) {
		return 2
	}
	for _, tag := range [...]string{"<br>", "<br/>", "<br />"} {
		if len(text) >= len(tag) && strings.EqualFold(text[:len(tag)], tag) {
			return len(tag)
		}
	}
	return 0
}

func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7F && asciiLetter[c] == ' '
}

// hasWords reports whether the words of old all occur in text; otherwise no
// loose match is possible. It checks only the first few.
func hasWords(text, old string) bool {
	words := 0
	for i := 0; i < len(old) && words < 16; {
		start := i
		for i < len(old) && asciiLetter[old[i]] != ' ' && asciiLetter[old[i]] != 0 {
			i++
		}
		if i-start >= 3 && (start == 0 || old[start-1] != '\\' && old[start-1] != '<') {
			words++
			if !strings.Contains(text, old[start:i]) {
				return false
			}
		}
		i = max(i, start+1)
	}
	return true
}
