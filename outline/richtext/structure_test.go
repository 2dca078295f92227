package richtext_test

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	htmlwriter "github.com/yuin/goldmark/renderer/html"
	source "github.com/yuin/goldmark/text"
)

// TestStructureSurvivesMarkdown renders documents made at random, with words
// that look like markup, and reads the Markdown again.
func TestStructureSurvivesMarkdown(t *testing.T) {
	for seed := range uint64(500) {
		checkStructure(t, seed)
		if t.Failed() {
			return
		}
	}
}

func FuzzStructureSurvivesMarkdown(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(checkStructure)
}

func checkStructure(t *testing.T, seed uint64) {
	g := generator{rand.New(rand.NewPCG(seed, 1))}
	var content []any
	var want strings.Builder
	for range 1 + g.IntN(3) {
		n, shape := g.block(0)
		content = append(content, n)
		want.WriteString(shape)
	}
	markdown := rendered(t, doc(content...))
	raw := []byte(markdown)
	if got := shapeOf(reader.Parser().Parse(source.NewReader(raw)), raw); got != want.String() {
		at := 0
		for at < min(len(got), want.Len()) && got[at] == want.String()[at] {
			at++
		}
		t.Errorf("seed %d: the Markdown\n%s\nis read as\n… %.200s\nwant\n… %.200s", seed, markdown, got[max(0, at-80):], want.String()[max(0, at-80):])
	}
}

// generator makes nodes together with their shape: a text that tells their
// structure and their words.
type generator struct{ *rand.Rand }

// words are what looks like markup, and is not.
var words = []string{
	"a", "word", "1.", "2)", "#", "##", "-", "+", "*", "**", "_", "__", "a_b", "~", "~~", "~~~", "=", "==", "===", "---", "***", ">", "|", "a|b", `\|`,
	"[x]", "[ ]", "[a]", "[a]:", "](y)", "![", "!", "<b>", "<", "&amp;", "&", "`", "``", "```", `\`, `\\`, ":::", "$$", "'", `"`, "(", ")", "ü", "🎉",
}

func (g generator) block(depth int) (node, string) {
	kinds := 9
	if depth >= 4 {
		kinds = 4
	}
	switch g.IntN(kinds) {
	case 0:
		level := 1 + g.IntN(6)
		nodes, shape := g.line(" ")
		return el("heading", nodes...).with("level", level), fmt.Sprintf("h%d{%s}", level, shape)
	case 1:
		code := strings.Join([]string{g.word(), g.word(), "  " + g.word()}, []string{" ", "\n", "\n\n"}[g.IntN(3)])
		return el("code_block", code).with("language", "go"), fmt.Sprintf("code{go %q}", code)
	case 2:
		return node{"type": "hr"}, "rule"
	case 4:
		children, shape := g.children(depth)
		return el("blockquote", children...), "quote{" + shape + "}"
	case 5:
		return g.list(depth, "bullet_list", "list{")
	case 6:
		start := g.IntN(12)
		n, shape := g.list(depth, "ordered_list", fmt.Sprintf("list %d{", start))
		return n.with("order", start), shape
	case 7:
		return g.list(depth, "checkbox_list", "list{")
	case 8:
		return g.table()
	}
	nodes, shape := g.line("\n")
	return p(nodes...), "p{" + shape + "}"
}

func (g generator) children(depth int) ([]any, string) {
	var all []any
	var shapes strings.Builder
	for range 1 + g.IntN(3) {
		n, shape := g.block(depth + 1)
		all = append(all, n)
		shapes.WriteString(shape)
	}
	return all, shapes.String()
}

func (g generator) list(depth int, kind, open string) (node, string) {
	var items []any
	var shapes strings.Builder
	shapes.WriteString(open)
	for range 1 + g.IntN(3) {
		children, shape := g.children(depth)
		if kind == "checkbox_list" {
			done := g.IntN(2) == 0
			items = append(items, task(done, children...))
			fmt.Fprintf(&shapes, "task %v{%s}", done, shape)
		} else {
			items = append(items, li(children...))
			shapes.WriteString("item{" + shape + "}")
		}
	}
	return el(kind, items...), shapes.String() + "}"
}

func (g generator) table() (node, string) {
	var rows []any
	var shapes strings.Builder
	columns := 1 + g.IntN(3)
	for range 1 + g.IntN(3) {
		var cells []any
		shapes.WriteString("row{")
		for range columns {
			nodes, shape := g.line("\n")
			cells = append(cells, cell(p(nodes...)))
			shapes.WriteString("cell{" + shape + "}")
		}
		rows = append(rows, row(cells...))
		shapes.WriteString("}")
	}
	return table(rows...), "table{" + shapes.String() + "}"
}

func (g generator) word() string { return words[g.IntN(len(words))] }

// line makes what stands in a line, with one space between any two words:
// CommonMark does not read every mark inside a word.
func (g generator) line(lineBreak string) ([]any, string) {
	var nodes []any
	var shape strings.Builder
	for i := range 1 + g.IntN(5) {
		word, kind := g.word(), g.IntN(8)
		switch {
		case i == 0:
		case g.IntN(5) == 0:
			nodes = append(nodes, br())
			shape.WriteString(lineBreak)
			kind = 7 // a mark before the break would go on behind it
		default:
			nodes = append(nodes, txt(" "))
			shape.WriteString(" ")
		}
		switch kind {
		case 0:
			nodes = append(nodes, txt(word, "code_inline"))
			fmt.Fprintf(&shape, "code(%s)", word)
		case 1:
			nodes = append(nodes, txt(word, "link:/doc/a?b=c d"))
			fmt.Fprintf(&shape, "link(/doc/a?b=c%%20d %s)", word)
		case 2:
			nodes = append(nodes, node{"type": "image"}.with("src", "/i.png", "alt", word))
			fmt.Fprintf(&shape, "image(/i.png %s)", word)
		case 3:
			nodes = append(nodes, txt(word, "strong"))
			fmt.Fprintf(&shape, "strong(%s)", word)
		case 4:
			nodes = append(nodes, txt(word, "em"))
			fmt.Fprintf(&shape, "em(%s)", word)
		case 5:
			word = strings.Trim(word, "~") + "s" // see tildes
			nodes = append(nodes, txt(word, "strikethrough"))
			fmt.Fprintf(&shape, "del(%s)", word)
		default:
			nodes = append(nodes, txt(word))
			shape.WriteString(word)
		}
	}
	return nodes, shape.String()
}

// shapeOf returns the shape of a parsed node's children.
func shapeOf(n ast.Node, raw []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		inner := func() string { return shapeOf(c, raw) }
		switch c := c.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			if shape := inner(); shape != "" {
				b.WriteString("p{" + shape + "}")
			}
		case *ast.Heading:
			fmt.Fprintf(&b, "h%d{%s}", c.Level, inner())
		case *ast.FencedCodeBlock:
			var code []byte
			for _, line := range c.Lines().Sliced(0, c.Lines().Len()) {
				code = append(code, line.Value(raw)...)
			}
			fmt.Fprintf(&b, "code{%s %q}", c.Language(raw), strings.TrimSuffix(string(code), "\n"))
		case *ast.ThematicBreak:
			b.WriteString("rule")
		case *ast.Blockquote:
			b.WriteString("quote{" + inner() + "}")
		case *ast.List:
			if c.IsOrdered() {
				fmt.Fprintf(&b, "list %d{%s}", c.Start, inner())
			} else {
				b.WriteString("list{" + inner() + "}")
			}
		case *ast.ListItem:
			kind := "item"
			if first := c.FirstChild(); first != nil && first.FirstChild() != nil {
				if box, ok := first.FirstChild().(*extast.TaskCheckBox); ok {
					kind = fmt.Sprintf("task %v", box.IsChecked)
				}
			}
			b.WriteString(kind + "{" + inner() + "}")
		case *extast.TaskCheckBox:
		case *extast.Table:
			b.WriteString("table{" + inner() + "}")
		case *extast.TableHeader, *extast.TableRow:
			b.WriteString("row{" + inner() + "}")
		case *extast.TableCell:
			b.WriteString("cell{" + inner() + "}")
		case *ast.Text:
			b.WriteString(plainText(c.Value(raw)))
			if c.HardLineBreak() || c.SoftLineBreak() {
				b.WriteString("\n")
			}
		case *ast.String:
			b.WriteString(plainText(c.Value))
		case *ast.RawHTML:
			b.WriteString(strings.ReplaceAll(string(c.Segments.Value(raw)), "<br>", "\n"))
		case *ast.CodeSpan:
			b.WriteString("code(")
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				b.Write(t.(*ast.Text).Value(raw))
			}
			b.WriteString(")")
		case *ast.Emphasis:
			b.WriteString([]string{"", "em", "strong"}[c.Level] + "(" + inner() + ")")
		case *extast.Strikethrough:
			b.WriteString("del(" + inner() + ")")
		case *ast.Link:
			fmt.Fprintf(&b, "link(%s %s)", c.Destination, inner())
		case *ast.Image:
			fmt.Fprintf(&b, "image(%s %s)", c.Destination, inner())
		default:
			fmt.Fprintf(&b, "%T", c)
		}
	}
	return b.String()
}

// plainText resolves the escapes of text in Markdown.
func plainText(value []byte) string {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	htmlwriter.DefaultWriter.Write(w, value)
	_ = w.Flush()
	return html.UnescapeString(out.String())
}
