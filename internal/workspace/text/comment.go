package text

import (
	"outline-mcp/internal/workspace/ident"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"

	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A CommentParser parses the Markdown of comments. Comments support only
// paragraphs, lists and inline Markdown: headings, quotes and tables stay as
// written, as recorded.
type CommentParser struct{ parser parser.Parser }

// NewCommentParser returns a parser for the Markdown of comments.
func NewCommentParser() CommentParser {
	return CommentParser{parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
		),
	)}
}

// Parse returns the editor document of a comment.
func (r CommentParser) Parse(markdown string) Node {
	source := []byte(markdown)
	c := commentBuilder{source: source}
	return Node{Type: "doc", Content: c.blocks(r.parser.Parse(text.NewReader(source)))}
}

// A commentBuilder converts nodes of parsed Markdown to nodes of the editor.
type commentBuilder struct{ source []byte }

func (c *commentBuilder) blocks(parent ast.Node) []Node {
	var nodes []Node
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.List:
			list := Node{Type: "bullet_list", Content: c.blocks(n)}
			if n.IsOrdered() {
				list.Type, list.Attrs = "ordered_list", map[string]any{"order": n.Start}
			}
			nodes = append(nodes, list)
		case *ast.ListItem:
			item := Node{Type: "list_item", Content: c.blocks(n)}
			if len(item.Content) == 0 {
				item.Content = []Node{{Type: "paragraph"}}
			}
			nodes = append(nodes, item)
		default:
			nodes = append(nodes, Node{Type: "paragraph", Content: mergeText(c.inlines(n, nil))})
		}
	}
	return nodes
}

func (c *commentBuilder) inlines(parent ast.Node, marks []Mark) []Node {
	var nodes []Node
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		with := func(mark Mark) []Node { return c.inlines(n, append(slices.Clone(marks), mark)) }
		switch n := n.(type) {
		case *ast.Text:
			nodes = append(nodes, Node{Type: "text", Text: c.plain(n), Marks: marks})
			if n.HardLineBreak() {
				nodes = append(nodes, Node{Type: "br"})
			}
		case *ast.String:
			nodes = append(nodes, Node{Type: "text", Text: string(n.Value), Marks: marks})
		case *ast.CodeSpan:
			nodes = append(nodes, Node{
				Type: "text", Text: strings.ReplaceAll(string(childText(n, c.source)), "\n", " "),
				Marks: append(slices.Clone(marks), Mark{Type: "code_inline"}),
			})
		case *ast.Emphasis:
			nodes = append(nodes, with(Mark{Type: c.emphasis(n)})...)
		case *extast.Strikethrough:
			nodes = append(nodes, with(Mark{Type: "strikethrough"})...)
		case *ast.AutoLink:
			nodes = append(nodes, Node{
				Type: "text", Text: string(n.Label(c.source)),
				Marks: append(slices.Clone(marks), linkMark(string(n.URL(c.source)))),
			})
		case *ast.Link:
			label := with(linkMark(string(n.Destination)))
			mention, ok := mentionOf(string(n.Destination), label)
			if last := len(nodes) - 1; ok && last >= 0 && strings.HasSuffix(nodes[last].Text, "@") {
				nodes[last].Text = strings.TrimSuffix(nodes[last].Text, "@")
				label = []Node{mention}
			}
			nodes = append(nodes, label...)
		case *ast.Image:
			nodes = append(nodes, Node{
				Type:  "image",
				Attrs: map[string]any{"src": string(n.Destination), "alt": string(childText(n, c.source))},
			})
		}
	}
	return nodes
}

// plain returns a run of text with escapes and entities resolved, and a space
// for a line break.
func (c *commentBuilder) plain(n *ast.Text) string {
	value := util.UnescapePunctuations(n.Segment.Value(c.source))
	value = util.ResolveNumericReferences(util.ResolveEntityNames(value))
	if n.SoftLineBreak() {
		return string(value) + " "
	}
	return string(value)
}

// emphasis returns the mark of an emphasis. Two underscores underline.
func (c *commentBuilder) emphasis(n *ast.Emphasis) string {
	first, inner := n.FirstChild(), 0
	for {
		nested, ok := first.(*ast.Emphasis)
		if !ok {
			break
		}
		inner += nested.Level
		first = nested.FirstChild()
	}
	at := -1
	if t, ok := first.(*ast.Text); ok {
		at = t.Segment.Start - inner - 1
	}
	switch {
	case n.Level == 1:
		return "em"
	case at >= 0 && c.source[at] == '_':
		return "underline"
	}
	return "strong"
}

func linkMark(href string) Mark {
	return Mark{Type: "link", Attrs: map[string]any{"href": href}}
}

// mentionOf returns the mention for a link to mention://ID/TYPE/MODEL_ID.
func mentionOf(destination string, label []Node) (Node, bool) {
	rest, ok := strings.CutPrefix(destination, "mention://")
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 || !ident.IsUUID(parts[0]) || !ident.IsUUID(parts[2]) {
		return Node{}, false
	}
	text := ""
	for _, n := range label {
		text += n.Text
	}
	return Node{Type: "mention", Attrs: map[string]any{
		"id": parts[0], "type": parts[1], "label": text, "modelId": parts[2],
	}}, true
}

// childText returns the source text of the children of an inline node.
func childText(n ast.Node, source []byte) []byte {
	var b []byte
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b = append(b, t.Segment.Value(source)...)
			if t.SoftLineBreak() {
				b = append(b, ' ')
			}
		}
	}
	return b
}

// mergeText merges adjacent texts with the same marks and drops empty ones.
func mergeText(nodes []Node) []Node {
	var list []Node
	for _, n := range nodes {
		last := len(list) - 1
		switch {
		case n.Type == "text" && n.Text == "":
		case n.Type == "text" && last >= 0 && list[last].Type == "text" && sameMarks(n.Marks, list[last].Marks):
			list[last].Text += n.Text
		default:
			list = append(list, n)
		}
	}
	return list
}

func sameMarks(a, b []Mark) bool {
	return slices.EqualFunc(a, b, func(a, b Mark) bool { return a.Type == b.Type && a.Attrs["href"] == b.Attrs["href"] })
}
