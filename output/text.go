// Package output turns the result of a tool into an MCP result.
//
// A tool returns one Go value. Its exported fields are the structured content
// and its WriteText method writes the text; both carry the same facts. The
// package derives the JSON Schema of the value, checks each answer against it,
// and keeps answers within the size limit. A long answer ends with a cursor, by
// which the client continues with it.
//
// An error of the Outline client becomes a [Failure], which says what happened and
// what to do next, in terms of this server's settings and tools. That is all that the
// package knows about Outline.
package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"outline-mcp/internal/text"
)

// Result is the result of a tool. Its exported fields are the structured
// content; WriteText writes the same facts as Markdown.
type Result interface {
	WriteText(*Text)
}

// Attached is a Result with content that follows its text, such as an image. Its
// size does not count towards Renderer.MaxBytes.
type Attached interface {
	Result
	Content() []mcp.Content
}

// Text builds the text of a result. The zero value is ready to use; a nil Text
// discards everything.
type Text struct {
	b         strings.Builder
	available Available
	json      bool // clients read the text as such
	brief     bool // without foreign text
}

// If returns t if the condition is true, and otherwise a Text that discards
// everything.
func (t *Text) If(condition bool) *Text {
	if condition {
		return t
	}
	return nil
}

// Printf appends formatted text.
func (t *Text) Printf(format string, args ...any) {
	if t != nil {
		fmt.Fprintf(&t.b, format, args...)
	}
}

// Line appends formatted text and ends the line.
func (t *Text) Line(format string, args ...any) {
	t.Printf(format, args...)
	t.Blank()
}

// Advice appends a formatted line as far as its advice can be followed, if any of
// it is left: see [Available.Advise]. Arguments are numbers, counts and IDs.
func (t *Text) Advice(format string, args ...any) {
	if t == nil {
		return
	}
	if advice := t.available.Advise(fmt.Sprintf(format, args...)); advice != "" {
		t.Line("%s", advice)
	}
}

// Blank appends a line break: it ends a line or, at the start of one, appends
// an empty line.
func (t *Text) Blank() {
	if t != nil {
		t.b.WriteByte('\n')
	}
}

// Block appends foreign text, such as a document's, without interpreting it.
func (t *Text) Block(s string) {
	if t == nil || t.brief {
		return
	}
	t.b.WriteString(s)
	if !strings.HasSuffix(s, "\n") {
		t.b.WriteByte('\n')
	}
}

// JSON appends a value as JSON, for clients that read the text of an answer as such.
// The value must be one that encoding/json can encode.
func (t *Text) JSON(v any) {
	if t == nil {
		return
	}
	t.json = true
	e := json.NewEncoder(&t.b)
	e.SetEscapeHTML(false) // models read it
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode %T: %s", v, err))
	}
}

// String returns the text without trailing line breaks.
func (t *Text) String() string {
	return strings.TrimRight(t.b.String(), "\n")
}

// OneLine returns the [Label] of s with runs of white space replaced by single
// spaces, so that a foreign value cannot begin a new line in a list.
func OneLine(s string) string {
	if isOneLine(s) {
		return s
	}
	return strings.Join(strings.Fields(Label(s)), " ")
}

// isOneLine reports whether OneLine changes nothing, as in most titles and names.
func isOneLine(s string) bool {
	afterSpace := true // a space at the start is removed, as one after another is
	for _, r := range s {
		if r != ' ' && (r == utf8.RuneError || unicode.IsSpace(r) || isControl(r)) || r == ' ' && afterSpace {
			return false
		}
		afterSpace = r == ' '
	}
	return !afterSpace || s == ""
}

// Quote returns s on one line in quotation marks. A quotation mark or backslash in
// it is escaped by a backslash, so that a foreign value cannot end its own
// quotation and continue with text of its own.
func Quote(s string) string { return `"` + escapes.Replace(OneLine(s)) + `"` }

var escapes = strings.NewReplacer(`"`, `\"`, `\`, `\\`)

// Count returns n with the matching form of a noun: "1 match", "2 matches".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Ellipsis marks the place where a text was cut.
const Ellipsis = "…"

// Excerpt returns s on one line, cut to limit code points and marked with an
// Ellipsis if it is longer.
func Excerpt(s string, limit int) string {
	return text.Truncate(OneLine(s), limit)
}

// isControl reports whether a character controls a terminal, or the direction of
// the text that follows it, instead of being shown. Marks that only give a
// direction to their own place, as Hebrew and Arabic texts use them, are none.
func isControl(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Label returns s, such as a title or a name, without control characters: a space
// in place of each that is white space, U+FFFD in place of the others, so that
// different names stay different. Answers hold titles and names only in this form.
func Label(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && (unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)):
			return ' '
		case isControl(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Visible returns s with its control characters as escapes, such as \u001b, for a
// terminal. Tabs and line breaks stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isHidden(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isHidden(r rune) bool { return isControl(r) && r != '\n' && r != '\t' }

// forms says how dates are given.
const forms = ": give a date (2026-05-31, 2026-05, yesterday, last week), a date-time (2026-05-31T09:00Z) or a duration back from now (12h, 7d, 2w, 3m, 1y)"

var (
	errNoDate        = errors.New("is not a date" + forms)
	errNotInCalendar = errors.New("is not a calendar date" + forms)
)

var (
	looksLikeDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:[T ]|$)`) })
	duration      = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d{1,5}) ?(h|hours?|d|days?|w|weeks?|m|months?|y|years?)(?: ago)?$`)
	})
)

// ParseDate reads a date or a month (its first moment in UTC), a day, week, month or year by
// its name, such as yesterday or last week (the same), a date-time (in UTC if it has no zone),
// or a duration back from now, in which m stands for months. Units may be spelled out,
// and "ago" may follow. The result is in UTC and in the years 1970 to 9999: what is
// outside of them is moved to their first or last moment.
//
// The text of an error continues a sentence that begins with the given value, and lists
// the forms.
func ParseDate(given string, now time.Time) (time.Time, error) {
	text := strings.ToUpper(strings.TrimSpace(given))
	for _, layout := range []string{
		time.DateOnly, "2006-01", time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return clamp(t), nil
		}
	}
	if t, named := beginningOf(strings.Join(strings.Fields(strings.ToLower(text)), " "), now.UTC()); named {
		return clamp(t), nil
	}
	parts := duration().FindStringSubmatch(strings.ToLower(text))
	if parts == nil {
		if looksLikeDate().MatchString(text) {
			if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err != nil {
				return time.Time{}, errNotInCalendar
			}
		}
		return time.Time{}, errNoDate
	}
	n, _ := strconv.Atoi(parts[1]) // at most five digits
	switch parts[2][0] {
	case 'h':
		now = now.Add(-time.Duration(n) * time.Hour)
	case 'd':
		now = now.AddDate(0, 0, -n)
	case 'w':
		now = now.AddDate(0, 0, -7*n)
	case 'm':
		now = monthsBefore(now, n)
	case 'y':
		now = monthsBefore(now, 12*n)
	}
	return clamp(now), nil
}

// beginningOf returns the first moment of a day, week, month or year that is named by its
// distance from now. Weeks begin on Monday.
func beginningOf(name string, now time.Time) (t time.Time, named bool) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	week := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	year := time.Date(now.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	t, named = map[string]time.Time{
		"now": now, "today": day, "yesterday": day.AddDate(0, 0, -1),
		"this week": week, "last week": week.AddDate(0, 0, -7),
		"this month": month, "last month": month.AddDate(0, -1, 0),
		"this year": year, "last year": year.AddDate(-1, 0, 0),
	}[name]
	return t, named
}

// monthsBefore returns the same day of the month n months earlier, or the last day of
// that month if it has no such day.
func monthsBefore(t time.Time, n int) time.Time {
	before := t.AddDate(0, -n, 0)
	if before.Day() != t.Day() {
		before = before.AddDate(0, 0, -before.Day())
	}
	return before
}

// clamp keeps the zero time and years that databases do not have out of filters.
func clamp(t time.Time) time.Time {
	first, last := time.Unix(0, 0), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	switch {
	case t.Before(first):
		t = first
	case t.After(last):
		t = last
	}
	return t.UTC()
}

// Available reports whether a text may name a tool: it returns false for one that
// a client is not offered, and true for any other word. nil available every tool.
type Available func(word string) bool

// Advise returns a text of the program's own as far as its advice can be
// followed. A part in square brackets is left out if it names a tool that is
// not offered; [a|b] holds alternatives, of which the first that can be followed
// is kept. If the rest of the text names such a tool, Advise returns "". Of a
// list of names, as in "x_y, x_z or y_z", those that are offered suffice.
//
// Do not pass text from a document or a caller, which can contain brackets.
func (a Available) Advise(text string) string {
	var advice strings.Builder
	for text != "" {
		plain, marked, _ := strings.Cut(text, "[")
		part, rest, _ := strings.Cut(marked, "]")
		says, ok := a.narrow(plain)
		if !ok {
			return ""
		}
		advice.WriteString(says)
		for alternative := range strings.SplitSeq(part, "|") {
			if says, ok := a.narrow(alternative); ok {
				advice.WriteString(says)
				break
			}
		}
		text = rest
	}
	return advice.String()
}

// names matches names of tools, and lists of alternatives.
var names = sync.OnceValue(func() *regexp.Regexp {
	const name = `[a-z]+(?:_[a-z]+)+`
	return regexp.MustCompile(name + `(?:(?:, ` + name + `)* or ` + name + `)?`)
})

// narrow removes the tools that are not offered from lists of alternatives in a
// text. It reports whether all other tools that the text names are offered.
func (a Available) narrow(text string) (_ string, ok bool) {
	if a == nil || a.all(text) {
		return text, true
	}
	ok = true
	text = names().ReplaceAllStringFunc(text, func(list string) string {
		var offered []string
		for name := range strings.SplitSeq(strings.ReplaceAll(list, " or ", ", "), ", ") {
			if a(name) {
				offered = append(offered, name)
			}
		}
		last := len(offered) - 1
		if last < 0 {
			ok = false
			return ""
		}
		if last == 0 {
			return offered[0]
		}
		return strings.Join(offered[:last], ", ") + " or " + offered[last]
	})
	return text, ok
}

// all reports whether every tool that a text names is offered, as is the case for most
// texts. It spares the start of the program a regular expression.
func (a Available) all(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.Contains(word, "_") && !a(strings.Trim(word, "_")) {
			return false
		}
	}
	return true
}
