package prosemirror

import (
	"slices"
	"strings"
)

// isMixable reports whether marks of the type may be nested in any order, and
// exclude blanks at their ends.
func isMixable(m Mark) bool {
	switch m.Type {
	case Comment, Strong, Emphasis, Underline, Strikethrough, Highlight, Placeholder:
		return true
	}
	return false
}

// sign returns what opens or closes a mark before the node at index.
func (w *inlineWriter) sign(mark Mark, open bool, index int) string {
	switch mark.Type {
	case Strong:
		return "**"
	case Emphasis:
		return "*"
	case Underline:
		return "__"
	case Strikethrough:
		return "~~"
	case Highlight:
		return "=="
	case Placeholder:
		return "!!"
	case Code:
		if open {
			return codeSign(w.parent.Content[index], true)
		}
		return codeSign(w.parent.Content[index-1], false)
	case Link:
		return w.linkSign(mark, open, index)
	}
	return ""
}

func (w *inlineWriter) linkSign(mark Mark, open bool, index int) string {
	href := mark.Attrs.String("href")
	title := mark.Attrs.String("title")
	bare := title == "" && hasScheme(href) && w.showsURL(mark, href, open, index)
	switch {
	case bare && open:
		return "<"
	case bare:
		return ">"
	case open:
		return "["
	}
	sign := "](" + escapeMarkdown(href, false, w.s.inTable)
	if title != "" {
		switch {
		case strings.IndexByte(title, '"') < 0:
			sign += ` "` + title + `"`
		case strings.IndexByte(title, '\'') < 0:
			sign += " '" + title + "'"
		default:
			sign += " (" + title + ")"
		}
	}
	return sign + ")"
}

func hasScheme(href string) bool {
	for i := range len(href) {
		if href[i] == ':' {
			return i > 0
		}
		if !isAlphanumeric(href[i]) && href[i] != '_' {
			return false
		}
	}
	return false
}

// showsURL reports whether a link's text is its URL and nothing else.
func (w *inlineWriter) showsURL(mark Mark, href string, open bool, index int) bool {
	nodes := w.parent.Content
	at, next := index, index+1
	if !open {
		at, next = index-1, index-2
		if w.opened[len(w.opened)-1] != at {
			return false
		}
	}
	if n := nodes[at]; !n.IsText() || n.Text != href || !n.Marks[len(n.Marks)-1].Is(mark) {
		return false
	}
	if next < 0 || next >= len(nodes) {
		return true
	}
	return !slices.ContainsFunc(nodes[next].Marks, mark.Is)
}

// codeSign returns one backtick more than the longest run in the text, with a
// blank if the text contains any.
func codeSign(n *Node, open bool) string {
	longest := longestTicks(n.Text)
	if longest == 0 {
		return "`"
	}
	sign := strings.Repeat("`", longest+1)
	if open {
		return sign + " "
	}
	return " " + sign
}

// longestTicks is the length of the longest run of backticks.
func longestTicks(s string) int {
	longest := 0
	for {
		at := strings.IndexByte(s, '`')
		if at < 0 {
			return longest
		}
		s = s[at:]
		rest := strings.TrimLeft(s, "`")
		longest = max(longest, len(s)-len(rest))
		s = rest
	}
}

// enclosingBlanks splits the blanks off both ends of a text. If the text has
// several lines, it uses only the first, and the others are lost.
func enclosingBlanks(text string) (lead, inner, trail string) {
	inner = strings.TrimLeftFunc(text, isSpaceRune)
	lead = text[:len(text)-len(inner)]
	if strings.ContainsAny(inner, "\n\r\u2028\u2029") {
		return firstLine(lead, inner)
	}
	bare := strings.TrimRightFunc(inner, isSpaceRune)
	return lead, bare, inner[len(bare):]
}

// firstLine is enclosingBlanks for a text of several lines.
func firstLine(lead, rest string) (string, string, string) {
	for q := 0; q < len(rest); {
		r := rest[q:]
		run := len(r) - len(strings.TrimLeftFunc(r, isSpaceRune))
		if run == 0 {
			q += runeLength(r)
			continue
		}
		if q+run == len(rest) {
			return lead, rest[:q], r
		}
		if at := strings.LastIndexAny(r[:run], "\n\r\u2028\u2029"); at >= 0 {
			return lead, rest[:q], r[:at]
		}
		q += run
	}
	return lead, rest, ""
}
