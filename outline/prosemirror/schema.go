package prosemirror

import "slices"

// markRank is the order of marks on a node, which is the order in which
// Outline registers them.
func markRank(markType string) int {
	order := [...]string{Comment, Link, Code, Strong, Emphasis, Underline, Strikethrough, Highlight, Placeholder}
	if at := slices.Index(order[:], markType); at >= 0 {
		return at
	}
	return len(order)
}

// excludes reports whether text with mark a cannot also have mark b. A mark
// excludes its own kind; code excludes highlights and placeholders instead.
func excludes(a, b string) bool {
	if a == Code {
		return b == Highlight || b == Placeholder
	}
	return a == b
}

// addMark returns the set with a mark added in its place, without those that it
// excludes. Nothing is marked within code.
func addMark(set []Mark, mark Mark) []Mark {
	if slices.ContainsFunc(set, mark.Is) {
		return set
	}
	out := slices.DeleteFunc(append(make([]Mark, 0, len(set)+1), set...), func(other Mark) bool { return excludes(mark.Type, other.Type) })
	at := 0
	for at < len(out) && markRank(out[at].Type) <= markRank(mark.Type) {
		at++
	}
	return slices.Insert(out, at, mark)
}

func removeMark(set []Mark, markType string) []Mark {
	at := slices.IndexFunc(set, func(m Mark) bool { return m.Type == markType })
	if at < 0 {
		return set
	}
	return slices.Concat(set[:at], set[at+1:])
}

// IsBlock reports whether nodes of the type are blocks, which documents consist of.
func IsBlock(nodeType string) bool {
	switch nodeType {
	case Paragraph, Heading, CodeBlock, CodeFence, Blockquote, Embed, Attachment, Video, Notice, Rule,
		MathBlock, Toggle, CheckboxList, BulletList, OrderedList, Table:
		return true
	}
	return false
}

// Name returns the usual name of a block.
func (n *Node) Name() string {
	switch n.Type {
	case BulletList, OrderedList, CheckboxList:
		return "list"
	case Blockquote:
		return "quote"
	case CodeBlock, CodeFence:
		return "code block"
	case MathBlock:
		return "math block"
	case Notice:
		return "callout"
	case Toggle:
		return "toggle"
	case Embed:
		return "embedded page"
	case Table, Paragraph, Heading, Attachment, Video:
		return n.Type
	}
	return "block"
}

// isNoticeBlock reports whether a callout may contain the block: no table,
// math, other callout or toggle.
func isNoticeBlock(nodeType string) bool {
	switch nodeType {
	case CheckboxList, BulletList, OrderedList, Blockquote, Rule, Paragraph, Heading, CodeBlock, CodeFence, Attachment:
		return true
	}
	return false
}

// fill returns the content of a node completed with what its type requires, as
// ProseMirror's createAndFill does. If no completion makes the content valid,
// ok is false: the parser then drops the node and its content.
func fill(nodeType string, content []*Node) (filled []*Node, ok bool) {
	allowed := IsBlock
	var required *Node // if there is no content
	switch nodeType {
	case Doc, Blockquote, ListItem, CheckboxItem, TableHeader, TableCell:
		required = emptyParagraph
	case BulletList, OrderedList:
		allowed, required = func(t string) bool { return t == ListItem }, emptyListItem
	case CheckboxList:
		allowed, required = func(t string) bool { return t == CheckboxItem }, emptyCheckboxItem
	case Table:
		allowed, required = func(t string) bool { return t == TableRow }, emptyRow
	case TableRow:
		allowed = func(t string) bool { return t == TableHeader || t == TableCell }
	case Notice:
		allowed, required = isNoticeBlock, emptyCheckboxList
	case Toggle:
		// The first block is the title.
		if len(content) == 0 || content[0].Type != Paragraph && content[0].Type != Heading {
			content = append([]*Node{emptyParagraph}, content...)
		}
	default:
		return content, true
	}
	if len(content) == 0 && required != nil {
		return []*Node{required}, true
	}
	for _, child := range content {
		if !allowed(child.Type) {
			return nil, false
		}
	}
	return content, true
}

// defaultAttrs are the attributes that nodes of a type have at least.
func defaultAttrs(nodeType string) Attrs {
	switch nodeType {
	case CheckboxList:
		return checkboxListAttrs
	case CheckboxItem:
		return uncheckedAttrs
	case OrderedList:
		return numberedAttrs
	case Table:
		return tableAttrs
	case TableHeader, TableCell:
		return cellAttrs[plain]
	case CodeBlock, CodeFence:
		return codeAttrs
	case Notice:
		return noticeAttrs
	case Heading:
		return headingAttrs[1]
	case Rule:
		return dashAttrs
	}
	return nil
}

// complete adds the default attributes that a node lacks. Releases of Outline up to
// 1.9.2 store an empty title of an image where later ones store none.
func (n *Node) complete() {
	if title, ok := n.Attrs.Get("title"); ok && title == "" && n.Type == Image {
		n.Attrs = slices.Clone(n.Attrs)
		n.Attrs[slices.IndexFunc(n.Attrs, func(a Attr) bool { return a.Name == "title" })].Value = nil
	}
	defaults := defaultAttrs(n.Type)
	if n.Attrs == nil {
		n.Attrs = defaults
		return
	}
	for _, attr := range defaults {
		if _, ok := n.Attrs.Get(attr.Name); !ok {
			n.Attrs = append(slices.Clip(n.Attrs), attr)
		}
	}
}

// Nodes and attributes that many nodes share.
var (
	emptyParagraph    = &Node{Type: Paragraph}
	uncheckedAttrs    = Attrs{{"checked", false}}
	checkedAttrs      = Attrs{{"checked", true}}
	checkboxListAttrs = Attrs{{"id", nil}}
	emptyCheckboxItem = &Node{Type: CheckboxItem, Attrs: uncheckedAttrs, Content: []*Node{emptyParagraph}}
	emptyCheckboxList = &Node{Type: CheckboxList, Attrs: checkboxListAttrs, Content: []*Node{emptyCheckboxItem}}
	emptyListItem     = &Node{Type: ListItem, Content: []*Node{emptyParagraph}}
	emptyRow          = &Node{Type: TableRow}
	tableAttrs        = Attrs{{"layout", nil}}
	highlightAttrs    = Attrs{{"color", nil}}
	toggleAttrs       = Attrs{}
	codeAttrs         = Attrs{{"wrap", false}}
	noticeAttrs       = Attrs{{"style", "info"}}
	plainCodeAttrs    = Attrs{{"language", ""}, {"wrap", false}}
	numberedAttrs     = Attrs{{"order", 1.0}, {"listStyle", "number"}}
	dashAttrs         = Attrs{{"markup", "---"}}
	headingAttrs      = [7]Attrs{
		1: {{"level", 1.0}}, 2: {{"level", 2.0}}, 3: {{"level", 3.0}},
		4: {{"level", 4.0}}, 5: {{"level", 5.0}}, 6: {{"level", 6.0}},
	}
	cellAttrs = [...]Attrs{
		plain:         cellAttrsFor(nil),
		alignedLeft:   cellAttrsFor("left"),
		alignedRight:  cellAttrsFor("right"),
		alignedCenter: cellAttrsFor("center"),
	}
)

func cellAttrsFor(alignment any) Attrs {
	return Attrs{{"colspan", 1.0}, {"rowspan", 1.0}, {"alignment", alignment}, {"colwidth", nil}}
}
