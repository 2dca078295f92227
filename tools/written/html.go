package written

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
)

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
	width, height = strings.TrimSuffix(width, "px"), strings.TrimSuffix(height, "px")
	if width+height != "" && strings.Trim(width+height, "0123456789") == "" {
		size = ` " =` + width + "x" + height + `"`
	}
	if src == "" || strings.ContainsAny(src+width+height, " ()<>\n\"%") || strings.ContainsAny(alt, "[]\\\n") || a.Comment {
		return ""
	}
	a.replace(f.match[2], f.match[3], "!["+alt+"]("+src+size+")")
	return "an image"
}
