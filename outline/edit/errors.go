package edit

import (
	"fmt"
	"slices"
	"strings"

	"outline-mcp/internal/text"
	"outline-mcp/outline/prosemirror"
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
	Count  int     // over 1,000 if there are more than that
	Places []Place // the first ten occurrences, each with its line, shortened if it is long

	wanted string
}

// An EditError reports which of several edits failed.
type EditError struct {
	Index int   // of the edit, from 0
	Err   error // a [*NotFoundError], an [*AmbiguousError], or another error for a passage that cannot be searched
}

func newAmbiguousError(text, old string, count int, found []Match) *AmbiguousError {
	e := &AmbiguousError{Count: count, wanted: beginning(old)}
	for _, m := range found {
		line := excerpt(text, Match{Start: m.Start, End: m.Start}, m.Start, longestPlace/2)
		e.Places = append(e.Places, Place{lineNumber(text, m.Start), text[line.Start:line.End]})
	}
	return e
}

// Error implements error. The similar passages follow on their own lines, as
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
	count := fmt.Sprint(e.Count)
	if e.Count > mostCounted {
		count = "more than 1,000"
	}
	fmt.Fprintf(&b, "old_text \"%s\" occurs %s times. Include more of the text around the one you mean, so that it occurs once.", e.wanted, count)
	switch {
	case len(e.Places) == e.Count:
		b.WriteString(" They are:")
	case len(e.Places) > 0:
		fmt.Fprintf(&b, " The first %d:", len(e.Places))
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

// A RefusedError says why no request makes a change exactly.
type RefusedError struct {
	Reason  string // a clause without a capital or a full stop, in terms of the document
	Instead string // a sentence that says what would work; may be empty
}

func (e *RefusedError) Error() string {
	if e.Instead == "" {
		return e.Reason
	}
	return e.Reason + ". " + e.Instead
}

// unclosedBlock returns the refusal of text with which the last of the blocks is open.
func unclosedBlock(text string, blocks []*prosemirror.Node) error {
	name, sign := "block", "its closing line"
	if len(blocks) > 0 {
		switch blocks[len(blocks)-1].Type {
		case prosemirror.CodeBlock:
			name, sign = "code block", "```"
		case prosemirror.Notice:
			name, sign = "callout", ":::"
		case prosemirror.Toggle:
			name, sign = "toggle", "+++"
		case prosemirror.MathBlock:
			name, sign = "math block", "$$"
		}
	}
	isSign := func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t>"), sign) }
	if slices.ContainsFunc(strings.Split(text, "\n"), isSign) && !opens(text) {
		return &RefusedError{
			Reason:  "a line of " + sign + " in the new text closes the " + name + " around it, and that block's own closing line would open another",
			Instead: "Put text with such lines after the " + name + ".",
		}
	}
	if name != "block" {
		sign = "a line of " + sign
	}
	return &RefusedError{
		Reason:  "the new text leaves a " + name + " open, which would take in what follows",
		Instead: "Close it with " + sign + " in the new text.",
	}
}

// notMarkdown returns the refusal of a change to blocks, or next to blocks,
// that are not what their Markdown means.
func notMarkdown(blocks, meant []*prosemirror.Node) *RefusedError {
	e := &RefusedError{
		Reason:  "the passage holds formatting that Outline would not read back from its Markdown",
		Instead: "Change only plain words there, or edit it in Outline.",
	}
	for i, block := range blocks {
		if i < len(meant) && alike(block, meant[i]) {
			continue
		}
		what := special(block)
		if plain := []*prosemirror.Node{bare(block)}; what == "" && !prosemirror.Equal(plain[0], block) && allAlike(parse(serialize(plain)), plain) {
			what = "a comment on part of a formatted text, which Outline would split there"
		}
		if what != "" {
			e.Reason = "the " + block.Name() + " holds " + what
			break
		}
	}
	return e
}

// special names the content of a block that Markdown cannot express.
func special(n *prosemirror.Node) string {
	switch n.Type {
	case prosemirror.Mention:
		if kind := n.Attrs.String("type"); kind == "document" || kind == "collection" {
			return "a mention of a " + kind + ", which Outline would turn into a link"
		} else if kind == "date" {
			return "a mention of a date, which Outline would change"
		}
	case prosemirror.TableCell, prosemirror.TableHeader:
		if n.Attrs.Number("colspan") > 1 || n.Attrs.Number("rowspan") > 1 {
			return "merged cells, which Outline would split"
		}
	case prosemirror.CodeFence:
		return "a code block of a kind that Outline would replace by another"
	case prosemirror.Image:
		if one := []*prosemirror.Node{{Type: prosemirror.Paragraph, Content: []*prosemirror.Node{n}}}; !allAlike(parse(strings.TrimPrefix(serialize(one), " ")), one) {
			return "an image that Outline would change"
		}
	}
	for _, child := range n.Content {
		if found := special(child); found != "" {
			return found
		}
	}
	return ""
}
