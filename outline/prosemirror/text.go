package prosemirror

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TextContent returns the text that Outline sees in a node, without marks: that
// of its text nodes, the text by which breaks and mentions count, and nothing
// for emoji and images.
func (n *Node) TextContent() string {
	var out strings.Builder
	n.appendText(&out)
	return out.String()
}

func (n *Node) appendText(out *strings.Builder) {
	switch {
	case n.IsText():
		out.WriteString(n.Text)
	case n.IsLeaf():
		out.WriteString(n.leafText())
	default:
		for _, child := range n.Content {
			child.appendText(out)
		}
	}
}

// leafText returns the text that represents a node without content.
func (n *Node) leafText() string {
	switch n.Type {
	case Break:
		return "\n"
	case Mention:
		if n.Attrs.String("type") == "user" {
			return "@" + scriptString(n, "label")
		}
		return mentionLabel(n)
	case Emoji:
		return emojiText(n.Attrs.String("data-name"))
	case Image:
		if alt := n.Attrs.String("alt"); alt != "" {
			return "(image: " + alt + ")"
		}
		return "(image)"
	case Attachment, Video:
		return n.Attrs.String("title")
	case Embed:
		return n.Attrs.String("href")
	}
	return ""
}

// mentionLabel returns the label with which a mention is shown and written. The
// label of a date is generated from the date, in English, without the current
// year.
func mentionLabel(n *Node) string {
	if n.Attrs.String("type") == "date" {
		if label, ok := dateLabel(n.Attrs.String("modelId"), time.Now().Year()); ok {
			return label
		}
		id, _ := n.Attrs.Get("modelId")
		if id, ok := id.(string); ok {
			return id
		}
	}
	return scriptString(n, "label")
}

func dateLabel(iso string, year int) (label string, ok bool) {
	date, err := time.Parse(time.DateOnly, iso)
	clock := ""
	if err != nil {
		if date, err = time.Parse("2006-01-02T15:04", iso); err != nil {
			return "", false
		}
		clock = date.Format(" at 3:04 PM")
	}
	suffix := "th"
	if day := date.Day(); day < 11 || day > 13 {
		switch day % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	label = date.Format("January 2") + suffix
	if date.Year() != year {
		label += date.Format(", 2006")
	}
	return label + clock, true
}

// Size returns the length of a node in ProseMirror's positions: the UTF-16
// units of text, one for a leaf, and two around the content of any other node.
func (n *Node) Size() int {
	switch {
	case n.IsText():
		return length16(n.Text)
	case n.IsLeaf():
		return 1
	}
	return 2 + sizeOf(n.Content)
}

func sizeOf(content []*Node) int {
	size := 0
	for _, child := range content {
		size += child.Size()
	}
	return size
}

// scriptString returns an attribute as JavaScript converts it to a string.
func scriptString(n *Node, name string) string {
	value, ok := n.Attrs.Get(name)
	switch value := value.(type) {
	case string:
		return value
	case float64:
		return string(appendValue(nil, value)) // as in JSON
	case bool:
		return strconv.FormatBool(value)
	case nil:
		if !ok {
			return "undefined"
		}
		return "null"
	}
	return ""
}

// PlainText returns the text of a document, or of a single block, in which Outline
// looks for the passage of a comment: without marks, each paragraph, heading and code
// block on its own line.
func PlainText(n *Node) string {
	var r plainReader
	r.block(n)
	return r.out.String()
}

// A plainReader writes the plain text of blocks.
type plainReader struct {
	out   strings.Builder
	began bool // a line has begun

	// rewrite returns what takes the place of an inline node whose text begins
	// at an offset of the plain text. It is called for the nodes of a block in
	// order. Nil changes nothing.
	rewrite func(n *Node, index, start int) []*Node
}

// block writes a block and returns what it becomes.
func (r *plainReader) block(n *Node) *Node {
	switch {
	case n.IsTextblock():
		r.line()
		return r.inline(n)
	case n.IsLeaf():
		if text := n.TextContent(); text != "" {
			r.line()
			r.out.WriteString(text)
		}
		return n
	}
	content := make([]*Node, len(n.Content))
	for i, child := range n.Content {
		content[i] = r.block(child)
	}
	return n.With(content)
}

// line begins a line.
func (r *plainReader) line() {
	if r.began {
		r.out.WriteByte('\n')
	}
	r.began = true
}

// inline writes the content of a textblock.
func (r *plainReader) inline(n *Node) *Node {
	var content []*Node
	for i, child := range n.Content {
		start := r.out.Len()
		r.out.WriteString(plainInline(child))
		if r.rewrite != nil {
			content = append(content, r.rewrite(child, i, start)...)
		}
	}
	if r.rewrite == nil {
		return n
	}
	return n.With(content)
}

// plainInline returns the text that an inline node stands for.
func plainInline(n *Node) string {
	switch n.Type {
	case Image:
		return n.Attrs.String("alt")
	case Emoji:
		return ":" + n.Attrs.String("data-name") + ":"
	}
	return n.TextContent()
}

// CommentText writes a comment as the API shows documents in text, but for
// mentions: of people and groups it shows the names, @Name, and of pages outside
// Outline it makes links. Of nodes that it does not know, it writes the content. Of
// blocks in more than a hundred others, it writes only the text, and what stands for
// images and emoji.
func CommentText(comment *Node) string {
	if comment.Type != Doc {
		comment = &Node{Type: Doc, Content: []*Node{comment}}
	}
	comment = shallow(comment, 0)
	s := serializer{comment: true}
	s.blocks(comment)
	text, _ := shownText(s.String())
	return text
}

// deepest is how many blocks around a block of a comment are written: each begins
// every line of it.
const deepest = 100

// shallow returns a node that lies in so many blocks without the blocks that lie in more
// than deepest others. Paragraphs with their text take their place.
func shallow(n *Node, depth int) *Node {
	if IsBlock(n.Type) && depth == deepest {
		paragraph := &Node{Type: Paragraph}
		if words := n.words(); words != "" {
			paragraph.Content = []*Node{{Type: Text, Text: words}}
		}
		return paragraph
	}
	if IsBlock(n.Type) {
		depth++
	}
	content := make([]*Node, len(n.Content))
	for i, child := range n.Content {
		content[i] = shallow(child, depth)
	}
	return n.With(content)
}

// words returns the text of a node, with one blank between words and between blocks, and
// of images the alternative text and the address. Emoji count as text.
func (n *Node) words() string {
	var out strings.Builder
	var add func(n *Node)
	add = func(n *Node) {
		switch {
		case n.Type == Image:
			out.WriteString(n.Attrs.String("alt") + " " + n.Attrs.String("src"))
		case n.IsLeaf():
			n.appendText(&out)
		case n.Type == Emoji:
			out.WriteString(n.leafText())
		}
		for _, child := range n.Content {
			add(child)
		}
		if IsBlock(n.Type) {
			out.WriteByte(' ')
		}
	}
	add(n)
	return strings.Join(strings.Fields(out.String()), " ")
}

// commentMention writes a mention in a comment.
func (s *serializer) commentMention(n *Node) {
	label := n.Attrs.String("label")
	switch n.Attrs.String("type") {
	case "document", "collection":
		s.write(mentionMarkdown(n, s.dialect))
	case "issue", "pull_request", "url":
		href := n.Attrs.String("href")
		s.write("[" + escapeMarkdown(cmp.Or(label, href), false, s.inTable) + "](" + href + ")")
	default:
		s.text("@"+label, true)
	}
}

// isUnknown reports a node of a type that this package has no rules for.
func (n *Node) isUnknown() bool {
	switch n.Type {
	case Doc, Text, Break, Image, Emoji, Mention, MathInline, TableRow, TableHeader, TableCell, ListItem, CheckboxItem:
		return false
	}
	return !IsBlock(n.Type)
}

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
