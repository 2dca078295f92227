package prosemirror

import (
	"strings"

	"github.com/google/uuid"
)

// Parse turns Markdown into a document, as Outline does with the text of a
// create or an update. It accepts any text, and drops what Outline drops. The
// only thing that the text does not determine is the id of a mention written
// without one, mention://type/model, which is random.
func Parse(markdown string) *Node { return Main.Parse(markdown) }

// Parse is like the function, for another version of Outline.
func (d Dialect) Parse(markdown string) *Node { return build(markdown, d, nil) }

// ParseComment turns Markdown into a comment, as Outline does with the text of a new
// one. Comments have paragraphs, lists, code blocks, images, mentions and emoji, and
// of the marks neither highlights nor placeholders: what else Markdown has, such as
// headings, quotes and tables, stays literal.
//
// Recorded are headings, quotes and tables. That other syntax of Outline's documents
// stays literal, too, follows from the schema of comments, which rejects its nodes.
func ParseComment(markdown string) *Node { return build(markdown, comment, nil) }

// A Dialect is the Markdown that a version of Outline reads and writes. Unless they say
// otherwise, the functions of this package are for Main.
type Dialect uint8

const (
	// Main is the main branch of Outline.
	Main Dialect = iota
	// Until192 is releases up to 1.9.2. They keep the whole info string of a code block,
	// but write its fence with three backticks, whatever the code contains. They do not
	// know the editor of an image, nor dates with a time, and write the label of a date as
	// it was sent.
	Until192
	comment // of Main
)

// build parses Markdown and notes what it drops.
func build(markdown string, dialect Dialect, drops *drops) *Node {
	return (&builder{dialect: dialect, drops: drops}).build(markdown)
}

func (b *builder) build(markdown string) *Node {
	b.stack = []frame{{nodeType: Doc}}
	b.blocks(tokens(markdown, map[string]reference{}, b.dialect, 0, b.drops))
	for len(b.stack) > 1 {
		b.close()
	}
	content, ok := fill(Doc, b.stack[0].content)
	if !ok {
		b.drops.block(&b.stack[0])
		content = []*Node{emptyParagraph}
	}
	return &Node{Type: Doc, Content: content}
}

// A builder builds a tree from tokens.
type builder struct {
	stack   []frame
	dialect Dialect
	drops   *drops
	leaves  *[]LeafBlock // nil if they are not needed
	line    int32        // of the token that is read

	// The text node that text was joined to, and its text so far.
	joined *Node
	text   []byte
}

// A frame is a node whose content is being collected.
type frame struct {
	nodeType string
	attrs    Attrs
	content  []*Node
	marks    []Mark // that inline content gets
	line     int32
}

func (b *builder) top() *frame { return &b.stack[len(b.stack)-1] }

func (b *builder) open(nodeType string, attrs Attrs) {
	b.stack = append(b.stack, frame{nodeType: nodeType, attrs: attrs, line: max(b.line, b.top().line)})
}

func (b *builder) close() {
	b.finishText()
	f := b.top()
	content, ok := fill(f.nodeType, f.content)
	b.stack = b.stack[:len(b.stack)-1]
	if !ok {
		b.drops.block(f)
		return
	}
	b.line = f.line
	b.add(&Node{Type: f.nodeType, Attrs: f.attrs, Content: content})
}

// add appends a finished node with the marks in force.
func (b *builder) add(node *Node) {
	b.finishText()
	b.noteLeaf(node)
	top := b.top()
	node.Marks = top.marks
	top.content = append(top.content, node)
}

// A LeafBlock is a block without blocks in it, where it stands in a text.
type LeafBlock struct {
	Node   *Node
	Parent string // the type of the node that it is the first block of, or ""
	Line   int    // on which it begins, from 0, counting \n only; that of the row for the blocks of a cell
}

// LeafBlocks returns the blocks without blocks in them that Outline makes of a text.
func LeafBlocks(markdown string) (list []LeafBlock) {
	(&builder{drops: &drops{used: map[string]bool{}}, leaves: &list}).build(strings.ReplaceAll(markdown, "\r", " "))
	return list
}

// noteLeaf notes a finished node if it is such a block.
func (b *builder) noteLeaf(n *Node) {
	if b.leaves == nil || !n.IsTextblock() && !(n.IsLeaf() && IsBlock(n.Type)) {
		return
	}
	leaf := LeafBlock{Node: n, Line: int(b.line)}
	if top := b.top(); len(top.content) == 0 {
		leaf.Parent = top.nodeType
	}
	*b.leaves = append(*b.leaves, leaf)
}

func (b *builder) addText(text string) {
	if text == "" {
		return
	}
	top := b.top()
	if last := len(top.content) - 1; last >= 0 {
		if node := top.content[last]; node.IsText() && sameMarks(node.Marks, top.marks) {
			if b.joined != node {
				b.finishText()
				b.joined = node
				b.text = append(b.text[:0], node.Text...)
			}
			b.text = append(b.text, text...)
			return
		}
	}
	b.add(&Node{Type: Text, Text: text})
}

// finishText sets the text of a text node to the text that was joined to it.
func (b *builder) finishText() {
	if b.joined != nil {
		b.joined.Text = string(b.text)
		b.joined = nil
	}
}

// addLeaf adds a block or an inline node that contains only text.
func (b *builder) addLeaf(nodeType string, attrs Attrs, text string) {
	b.open(nodeType, attrs)
	b.addText(strings.TrimSuffix(text, "\n"))
	b.close()
}

func (b *builder) blocks(list []token) {
	for i := range list {
		t := &list[i]
		b.line = t.line
		switch t.kind {
		case paragraphOpen:
			b.open(Paragraph, nil)
		case headingOpen:
			b.open(Heading, headingAttrs[t.number])
		case quoteOpen:
			b.open(Blockquote, nil)
		case bulletListOpen:
			b.open(BulletList, nil)
		case checkboxListOpen:
			b.open(CheckboxList, checkboxListAttrs)
		case orderedListOpen:
			b.open(OrderedList, orderedAttrs(t))
		case listItemOpen:
			b.open(ListItem, nil)
		case checkboxItemOpen:
			attrs := uncheckedAttrs
			if t.flag == checked {
				attrs = checkedAttrs
			}
			b.open(CheckboxItem, attrs)
		case tableOpen:
			b.open(Table, tableAttrs)
		case rowOpen:
			b.open(TableRow, nil)
		case headerOpen:
			b.open(TableHeader, cellAttrs[t.flag])
		case cellOpen:
			b.open(TableCell, cellAttrs[t.flag])
		case noticeOpen:
			b.open(Notice, Attrs{{"style", t.info()}})
		case toggleOpen:
			b.drops.add(t.line, "words behind the +++ of a toggle", t.info())
			b.open(Toggle, toggleAttrs)
		case inlineToken:
			b.inline(t.children)
		case codeToken, fenceToken:
			attrs := plainCodeAttrs
			language, rest := b.dialect.language(t.info())
			if language != "" {
				attrs = Attrs{{"language", language}, {"wrap", false}}
			}
			b.drops.add(t.line, "words behind the language of a code block", rest)
			b.addLeaf(CodeBlock, attrs, t.content)
		case mathBlockToken:
			b.addLeaf(MathBlock, nil, t.content)
		case ruleToken:
			attrs := dashAttrs
			if t.content != "---" {
				attrs = Attrs{{"markup", t.content}}
			}
			b.add(&Node{Type: Rule, Attrs: attrs})
		case attachmentToken:
			b.add(&Node{Type: Attachment, Attrs: Attrs{
				{"id", nil}, {"href", t.info()}, {"title", t.content}, {"size", t.title()}, {"preview", false},
				{"width", nil}, {"height", nil}, {"contentType", nil},
			}})
		case videoToken:
			width, rest, _ := strings.Cut(t.title(), "x")
			height, _, _ := strings.Cut(rest, "x")
			b.add(&Node{Type: Video, Attrs: Attrs{
				{"id", nil}, {"src", t.info()}, {"width", size(width)}, {"height", size(height)}, {"title", t.content},
			}})
		default:
			b.close()
		}
	}
}

func (b *builder) inline(children []token) {
	for i := range children {
		t := &children[i]
		switch t.kind {
		case textToken, specialToken:
			b.addText(t.content)
		case softBreakToken:
			b.addText(" ")
		case hardBreakToken, breakToken:
			b.add(&Node{Type: Break})
		case codeInlineToken:
			// Code permanently ends a highlight around it: the highlight does not
			// resume after the code.
			b.mark(Mark{Type: Code})
			b.addText(t.content)
			b.unmark(Code)
		case mathInlineToken:
			b.addLeaf(MathInline, nil, t.content)
		case imageToken:
			b.add(&Node{Type: Image, Attrs: imageAttrs(t, b.dialect)})
		case emojiToken:
			b.add(&Node{Type: Emoji, Attrs: Attrs{{"data-name", trimSpace(t.content)}}})
		case mentionToken:
			parts := mentionURL.get().FindStringSubmatch(t.info())
			id, kind, model := parts[1], parts[2], parts[3]
			if id == "" {
				id = uuid.NewString()
			}
			if b.drops != nil && kind == "date" {
				b.drops.dateLabel(b.line, t.content, model)
			}
			b.add(&Node{Type: Mention, Attrs: Attrs{{"type", kind}, {"label", t.content}, {"modelId", model}, {"id", id}}})
		case linkOpen:
			var title any
			if t.title() != "" {
				title = t.title()
			}
			if b.drops != nil && isEmptyLink(children[i:]) {
				b.drops.add(b.line, "link without text", t.info())
			}
			b.mark(Mark{Type: Link, Attrs: Attrs{{"href", t.info()}, {"title", title}}})
		case highlightOpen:
			b.mark(Mark{Type: Highlight, Attrs: highlightAttrs})
		default:
			if t.kind >= linkClose {
				b.unmark(markTypes[t.kind-linkClose])
			} else {
				b.mark(Mark{Type: markTypes[t.kind-linkOpen]})
			}
		}
	}
}

// markTypes are the marks in the order of their token kinds.
var markTypes = [...]string{Link, Strong, Emphasis, Underline, Strikethrough, Highlight, Placeholder}

func (b *builder) mark(mark Mark) { b.top().marks = addMark(b.top().marks, mark) }

func (b *builder) unmark(markType string) {
	b.top().marks = removeMark(b.top().marks, markType)
}

// isEmptyLink reports a link, opened by the first of the tokens, that holds
// nothing.
func isEmptyLink(children []token) bool {
	for i := 1; i < len(children); i++ {
		switch t := &children[i]; {
		case t.kind == linkClose:
			return true
		case t.kind < linkOpen && (t.kind != textToken || t.content != ""):
			return false
		}
	}
	return true
}

// language returns what Outline keeps of the words after a fence.
func (d Dialect) language(info string) (language, rest string) {
	if d == Until192 {
		return info, ""
	}
	info = strings.TrimLeftFunc(info, isSpaceRune)
	if end := strings.IndexFunc(info, isSpaceRune); end >= 0 {
		info, rest = info[:end], info[end:]
	}
	return strings.ReplaceAll(info, "`", ""), rest
}

func orderedAttrs(t *token) Attrs {
	style := "number"
	switch {
	case t.flag == lowerAlpha:
		style = "lower-alpha"
	case t.flag == upperAlpha:
		style = "upper-alpha"
	case t.number <= 1:
		return numberedAttrs
	}
	return Attrs{{"order", float64(max(t.number, 1))}, {"listStyle", style}}
}
