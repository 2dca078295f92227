// Package grep finds exact text and regular expressions in the lines of a text.
//
// Expressions are RE2 (https://github.com/google/re2/wiki/Syntax, as package regexp
// has it), which takes time linear in the length of the text, and see one line at a
// time. Differences of case are those of Unicode's simple case folding, as in
// [strings.EqualFold].
package grep

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPattern is the maximum length of a pattern, in code points.
const MaxPattern = 500

// maxProgram is the maximum number of instructions of a compiled expression. The
// time for a text is proportional to it.
const maxProgram = 2000

// Options tell how a pattern is meant.
type Options struct {
	Regex         bool // the pattern is a regular expression, not exact text
	CaseSensitive bool
	// WholeWord accepts a match only if no letter, number, mark or underscore is
	// beside it. Of an expression, these are the matches that it has without
	// WholeWord.
	WholeWord bool
}

// A Pattern is what to find. It is safe for concurrent use.
type Pattern struct {
	options Options
	exact   string         // the pattern; with Regex, what each match contains, or ""
	folded  folded         // the same for comparisons without case
	re      *regexp.Regexp // the pattern with Regex, or nil
}

// Compile returns a pattern. Its errors say what is wrong with the pattern, and
// where.
func Compile(pattern string, o Options) (*Pattern, error) {
	if n := utf8.RuneCountInString(pattern); n == 0 || n > MaxPattern {
		return nil, fmt.Errorf("the pattern must have 1 to %d characters, not %d", MaxPattern, n)
	}
	if !o.Regex {
		if strings.ContainsAny(pattern, "\r\n") {
			return nil, errors.New("the pattern must be on one line: it is compared with one line at a time")
		}
		return &Pattern{options: o, exact: pattern, folded: fold(pattern)}, nil
	}
	flags, expression := syntax.Perl, pattern
	if !o.CaseSensitive {
		flags, expression = flags|syntax.FoldCase, "(?i)"+pattern
	}
	parsed, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, explained(pattern, err)
	}
	if matchesOnlyEmpty(parsed) {
		return nil, errors.New("the regular expression can only match empty text: it must match at least one character")
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("the regular expression cannot be used: %w", err)
	}
	if len(program.Inst) > maxProgram {
		return nil, errors.New("the regular expression is too large: use fewer or smaller repetitions")
	}
	re, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("the regular expression cannot be used: %w", err)
	}
	contained := rarest(literals(parsed, o.CaseSensitive))
	return &Pattern{options: o, exact: contained, folded: fold(contained), re: re}, nil
}

// A Match is a part of a line that a pattern matches. It is never empty.
type Match struct {
	Line, Column int    // of its first code point, from 1; a line ends with "\n" or "\r\n"
	Text         string // of the line
	Start, End   int    // offsets in Text, in bytes
}

// Matches yields the matches in a text from the first to the last. They do not
// overlap.
func (p *Pattern) Matches(text string) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		next := p.search(text)
		for l := (line{text: text, number: 1}); ; {
			start, _ := next(l.end)
			if start < 0 || !l.moveTo(start) || !p.matchesOf(l, next, yield) {
				return
			}
		}
	}
}

// matchesOf yields the matches in a line and reports whether more are wanted.
func (p *Pattern) matchesOf(l line, next func(from int) (start, end int), yield func(Match) bool) bool {
	m, counted := Match{Line: l.number, Column: 1, Text: l.content()}, 0
	tell := func() bool {
		m.Column += utf8.RuneCountInString(m.Text[counted:m.Start])
		counted = m.Start
		return yield(m)
	}
	if p.re == nil {
		for from := l.start; ; {
			start, end := next(from)
			if start < 0 || start >= l.end {
				return true
			}
			m.Start, m.End = start-l.start, end-l.start
			if p.accepts(m) {
				if !tell() {
					return false
				}
				from = end
				continue
			}
			_, size := utf8.DecodeRuneInString(l.text[start:])
			from = start + size
		}
	}
	// A hostile line has a match in each byte, which all together take far more
	// memory than the line.
	for seen, most := 0, 64; ; seen, most = most, most*8 {
		found := p.re.FindAllStringIndex(m.Text, most)
		for _, place := range found[min(seen, len(found)):] {
			m.Start, m.End = place[0], place[1]
			if m.Start < m.End && p.accepts(m) && !tell() {
				return false
			}
		}
		if len(found) < most {
			return true
		}
	}
}

// A line is a line of a text.
type line struct {
	text       string
	number     int // from 1
	start, end int // offsets in text; the end is that of the line end
}

// moveTo moves to the line with an offset, which must not be before this line. It
// reports whether there is one.
func (l *line) moveTo(offset int) bool {
	if offset >= len(l.text) {
		return false
	}
	passed := l.text[l.start:offset]
	l.number += strings.Count(passed, "\n")
	if n := strings.LastIndexByte(passed, '\n'); n >= 0 {
		l.start += n + 1
	}
	l.end = len(l.text)
	if n := strings.IndexByte(l.text[offset:], '\n'); n >= 0 {
		l.end = offset + n + 1
	}
	return true
}

// content returns the line without its end.
func (l *line) content() string {
	return strings.TrimSuffix(strings.TrimSuffix(l.text[l.start:l.end], "\n"), "\r")
}

// search returns a function that finds, from an offset on, the exact text or what
// every match of the expression contains. An offset must not be before a place that
// an earlier one led past. It returns -1 if the text does not follow.
func (p *Pattern) search(text string) func(from int) (start, end int) {
	switch {
	case p.exact == "":
		return func(from int) (start, end int) { return from, from }
	case !p.options.CaseSensitive:
		return p.folded.search(text)
	}
	return func(from int) (start, end int) {
		if start = strings.Index(text[from:], p.exact); start < 0 {
			return -1, -1
		}
		return from + start, from + start + len(p.exact)
	}
}

// accepts reports whether a match is a whole word, if it has to be one.
func (p *Pattern) accepts(m Match) bool {
	if !p.options.WholeWord {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(m.Text[:m.Start])
	after, _ := utf8.DecodeRuneInString(m.Text[m.End:])
	return !isWord(before) && !isWord(after) // U+FFFD, at either end of a line, is none
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}
