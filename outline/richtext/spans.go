package richtext

import (
	"cmp"
	"strings"
)

type spanKind int

const (
	textSpan  spanKind = iota
	codeSpan           // text is literal
	rawSpan            // text is Markdown
	breakSpan          // a line break; no text
)

// span is a piece of a line. Neighbouring spans differ in kind, marks or href.
type span struct {
	kind  spanKind
	text  []byte // can grow, so that many small nodes cost no more than one
	marks marks
	href  string // of the link it is in; "": none
}

// marks is a set of marks.
type marks uint8

const (
	strongMark marks = 1 << iota
	emphasisMark
	strikethroughMark
	underlineMark
	highlightMark
	linkMark // only for the writer
)

var markOf = map[string]marks{
	"strong": strongMark, "em": emphasisMark, "strikethrough": strikethroughMark, "underline": underlineMark, "highlight": highlightMark,
}

// readSpans reads the content of a line. Blocks in it are read as their text.
func readSpans(nodes []Node, depth int) []span {
	var r spanReader
	r.read(nodes, depth)
	for i := range r.spans {
		r.shortenLink(i)
	}
	return r.spans
}

type spanReader struct{ spans []span }

func (r *spanReader) read(nodes []Node, depth int) {
	if depth >= deepest {
		r.text(span{}, textOf(nodes))
		return
	}
	for _, n := range nodes {
		var s span
		for _, m := range n.Marks {
			s.marks |= markOf[m.Type]
			switch m.Type {
			case "code_inline":
				s.kind = codeSpan
			case "link":
				s.href, _ = m.Attrs["href"].(string)
			}
		}
		switch {
		case n.isBreak():
			r.add(span{kind: breakSpan}, "")
		case n.Type == "mention":
			r.mention(s, n)
		case n.Type == "emoji":
			r.emoji(s, n)
		case n.Type == "image":
			s.kind = rawSpan
			r.add(s, "!["+oneLine(n.attr("alt"))+"]("+destination(n.attr("src"))+")")
		case n.Type == "attachment", n.Type == "video", n.Type == "embed":
			s.href = cmp.Or(n.attr("href"), n.attr("src"))
			r.text(s, cmp.Or(n.attr("title"), s.href))
		default:
			if n.isBlock() && len(r.spans) > 0 {
				r.add(span{kind: breakSpan}, "")
			}
			r.text(s, n.Text)
			r.read(n.Content, depth+1)
		}
	}
}

// mention names a person or a group as Outline does, and links to a document
// or collection.
func (r *spanReader) mention(s span, n Node) {
	label := n.attr("label")
	switch n.attr("type") {
	case "document":
		s.href = "/doc/" + n.attr("modelId")
	case "collection":
		s.href = "/collection/" + n.attr("modelId")
	case "issue", "pull_request", "url":
		s.href = n.attr("href")
		label = cmp.Or(label, s.href)
	default:
		label = "@" + label
	}
	r.text(s, label)
}

// emoji names an emoji as Outline's Markdown does, such as :tada:.
func (r *spanReader) emoji(s span, n Node) {
	name := n.attr("data-name")
	simple := name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c > '~' || !isAlphanumeric(byte(c)) && !strings.ContainsRune("+-_", c)
	})
	if simple {
		s.kind = rawSpan
	}
	if name != "" {
		r.text(s, ":"+name+":")
	}
}

// text adds text that may contain line breaks. All line ends are the same in
// Markdown; Outline shows each.
func (r *spanReader) text(s span, text string) {
	text = cleaner.Replace(text)
	for {
		line, rest, found := strings.Cut(text, "\n")
		r.add(s, line)
		if !found {
			return
		}
		if s.kind == codeSpan {
			r.add(s, " ")
		} else {
			r.add(span{kind: breakSpan}, "")
		}
		text = rest
	}
}

// cleaner removes from text what CommonMark would read as something else.
var cleaner = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", " ", "\f", " ", "\x00", "\uFFFD")

// add adds a span, or appends its text to the last one if the two differ in
// nothing else, because the writer only separates spans that differ.
func (r *spanReader) add(s span, text string) {
	if text == "" && s.kind != breakSpan {
		return
	}
	if n := len(r.spans); n > 0 && s.kind != breakSpan {
		last := &r.spans[n-1]
		if last.kind == s.kind && last.marks == s.marks && last.href == s.href {
			last.text = append(last.text, text...)
			return
		}
	}
	s.text = append(s.text, text...)
	r.spans = append(r.spans, s)
}

// shortenLink writes a link whose text is its address as <https://…>.
func (r *spanReader) shortenLink(i int) {
	s := &r.spans[i]
	web := strings.HasPrefix(s.href, "https://") || strings.HasPrefix(s.href, "http://")
	if !web || s.kind != textSpan || string(s.text) != s.href || strings.ContainsFunc(s.href, notInAutolink) ||
		i > 0 && r.spans[i-1].href == s.href || i+1 < len(r.spans) && r.spans[i+1].href == s.href {
		return
	}
	*s = span{kind: rawSpan, text: []byte("<" + s.href + ">"), marks: s.marks}
}

// notInAutolink matches what an address in angle brackets cannot contain
// (CommonMark, section 6.5), and the border of a table's cell.
func notInAutolink(r rune) bool { return r <= ' ' || r == '<' || r == '>' || r == '|' || r == 0x7f }
