package passage

import (
	"fmt"
	"strings"

	"outline-mcp/internal/text"
)

// A Place is a part of a text.
type Place struct {
	Line int    // line on which it starts, from 1; lines end with "\n" or "\r\n"
	Text string // the stored text, cut at about 400 code points
}

// A NotFoundError reports a passage that does not occur.
type NotFoundError struct {
	Nearest []Place // up to three similar passages, the most similar first

	wanted string // how the passage begins
}

// An AmbiguousError reports a passage that occurs more than once.
type AmbiguousError struct {
	Count  int
	Places []Place // the first ten occurrences, each with its line, shortened if it is long

	wanted string
}

// An EditError reports which of several edits failed.
type EditError struct {
	Index int   // of the edit, from 0
	Err   error // a [*NotFoundError], an [*AmbiguousError], or another error for a passage that cannot be searched
}

func newNotFoundError(text, old string) *NotFoundError {
	return &NotFoundError{Nearest: nearest(text, old), wanted: beginning(old)}
}

func newAmbiguousError(text, old string, count int, found []Match) *AmbiguousError {
	e := &AmbiguousError{Count: count, wanted: beginning(old)}
	for _, m := range found {
		line := excerpt(text, Match{Start: m.Start, End: m.Start}, m.Start, longestPlace/2)
		e.Places = append(e.Places, Place{lineNumber(text, m.Start), text[line.Start:line.End]})
	}
	return e
}

// Error implements error. The similar passages follow on lines of their own, as
// they are stored.
func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the document has no passage \"%s\", not even with other quotation marks, bullets, escapes, line ends or blank lines.", e.wanted)
	if len(e.Nearest) == 0 {
		b.WriteString(" Nothing in it is similar. Read the document, and copy old_text from it.")
		return b.String()
	}
	b.WriteString(" Copy old_text exactly as it stands in the document, Markdown marks included. The nearest:")
	writePlaces(&b, e.Nearest)
	return b.String()
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "old_text \"%s\" occurs %d times. Include more of the text around the one you mean, so that it occurs once.", e.wanted, e.Count)
	if len(e.Places) < e.Count {
		fmt.Fprintf(&b, " The first %d:", len(e.Places))
	} else {
		b.WriteString(" They are:")
	}
	writePlaces(&b, e.Places)
	return b.String()
}

// Error implements error.
func (e *EditError) Error() string { return fmt.Sprintf("edits[%d]: %v", e.Index, e.Err) }

// Unwrap returns Err.
func (e *EditError) Unwrap() error { return e.Err }

func writePlaces(b *strings.Builder, places []Place) {
	for _, p := range places {
		between := " "
		if strings.Contains(p.Text, "\n") {
			between = "\n" // the first line stands as it is, too
		}
		fmt.Fprintf(b, "\nline %d:%s%s", p.Line, between, p.Text)
	}
}

// beginning returns the first words of a passage on one line.
func beginning(old string) string {
	old = strings.TrimSpace(old)
	end := text.Offset(old, 100)
	shown := strings.Join(strings.Fields(old[:end]), " ")
	if end < len(old) {
		shown += "…"
	}
	return shown
}
