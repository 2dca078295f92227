package prosemirror

import (
	"reflect"
	"slices"
)

// The node types of Outline's schema for which this package has rules. A tree
// read from JSON may contain others, which are kept unchanged.
const (
	Doc          = "doc"
	Paragraph    = "paragraph"
	Heading      = "heading"
	CodeBlock    = "code_block"
	CodeFence    = "code_fence"
	Blockquote   = "blockquote"
	BulletList   = "bullet_list"
	OrderedList  = "ordered_list"
	CheckboxList = "checkbox_list"
	ListItem     = "list_item"
	CheckboxItem = "checkbox_item"
	Rule         = "hr"
	Table        = "table"
	TableRow     = "tr"
	TableHeader  = "th"
	TableCell    = "td"
	Notice       = "container_notice"
	Toggle       = "container_toggle"
	MathBlock    = "math_block"
	Attachment   = "attachment"
	Video        = "video"
	Embed        = "embed"
	Text         = "text"
	Break        = "br"
	Image        = "image"
	Emoji        = "emoji"
	Mention      = "mention"
	MathInline   = "math_inline"
)

// The mark types of Outline's schema.
const (
	Comment       = "comment"
	Link          = "link"
	Code          = "code_inline"
	Strong        = "strong"
	Emphasis      = "em"
	Underline     = "underline"
	Strikethrough = "strikethrough"
	Highlight     = "highlight"
	Placeholder   = "placeholder"
)

// Node is one node of a document. Nodes are immutable once they are part of a
// tree: edits share the nodes they do not change, and several trees may hold
// the same node.
type Node struct {
	Type    string
	Attrs   Attrs
	Content []*Node
	Marks   []Mark // in the order of the schema
	Text    string // of a text node
}

// Mark is a mark on an inline node. Marks are values: two marks with the same
// type and attributes are the same mark.
type Mark struct {
	Type  string
	Attrs Attrs
}

// Attrs are the attributes of a node or a mark, in the order in which the
// schema declares them. Values are what JSON knows: nil, bool, float64, string,
// []any and map[string]any. Nil attributes are absent from the JSON form; an
// empty, non-nil list is written as {}.
type Attrs []Attr

// Attr is one attribute.
type Attr struct {
	Name  string
	Value any
}

// Get returns the value of an attribute, and whether it is set.
func (a Attrs) Get(name string) (any, bool) {
	for i := range a {
		if a[i].Name == name {
			return a[i].Value, true
		}
	}
	return nil, false
}

// String returns the value of an attribute that is a string, or "".
func (a Attrs) String(name string) string {
	value, _ := a.Get(name)
	s, _ := value.(string)
	return s
}

// Number returns the value of an attribute that is a number, or 0.
func (a Attrs) Number(name string) float64 {
	value, _ := a.Get(name)
	n, _ := value.(float64)
	return n
}

// Is reports whether the mark has the type and the attributes of other.
func (m Mark) Is(other Mark) bool {
	return m.Type == other.Type && equalAttrs(m.Attrs, other.Attrs)
}

// Mark returns the node's mark of the given type, and whether it has one.
func (n *Node) Mark(markType string) (Mark, bool) {
	for _, mark := range n.Marks {
		if mark.Type == markType {
			return mark, true
		}
	}
	return Mark{}, false
}

// IsText reports whether n is a text node.
func (n *Node) IsText() bool { return n.Type == Text }

// IsTextblock reports whether n is a block that holds inline content: a
// paragraph, a heading, a code or math block.
func (n *Node) IsTextblock() bool {
	switch n.Type {
	case Paragraph, Heading, CodeBlock, CodeFence, MathBlock, Embed:
		return true
	}
	return false
}

// IsLeaf reports whether the schema allows n no content at all. Emoji, images
// and inline math are not leaves: the schema lets them hold text.
func (n *Node) IsLeaf() bool {
	switch n.Type {
	case Text, Break, Mention, Rule, Attachment, Video:
		return true
	}
	return false
}

// With returns n with other content, and n itself if it has this content already.
func (n *Node) With(content []*Node) *Node {
	if slices.Equal(n.Content, content) {
		return n
	}
	changed := *n
	changed.Content = content
	return &changed
}

func (n *Node) withText(text string) *Node {
	changed := *n
	changed.Text = text
	return &changed
}

// WithoutMarks returns the tree without the marks of the given types, and with
// text nodes joined that now differ in nothing else.
func (n *Node) WithoutMarks(types ...string) *Node {
	drop := func(m Mark) bool { return slices.Contains(types, m.Type) }
	return n.Map(func(n *Node) *Node {
		if !slices.ContainsFunc(n.Marks, drop) {
			return n
		}
		bare := *n
		bare.Marks = slices.DeleteFunc(slices.Clone(n.Marks), drop)
		return &bare
	})
}

// Map returns the tree with what change returns in place of each node, which has its new
// content already. Neighboring text nodes with the same marks are joined. Parts that do not
// change are shared.
func (n *Node) Map(change func(*Node) *Node) *Node {
	content := n.Content
	for i, child := range n.Content {
		if now := child.Map(change); now != child {
			if &content[0] == &n.Content[0] {
				content = slices.Clone(content)
			}
			content[i] = now
		}
	}
	if changed := len(content) > 0 && &content[0] != &n.Content[0]; changed || isSplit(content) {
		n = n.With(joinTexts(slices.Clone(content)))
	}
	return change(n)
}

// isSplit reports whether text nodes with the same marks are neighbors.
func isSplit(nodes []*Node) bool {
	for i := 1; i < len(nodes); i++ {
		if nodes[i].IsText() && sameMarkup(nodes[i-1], nodes[i]) {
			return true
		}
	}
	return false
}

// Walk calls visit for each node below doc in document order. If visit returns
// false, the content of the node is skipped.
func Walk(doc *Node, visit func(n *Node) bool) {
	for _, n := range doc.Content {
		if visit(n) {
			Walk(n, visit)
		}
	}
}

// Equal reports whether two trees are the same node for node: types,
// attributes, marks and text. The order of attributes does not count. Trees
// that share nodes are compared without visiting them.
func Equal(a, b *Node) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil {
		return false
	}
	return a.Text == b.Text && sameMarkup(a, b) && slices.EqualFunc(a.Content, b.Content, Equal)
}

// EqualWithoutComments is like Equal, but ignores comment marks.
func EqualWithoutComments(a, b *Node) bool {
	return Equal(a, b) || Equal(a.WithoutMarks(Comment), b.WithoutMarks(Comment))
}

// sameMarkup compares two nodes without their content.
func sameMarkup(a, b *Node) bool {
	return a.Type == b.Type && equalAttrs(a.Attrs, b.Attrs) && sameMarks(a.Marks, b.Marks)
}

func sameMarks(a, b []Mark) bool {
	return slices.EqualFunc(a, b, Mark.Is)
}

func equalAttrs(a, b Attrs) bool {
	if len(a) != len(b) {
		return false
	}
	if len(a) == 0 || &a[0] == &b[0] {
		return true
	}
	for i := range a {
		value := b[i].Value
		if b[i].Name != a[i].Name {
			found := false
			if value, found = b.Get(a[i].Name); !found {
				return false
			}
		}
		if !reflect.DeepEqual(a[i].Value, value) {
			return false
		}
	}
	return true
}
