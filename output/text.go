package output

import (
	"encoding/json"
	"fmt"
	"strings"
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
// size does not count towards Renderer.MaxChars.
type Attached interface {
	Result
	Content() []mcp.Content
}

// Text builds the text of a result. The zero value is ready to use; a nil Text
// discards everything.
type Text struct {
	b      strings.Builder
	offers Offers
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
	if t != nil {
		fmt.Fprintf(&t.b, format, args...)
		t.b.WriteByte('\n')
	}
}

// Advice appends a formatted line as far as its advice can be followed, if any of
// it is left: see [Offers.Advise]. Arguments are numbers, counts and IDs.
func (t *Text) Advice(format string, args ...any) {
	if t == nil {
		return
	}
	if advice := t.offers.Advise(fmt.Sprintf(format, args...)); advice != "" {
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
	if t == nil {
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
