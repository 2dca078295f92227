package written

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"outline-mcp/outline/prosemirror"
)

// element extends the match of a tag that begins a line to the end of its element, if that
// ends a line.
func element(text string, m []int) []int {
	name, depth := strings.ToLower(text[m[4]:m[5]]), 0
	if name == "!doctype" {
		name = "html"
	}
	for at := m[2]; name != "hr"; {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			return nil
		}
		switch rest := strings.ToLower(text[at+next : min(len(text), at+next+len("</blockquote>"))]); {
		case strings.HasPrefix(rest, "</"+name):
			depth--
		case strings.HasPrefix(rest, "<"+name+">"), strings.HasPrefix(rest, "<"+name+" "):
			depth++
		}
		if at += next + 1; depth == 0 && strings.HasPrefix(text[at:], "/") {
			m[1] = at + strings.IndexByte(text[at:], '>') + 1
			break
		}
	}
	rest, _, _ := strings.Cut(text[m[1]:], "\n")
	if m[3] = m[1]; m[1] == 0 || strings.TrimSpace(rest) != "" {
		return nil
	}
	return unfenced(text, m)
}

// htmlBlock writes an element of HTML as Markdown, if Outline then shows the same words.
func htmlBlock(a *adapter, f *find) string {
	body, err := html.Parse(strings.NewReader(f.group(a.text, 1)))
	if err != nil || len(f.around) != 2 {
		return ""
	}
	var dropped []string
	var words strings.Builder
	for n := range body.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" && n.Parent.Data != "title":
			if n.Parent.Data != "code" && n.Parent.Data != "pre" && strings.TrimSpace(n.Data) != "" && blankLine().MatchString(n.Data) {
				return "" // what follows a blank line may be Markdown
			}
			words.WriteString(n.Data)
		case n.Type == html.CommentNode && !slices.Contains(dropped, "comments"):
			dropped = append(dropped, "comments")
		case n.Type == html.ElementNode && !strings.Contains(converted, "|"+n.Data+"|") && !slices.Contains(dropped, "<"+n.Data+">"):
			dropped = append(dropped, "<"+n.Data+">")
		}
	}
	markdown, err := markdownOf().ConvertNode(body)
	if err != nil || len(markdown) == 0 || !sameLetters(prosemirror.Parse(string(markdown)).TextContent(), words.String()) {
		return ""
	}
	as := "Markdown"
	if dropped != nil {
		as += " without " + strings.Join(dropped, ", ")
	}
	a.replace(f.match[2], f.match[3], a.gap(f.match[2])+string(markdown)+"\n")
	return as
}

// sameLetters reports whether two texts differ only in white space.
func sameLetters(x, y string) bool {
	return strings.Join(strings.Fields(x), "") == strings.Join(strings.Fields(y), "")
}

// converted are the elements of which the converter keeps more than the words.
const converted = "|html|head|body|p|div|section|article|main|header|footer|figure|figcaption|center|h1|h2|h3|h4|h5|h6|ul|ol|li|blockquote|pre|code|hr|br|table|thead|tbody|tfoot|tr|th|td|a|img|b|strong|i|em|u|s|del|strike|mark|input|"

// markdownOf returns the converter of HTML to Markdown.
var markdownOf = sync.OnceValue(func() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false), commonmark.WithHorizontalRule("---")),
		strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithHeaderPromotion(true), table.WithNewlineBehavior(table.NewlineBehaviorPreserve)),
	))
	for _, name := range []string{"u", "mark"} {
		c.Register.RendererFor(name, converter.TagTypeInline, func(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
			w.WriteString(signsOf(n.Data))
			ctx.RenderChildNodes(ctx, w, n)
			w.WriteString(signsOf(n.Data))
			return converter.RenderSuccess
		}, converter.PriorityStandard)
	}
	c.Register.TagType("input", converter.TagTypeInline, converter.PriorityEarly)
	c.Register.RendererFor("input", converter.TagTypeInline, func(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		switch _, checked := attribute(n, "checked"); {
		case checked:
			w.WriteString("[x] ")
		default:
			w.WriteString("[ ] ")
		}
		return converter.RenderSuccess
	}, converter.PriorityStandard)
	return c
})

// signsOf returns the signs of the mark that Outline has for an element, or "".
func signsOf(name string) string {
	switch name {
	case "b", "strong":
		return "**"
	case "i", "em":
		return "*"
	case "s", "del", "strike":
		return "~~"
	case "u":
		return "__"
	case "mark":
		return "=="
	case "code":
		return "`"
	}
	return ""
}

var blankLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*\n`) })

func attribute(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// parsedTag returns a tag as a node.
func parsedTag(source string) *html.Node {
	z := html.NewTokenizer(strings.NewReader(source))
	z.Next()
	token := z.Token()
	return &html.Node{Type: html.ElementNode, Data: token.Data, Attr: token.Attr}
}

// tag puts the signs of a mark in place of the tags around words. checkTags has the last
// word.
func tag(a *adapter, f *find) string {
	end, n := a.found[f.counterpart].match, parsedTag(f.group(a.text, 1))
	inner, signs := a.text[f.match[3]:end[2]], signsOf(n.Data)
	closing := signs
	if href, _ := attribute(n, "href"); n.Data == "a" && href != "" && !strings.ContainsAny(href, " ()<>\n\"") {
		signs, closing = "[", "]("+href+")"
	}
	if signs == "" || f.marked || a.Inline || inner == "" || strings.TrimSpace(inner) != inner || a.Comment && (signs == "__" || signs == "==") {
		return ""
	}
	a.untagged = append(a.untagged, edit{f.match[2], f.match[3], ""}, edit{end[2], end[3], ""})
	a.marked = append(a.marked, edit{f.match[2], f.match[3], signs}, edit{end[2], end[3], closing})
	if signs == "`" {
		a.marked = append(a.marked, edit{f.match[3], end[2], html.UnescapeString(inner)})
	}
	a.tags = append(a.tags, f)
	return noted
}

// checkTags makes marks of tags if the text then has the same words as without the tags.
func (a *adapter) checkTags() {
	as := ""
	words := func(edits []edit) string { return a.Parse(a.edited(slices.Concat(a.edits, edits))).TextContent() }
	if a.tags != nil && words(a.untagged) == words(a.marked) {
		as, a.edits = "Markdown", append(a.edits, a.marked...)
	}
	for _, f := range a.tags {
		a.note(f, as)
	}
}

// image writes a picture as Markdown.
func image(a *adapter, f *find) string {
	n, size := parsedTag(f.group(a.text, 1)), ""
	src, _ := attribute(n, "src")
	alt, _ := attribute(n, "alt")
	width, _ := attribute(n, "width")
	height, _ := attribute(n, "height")
	if width != "" || height != "" {
		size = ` " =` + width + "x" + height + `"`
	}
	if src == "" || strings.ContainsAny(src+width+height, " ()<>\n\"%") || strings.ContainsAny(alt, "[]\\\n") || a.Comment {
		return ""
	}
	a.replace(f.match[2], f.match[3], "!["+alt+"]("+src+size+")")
	return "an image"
}
