package prosemirror

import (
	"slices"
	"strings"
)

// SameContent reports whether two texts have the same content: one is what Outline
// stores for the other, or it stores the same document for both, apart from
// differences in form. These are:
//
//   - empty paragraphs, and white space, of which a run counts as one blank
//   - typographic and plain quotation marks
//   - the marks of a rule
//   - bold, italic, underlined text and inline code
//   - links whose text is their address
//
// In code and mathematics, only white space at the end of a text is form.
func SameContent(a, b string) bool {
	a, b = trimRight(a), trimRight(b)
	if a == b {
		return true
	}
	x := Parse(a)
	if ToText(x) == b {
		return true
	}
	y := Parse(b)
	return ToText(y) == a || ToText(withoutForm(x)) == ToText(withoutForm(y))
}

func trimRight(text string) string { return strings.TrimRightFunc(text, isSpaceRune) }

// withoutForm returns a document without what SameContent does not count.
func withoutForm(doc *Node) *Node {
	return foldForm(doc.WithoutMarks(Strong, Emphasis, Underline, Code))
}

func foldForm(n *Node) *Node {
	folded := *n
	switch n.Type {
	case CodeBlock, CodeFence, MathBlock, MathInline:
		return n
	case Rule:
		folded.Attrs = dashAttrs
	case Text:
		folded.Text = blanks.get().ReplaceAllString(plainQuotes.Replace(n.Text), " ")
		folded.Marks = slices.DeleteFunc(slices.Clone(n.Marks), func(m Mark) bool {
			return m.Type == Link && isAddressOf(m.Attrs.String("href"), n.Text)
		})
	}
	folded.Content = nil
	for _, child := range n.Content {
		if child.Type != Paragraph || len(child.Content) > 0 {
			folded.Content = append(folded.Content, foldForm(child))
		}
	}
	return &folded
}

var plainQuotes = strings.NewReplacer(
	"‘", `"`, "’", `"`, "‚", `"`, "‛", `"`, "“", `"`, "”", `"`, "„", `"`, "‟", `"`, "'", `"`,
)

var blanks = pattern{expression: space + `+`}

// isAddressOf reports whether a text is the address of a link, with or without the
// scheme and a slash at its end.
func isAddressOf(href, text string) bool {
	for _, scheme := range []string{"", "mailto:", "http://", "https://"} {
		if rest, ok := strings.CutPrefix(href, scheme); ok && strings.TrimSuffix(rest, "/") == strings.TrimSuffix(text, "/") {
			return true
		}
	}
	return false
}
