package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	forms "outline-mcp/internal/text"
)

// MaxPattern is the maximum length of a pattern, in code points.
const MaxPattern = 500

// maxProgram is the maximum number of instructions of a compiled expression. The
// time for a text is proportional to it.
const maxProgram = 2000

// A text whose length times the instructions is below quickly takes milliseconds.
const quickly = 1 << 20

// Options tell how a pattern is meant.
type Options struct {
	Regex         bool // the pattern is a regular expression, not exact text
	CaseSensitive bool
	// WholeWord accepts a match only if no letter, number, mark or underscore is
	// beside it. Of an expression, these are the matches that it has without
	// WholeWord.
	WholeWord bool
}

// A Pattern finds exact text and regular expressions in the lines of a text. It is safe
// for concurrent use.
//
// Expressions are RE2 (https://github.com/google/re2/wiki/Syntax, as package regexp
// has it), which takes time linear in the length of the text, and see one line at a
// time. Differences of case are those of Unicode's simple case folding, as in
// [strings.EqualFold].
//
// Exact text with a letter or a digit is found in all forms of its characters, as
// [forms.Fold] knows them: with composed and decomposed letters, typographic quotation
// marks or other blanks, for example; and, if it has no backslash, with those of Markdown
// before its signs. Other text is one of these signs itself. An expression with
// characters beyond ASCII is only compared in composed form.
type Pattern struct {
	options Options
	exact   string         // the pattern; with Regex, what each match contains, or ""
	folded  caseless       // the same for comparisons without case
	re      *regexp.Regexp // the pattern with Regex, or nil
	next    *regexp.Regexp // one character, and the first match of re behind it as the first group
	size    int            // of re, in instructions
	form    func(text string) forms.Folded
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
		form := asIs
		if plain := forms.Fold(pattern).Text; strings.ContainsFunc(plain, isLetterOrDigit) {
			pattern, form = plain, forms.FoldMarkdown
			if strings.Contains(pattern, `\`) {
				form = forms.Fold
			}
		}
		return &Pattern{options: o, exact: pattern, folded: fold(pattern), form: form}, nil
	}
	form := asIs
	if utf8.RuneCountInString(pattern) < len(pattern) {
		pattern, form = forms.Compose(pattern).Text, forms.Compose
	}
	flags := syntax.Perl
	if !o.CaseSensitive {
		flags |= syntax.FoldCase
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
	next, err := regexp.Compile(`^(?s:..*?)(` + parsed.String() + `)`)
	if err != nil {
		return nil, fmt.Errorf("the regular expression cannot be used: %w", err)
	}
	contained := rarest(literals(parsed, o.CaseSensitive))
	return &Pattern{options: o, exact: contained, folded: fold(contained), re: regexp.MustCompile(parsed.String()), next: next, size: len(program.Inst), form: form}, nil
}

// Loose returns a pattern that finds the exact text without regard to accents and emoji, or
// nil if there is none: for an expression, or a comparison with case.
func (p *Pattern) Loose() *Pattern {
	loose := *p
	loose.exact = strings.TrimSpace(forms.FoldLoosely(p.exact).Text)
	if p.re != nil || p.options.CaseSensitive || !strings.ContainsFunc(loose.exact, isLetterOrDigit) {
		return nil
	}
	loose.folded, loose.form = fold(loose.exact), forms.FoldLoosely
	return &loose
}

func asIs(text string) forms.Folded { return forms.Folded{Text: text} }

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// A Match is a part of a line that a pattern matches. It is never empty.
type Match struct {
	Line, Column int    // of its first code point, from 1; a line ends with "\n" or "\r\n"
	Text         string // of the line
	Start, End   int    // offsets in Text, in bytes
}

// Matches yields the matches in a text from the first to the last. They do not
// overlap. It stops without an error when ctx ends.
func (p *Pattern) Matches(ctx context.Context, text string) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		folded := p.form(text)
		next := p.search(folded.Text)
		for l := (line{text: folded.Text, number: 1}); ; {
			start, _ := next(l.end)
			if start < 0 || ctx.Err() != nil || !l.moveTo(start) || !p.matchesOf(ctx, l, next, l.inOriginal(text, folded, yield)) {
				return
			}
		}
	}
}

// matchesOf yields the matches in a line and reports whether more are wanted.
func (p *Pattern) matchesOf(ctx context.Context, l line, next func(from int) (start, end int), yield func(Match) bool) bool {
	m := Match{Line: l.number, Text: l.content()}
	if p.re == nil {
		for from := l.start; ; {
			start, end := next(from)
			if start < 0 || start >= l.end {
				return true
			}
			m.Start, m.End = start-l.start, end-l.start
			if p.accepts(m) {
				if !yield(m) {
					return false
				}
				from = end
				continue
			}
			_, size := utf8.DecodeRuneInString(l.text[start:])
			from = start + size
		}
	}
	for from, re, group := 0, p.re, 0; ; re, group = p.next, 2 {
		var place []int
		if text := m.Text[from:]; len(text)*p.size < quickly {
			place = re.FindStringSubmatchIndex(text)
		} else {
			place = re.FindReaderSubmatchIndex(&endingReader{ctx: ctx, Reader: strings.NewReader(text)})
		}
		if place == nil || ctx.Err() != nil { // the end of a text that was cut may match by mistake
			return true
		}
		m.Start, m.End = from+place[group], from+place[group+1]
		if from = m.End; m.Start < m.End {
			if p.accepts(m) && !yield(m) {
				return false
			}
			_, size := utf8.DecodeLastRuneInString(m.Text[:from])
			from -= size
		}
	}
}

// An endingReader is at its end once ctx is.
type endingReader struct {
	ctx context.Context
	*strings.Reader
	read int
}

func (r *endingReader) ReadRune() (rune, int, error) {
	if r.read++; r.read%1024 == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return r.Reader.ReadRune()
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

// inOriginal returns a function that yields a match in the line as the original text has
// it.
func (l *line) inOriginal(text string, folded forms.Folded, yield func(Match) bool) func(Match) bool {
	start, _ := folded.Original(l.start, l.start)
	original := line{text: text, start: strings.LastIndexByte(text[:start], '\n') + 1, end: len(text)}
	if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
		original.end = start + n + 1
	}
	content, column, counted := original.content(), 1, 0
	return func(m Match) bool {
		from, to := folded.Original(l.start+m.Start, l.start+m.End)
		m.Text, m.Start, m.End = content, from-original.start, to-original.start
		column += utf8.RuneCountInString(content[counted:m.Start])
		m.Column, counted = column, m.Start
		return yield(m)
	}
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

// explained says what is wrong with an expression, and at which character. The
// parser tells only what it stopped at.
func explained(pattern string, err error) error {
	problem, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return fmt.Errorf("the regular expression cannot be used: %w", err)
	}
	at := flaw(pattern, problem.Expr)
	text := fmt.Sprintf("the regular expression has an error at character %d: %s", utf8.RuneCountInString(pattern[:at])+1, problem.Code)
	switch problem.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen: // the parser names the whole expression
	case syntax.ErrInvalidPerlOp:
		text += fmt.Sprintf(" %q; RE2 has no lookahead, lookbehind or backreferences", problem.Expr)
	default:
		text += fmt.Sprintf(" %q", problem.Expr)
	}
	return errors.New(text)
}

// matchesOnlyEmpty reports whether an expression matches no character, as ^ or \b.
func matchesOnlyEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !matchesOnlyEmpty(sub) })
}

// flaw returns the offset of what the parser does not accept: where the expression
// stops being one, or the beginning of what the parser names there.
func flaw(pattern, named string) int {
	valid := len(pattern)
	for valid > 0 {
		_, size := utf8.DecodeLastRuneInString(pattern[:valid])
		valid -= size
		if _, err := syntax.Parse(pattern[:valid], syntax.Perl); err == nil {
			break
		}
	}
	if named == "" || named == pattern {
		return valid
	}
	for at := 0; ; at++ {
		n := strings.Index(pattern[at:], named)
		if n < 0 {
			return valid
		}
		if at += n; at+len(named) > valid {
			return at
		}
	}
}
