// Package richtext turns the rich text of Outline's editor into Markdown.
//
// Outline sends comments as nodes of its editor in the JSON form of ProseMirror
// (https://prosemirror.net/docs/ref/#model). The package reads them into blocks,
// which contain only what Markdown can express, and writes the blocks as Markdown.
package richtext

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// A Node is a node of ProseMirror. It is decoded with encoding/json.
type Node struct {
	Type    string         `json:"type"`
	Text    string         `json:"text"`
	Attrs   map[string]any `json:"attrs"`
	Marks   []Mark         `json:"marks"`
	Content []Node         `json:"content"`
}

// A Mark is the formatting of a text node, such as strong or link.
type Mark struct {
	Type  string         `json:"type"`
	Attrs map[string]any `json:"attrs"`
}

// attr returns an attribute that is a string, otherwise "".
func (n Node) attr(name string) string {
	s, _ := n.Attrs[name].(string)
	return s
}

// number returns an attribute that is a number, limited to the range from least
// to most.
func (n Node) number(name string, least, most int) int {
	f, ok := n.Attrs[name].(float64)
	if !ok {
		return least
	}
	return int(max(float64(least), min(f, float64(most))))
}

// Markdown returns the node as Outline's Markdown: CommonMark with the tables,
// task lists and strikethrough of GitHub, and with __ around underlined and ==
// around highlighted text. For an unknown node, and for nodes nested more than 100
// deep, it returns their text.
func (n Node) Markdown() string {
	var w markdownWriter
	w.blocks(readBlocks([]Node{n}, 0), false)
	return string(w.out)
}

// deepest is the depth from which only text is read.
const deepest = 100

type blockKind int

const (
	paragraphBlock blockKind = iota
	headingBlock
	codeBlock
	ruleBlock
	quoteBlock
	listBlock
	tableBlock
)

// A block is a block of Markdown. It is never empty.
type block struct {
	kind     blockKind
	spans    []span     // of a paragraph or a heading
	level    int        // of a heading: 1–6
	code     string     // of a code block
	language string     // of a code block; "": none
	children []block    // of a quote
	ordered  bool       // a list with numbers
	items    []listItem // of a list
	rows     [][][]span // of a table: the cells of each row
}

// listItem is an item of a list.
type listItem struct {
	number   int    // in an ordered list
	task     string // [ ] or [x] in a list of tasks, else ""
	children []block
}

// readBlocks reads the nodes of a block. Inline nodes among them become a
// paragraph.
func readBlocks(nodes []Node, depth int) []block {
	if depth >= deepest {
		nodes = []Node{{Type: "text", Text: textOf(nodes)}}
	}
	var blocks []block
	for len(nodes) > 0 {
		inline := slices.IndexFunc(nodes, func(n Node) bool { return !n.isInline() })
		if inline < 0 {
			inline = len(nodes)
		}
		blocks = appendFilled(blocks, block{kind: paragraphBlock, spans: readSpans(nodes[:inline], depth)})
		if nodes = nodes[inline:]; len(nodes) > 0 {
			blocks, nodes = appendBlock(blocks, nodes[0], depth+1), nodes[1:]
		}
	}
	return blocks
}

// appendBlock reads one node and skips it if it is empty.
func appendBlock(blocks []block, n Node, depth int) []block {
	switch n.Type {
	case "paragraph":
		return appendFilled(blocks, block{kind: paragraphBlock, spans: readSpans(n.Content, depth)})
	case "heading":
		return appendFilled(blocks, block{kind: headingBlock, level: n.number("level", 1, 6), spans: readSpans(n.Content, depth)})
	case "code_block", "code_fence":
		return append(blocks, block{kind: codeBlock, code: textOf(n.Content), language: languageName(n.attr("language"))})
	case "hr", "horizontal_rule":
		return append(blocks, block{kind: ruleBlock})
	case "blockquote":
		return appendFilled(blocks, block{kind: quoteBlock, children: readBlocks(n.Content, depth)})
	case "bullet_list", "ordered_list", "checkbox_list":
		return appendFilled(blocks, block{kind: listBlock, ordered: n.Type == "ordered_list", items: readItems(n, depth)})
	case "table":
		return appendFilled(blocks, block{kind: tableBlock, rows: readRows(n.Content, depth)})
	}
	return append(blocks, readBlocks(n.Content, depth)...)
}

// appendFilled appends a block unless it is empty.
func appendFilled(blocks []block, b block) []block {
	if visible(b.spans) || len(b.children)+len(b.items)+len(b.rows) > 0 {
		blocks = append(blocks, b)
	}
	return blocks
}

func readItems(list Node, depth int) []listItem {
	const last = 999_999_999 // CommonMark does not allow longer numbers
	first := list.number("order", 0, last)
	if _, ok := list.Attrs["order"]; !ok {
		first = 1
	}
	var items []listItem
	for i, n := range list.Content {
		it := listItem{number: min(first+i, last)}
		if n.Type == "checkbox_item" {
			it.task = "[ ]"
			if checked, _ := n.Attrs["checked"].(bool); checked {
				it.task = "[x]"
			}
		}
		if it.children = readBlocks(n.Content, depth); len(it.children) > 0 {
			items = append(items, it)
		}
	}
	return items
}

// readRows reads the rows of a table. A cell that spans several columns is
// followed by empty ones.
func readRows(nodes []Node, depth int) [][][]span {
	var rows [][][]span
	for _, row := range nodes {
		var cells [][]span
		for _, cell := range row.Content {
			cells = append(cells, readSpans(cell.Content, depth+1))
			cells = append(cells, make([][]span, cell.number("colspan", 1, 50)-1)...)
		}
		if len(cells) > 0 {
			rows = append(rows, cells)
		}
	}
	return rows
}

// textOf returns the text of nodes of any depth, with line breaks between those
// of blocks.
func textOf(nodes []Node) string {
	var text strings.Builder
	writeText(&text, nodes)
	return text.String()
}

func writeText(text *strings.Builder, nodes []Node) {
	for _, n := range nodes {
		text.WriteString(n.Text)
		switch {
		case n.isBreak():
			text.WriteByte('\n')
		case n.Text == "" && len(n.Content) == 0:
			text.WriteString(cmp.Or(n.attr("label"), n.attr("title"), n.attr("alt"), n.attr("data-name")))
		case n.isBlock() && text.Len() > 0:
			text.WriteByte('\n')
		}
		writeText(text, n.Content)
	}
}

func (n Node) isBreak() bool { return n.Type == "br" || n.Type == "hard_break" }

// isInline reports whether a node is part of a line.
func (n Node) isInline() bool {
	switch n.Type {
	case "text", "br", "hard_break", "mention", "emoji", "image", "math_inline":
		return true
	case "attachment", "video", "embed": // blocks for Outline, and links in Markdown
		return true
	}
	return n.Text != ""
}

// isBlock reports whether a node is known to start a line.
func (n Node) isBlock() bool {
	switch n.Type {
	case "paragraph", "heading", "blockquote", "code_block", "code_fence", "table", "tr", "td", "th",
		"bullet_list", "ordered_list", "checkbox_list", "list_item", "checkbox_item":
		return true
	}
	return strings.HasPrefix(n.Type, "container_")
}

// languageName returns the first word of the language of a code block, without
// characters that could end the opening fence.
func languageName(s string) string {
	end := strings.IndexFunc(s, func(r rune) bool {
		return r == '`' || r == '\\' || r == '&' || unicode.IsSpace(r) || unicode.IsControl(r)
	})
	if end >= 0 {
		s = s[:end]
	}
	return s
}

// visible reports whether spans contain more than white space.
func visible(spans []span) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s.kind == rawSpan || len(bytes.TrimSpace(s.text)) > 0 })
}
