package outline_test

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	htmlwriter "github.com/yuin/goldmark/renderer/html"
	source "github.com/yuin/goldmark/text"
)

// reader reads the Markdown that comments are rendered to.
var reader = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	goldmark.WithRendererOptions(htmlwriter.WithUnsafe()))

// FuzzTextOfACommentIsNeverMarkup renders any text in every place that text can
// stand in and reads the Markdown again: it must be the same text, and
// nothing else may have become of it.
func FuzzTextOfACommentIsNeverMarkup(f *testing.F) {
	for _, s := range []string{
		"plain", "*a* **b** _c_ ~~d~~ `e`", "# a\n- b\n1. c\n> d\n\n    e", "[a](b) ![c](d) <e> &amp;", "[a]: b", "a\n===", "a | b\n--- | ---",
		"\\", "\\\n\\", "~~~\na", "- [ ] a", "***", "<!--", "&#0;", "\u00a0\t a \u2003", "`` ` ``", "a\\*", "1)\n2)", "*", "_ _ _", "\x1b[31m", "``", "a`", "` `",
		"$0$$*$$ ~0",
	} {
		f.Add(s)
	}
	places := map[string]struct {
		put         func(any) node
		open, close string // what goldmark writes around it
		between     string // of lines
	}{
		"paragraph": {func(s any) node { return p(s) }, "<p>", "</p>", "<br>\n"},
		"item":      {func(s any) node { return ul(li(p(s))) }, "<ul>\n<li>", "</li>\n</ul>", "<br>\n"},
		"quote":     {func(s any) node { return el("blockquote", p(s)) }, "<blockquote>\n<p>", "</p>\n</blockquote>", "<br>\n"},
		"heading":   {func(s any) node { return el("heading", s) }, "<h1>", "</h1>", " "},
		"cell":      {func(s any) node { return table(row(cell(p(s)))) }, "<table>\n<thead>\n<tr>\n<th>", "</th>\n</tr>\n</thead>\n</table>", "<br>"},
	}
	marked := map[string][3]string{
		"plain": {"", "", ""}, "strong": {"strong", "<strong>", "</strong>"}, "em": {"em", "<em>", "</em>"},
		"struck": {"strikethrough", "<del>", "</del>"}, "link": {"link:/x", `<a href="/x">`, "</a>"},
	}
	tildes := regexp.MustCompile(`(?m)^\s*~|~\s*$`) // goldmark takes none for text next to those that strike
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // JSON has no other
		}
		lines := linesOf(s)
		for where, place := range places {
			for how, mark := range marked {
				if how == "struck" && tildes.MatchString(s) || how == "link" && len(lines) == 1 && strings.EqualFold(lines[0], "x") {
					continue // goldmark takes [x](/x) for a task
				}
				content := txt(s)
				if mark[0] != "" {
					content = txt(s, mark[0])
				}
				want := ""
				if len(lines) > 0 {
					want = place.open + mark[1] + strings.Join(lines, "\n") + mark[2] + place.close + "\n"
				}
				if where == "cell" && len(lines) == 0 {
					want = place.open + place.close + "\n"
				}
				markdown := rendered(t, doc(place.put(content)))
				var out bytes.Buffer
				if err := reader.Convert([]byte(markdown), &out); err != nil {
					t.Fatal(err)
				}
				got := html.UnescapeString(strings.ReplaceAll(out.String(), place.between, "\n"))
				if where == "heading" {
					got, want = strings.ReplaceAll(got, "\n", " "), strings.ReplaceAll(want, "\n", " ")
					got, want = strings.Join(strings.Fields(got), " "), strings.Join(strings.Fields(want), " ")
				}
				if got != want {
					t.Errorf("%s text %q in a %s\nbecomes %q,\nread as %q,\nwant    %q", how, s, where, markdown, got, want)
				}
			}
		}
	})
}

// linesOf are the lines of a text as they show: without white space at their
// ends and without empty ones at its ends.
func linesOf(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", " ", "\f", " ", "\x00", "\uFFFD").Replace(s)
	lines := strings.Split(strings.TrimFunc(s, unicode.IsSpace), "\n")
	for i := range lines {
		lines[i] = strings.TrimFunc(lines[i], unicode.IsSpace)
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}

// TestStructureSurvivesMarkdown renders documents made at random, with words
// that look like markup, and reads the Markdown again.
func TestStructureSurvivesMarkdown(t *testing.T) {
	for seed := range uint64(1500) {
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

var words = []string{
	"a", "word", "1.", "2)", "#", "##", "-", "+", "*", "**", "_", "__", "a_b", "~", "~~", "~~~", "=", "==", "===", "---", "***", ">", "|", "a|b", `\|`,
	"[x]", "[ ]", "[a]", "[a]:", "](y)", "![", "!", "<b>", "<", "&amp;", "&", "`", "``", "```", `\`, `\\`, ":::", "$$", "'", `"`, "(", ")", "ü", "🎉", "\u00a0",
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

func (g generator) word() string { return words[g.IntN(len(words)-1)] }

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
