package output

import (
	"fmt"
	"strings"

	"outline-mcp/internal/text"
)

// Result is what a tool returns: its exported fields are the structured
// content, WriteText writes the same facts as Markdown.
type Result interface {
	WriteText(*Text)
}

// Text collects the text rendering of a result. The zero value is ready to use;
// a nil Text discards what is written to it.
type Text struct {
	b strings.Builder
}

// If returns t if the condition holds, and otherwise a Text that discards what
// is written to it.
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

// Blank ends the line, or appends an empty one at the start of a line.
func (t *Text) Blank() {
	if t != nil {
		t.b.WriteByte('\n')
	}
}

// Block appends text that came from outside as it is, without interpreting it.
func (t *Text) Block(s string) {
	if t == nil {
		return
	}
	t.b.WriteString(s)
	if !strings.HasSuffix(s, "\n") {
		t.b.WriteByte('\n')
	}
}

// String returns the text without the newlines at its end.
func (t *Text) String() string {
	return strings.TrimRight(t.b.String(), "\n")
}

// OneLine returns s with every run of white space replaced by one space, so
// that a value from outside cannot start a line of its own in a list.
func OneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

// Quote returns s on one line between quotes, as it is: the text is for
// reading, and escapes would make it differ from the structured content.
func Quote(s string) string { return `"` + OneLine(s) + `"` }

// Count returns n and the noun that goes with it: "1 match", "2 matches".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Ellipsis stands where a text was cut.
const Ellipsis = "…"

// Excerpt returns s on one line, and at most limit code points of it, with an
// Ellipsis where it was cut.
func Excerpt(s string, limit int) string {
	return text.Truncate(OneLine(s), limit)
}
