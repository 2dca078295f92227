package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An exported page is a page of an HTML export of Confluence.
type exportedPage struct {
	title string
	above []string // names of the files of the pages above it
	body  *html.Node
}

// ConvertConfluence writes a Markdown file for each page of an HTML export of Confluence, in
// the tree of the pages, whose links lead to each other and to the attachments. It returns
// their paths; none if the folder is no such export, or has Markdown files already.
func ConvertConfluence(dir string) (written []string, err error) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.html"))
	made, _ := filepath.Glob(filepath.Join(dir, "*.md"))
	if !slices.Contains(names, filepath.Join(dir, "index.html")) || len(made) > 0 {
		return nil, nil
	}
	pages := map[string]exportedPage{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		root, err := html.Parse(strings.NewReader(string(content)))
		if err != nil {
			return nil, err
		}
		page := exportedPage{body: byID(root, "main-content")}
		title := strings.Join(strings.Fields(textOf(byID(root, "title-text"))), " ")
		if _, behind, found := strings.Cut(title, " : "); found { // the name of the space
			title = behind
		}
		if page.title = title; page.body == nil || title == "" {
			continue
		}
		if crumbs := byID(root, "breadcrumbs"); crumbs != nil {
			for n := range crumbs.Descendants() {
				if href := attributeOf(n, "href"); n.DataAtom == atom.A && href != "index.html" {
					page.above = append(page.above, href)
				}
			}
		}
		pages[filepath.Base(name)] = page
	}
	paths := map[string]string{}
	for name, page := range pages {
		var parts []string
		for _, one := range append(page.above, name) {
			parts = append(parts, strings.NewReplacer("/", "-", `\`, "-", ":", "-", "*", "-", "?", "-", `"`, "-", "<", "-", ">", "-", "|", "-").Replace(pages[one].title))
		}
		paths[name] = strings.Join(parts, "/") + ".md"
		if slices.Contains(written, paths[name]) { // two pages of one title
			paths[name] = strings.TrimSuffix(paths[name], ".md") + " " + strings.TrimSuffix(name, ".html") + ".md"
		}
		written = append(written, paths[name])
	}
	for name, page := range pages {
		up := strings.Repeat("../", strings.Count(paths[name], "/"))
		convert := converter{link: func(address string) string {
			file, _, _ := strings.Cut(address, "#")
			if to := paths[file]; to != "" {
				return up + (&url.URL{Path: to}).EscapedPath()
			}
			if file, _, _ = strings.Cut(file, "?"); strings.HasPrefix(file, "attachments/") {
				return up + file
			}
			return address
		}}
		text := fmt.Sprintf("---\ntitle: %s\n---\n\n%s", strconv.Quote(page.title), strings.TrimSpace(convert.blocks(page.body)))
		target := filepath.Join(dir, filepath.FromSlash(paths[name]))
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, []byte(text+"\n"), fs.FileMode(0o644))); err != nil {
			return nil, err
		}
	}
	slices.Sort(written)
	return written, nil
}

func attributeOf(n *html.Node, name string) string {
	for _, one := range n.Attr {
		if one.Key == name {
			return one.Val
		}
	}
	return ""
}

func byID(root *html.Node, id string) *html.Node {
	for n := range root.Descendants() {
		if attributeOf(n, "id") == id {
			return n
		}
	}
	return nil
}

func textOf(n *html.Node) (text string) {
	if n == nil {
		return ""
	}
	for one := range n.Descendants() {
		if one.Type == html.TextNode {
			text += one.Data
		}
	}
	return text
}

// A converter writes HTML as Markdown.
type converter struct {
	link func(address string) string
}

var textSigns = map[atom.Atom]string{atom.Strong: "**", atom.B: "**", atom.Em: "*", atom.I: "*", atom.Code: "`", atom.Tt: "`", atom.Del: "~~", atom.S: "~~"}

// inline returns the words of a node.
func (c converter) inline(n *html.Node) string {
	if n.Type == html.TextNode {
		return strings.ReplaceAll(strings.ReplaceAll(n.Data, "\n", " "), "\u00a0", " ")
	}
	inner := ""
	for child := range n.ChildNodes() {
		if child.DataAtom != atom.Ul && child.DataAtom != atom.Ol {
			inner += c.inline(child)
		}
	}
	sign := textSigns[n.DataAtom]
	switch {
	case n.DataAtom == atom.Br:
		return "\\\n"
	case n.DataAtom == atom.Img:
		return "![" + attributeOf(n, "alt") + "](" + c.link(attributeOf(n, "src")) + ")"
	case n.DataAtom == atom.A && attributeOf(n, "href") != "" && strings.TrimSpace(inner) != "":
		return "[" + inner + "](" + c.link(attributeOf(n, "href")) + ")"
	case sign != "" && strings.TrimSpace(inner) != "":
		words := strings.TrimSpace(inner)
		return strings.Replace(inner, words, sign+words+sign, 1) // spaces stay outside
	}
	return inner
}

// blocks returns the blocks in a node, with blank lines between them.
func (c converter) blocks(n *html.Node) (text string) {
	words := ""
	end := func() {
		if strings.TrimSpace(words) != "" {
			text += strings.TrimSpace(words) + "\n\n"
		}
		words = ""
	}
	for child := range n.ChildNodes() {
		class, block := attributeOf(child, "class"), ""
		switch child.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			block = strings.Repeat("#", int(child.Data[1]-'0')) + " " + strings.TrimSpace(c.inline(child))
		case atom.Pre:
			_, language, _ := strings.Cut(attributeOf(child, "data-syntaxhighlighter-params"), "brush: ")
			language, _, _ = strings.Cut(language, ";")
			block = "```" + language + "\n" + strings.TrimRight(textOf(child), "\n") + "\n```"
		case atom.Ul, atom.Ol:
			block = c.list(child)
		case atom.Table:
			block = c.table(child)
		case atom.Blockquote:
			block = "> " + strings.ReplaceAll(strings.TrimSpace(c.blocks(child)), "\n", "\n> ")
		case atom.Hr:
			block = "---"
		case atom.P:
			block = c.inline(child)
		case atom.Div, atom.Section, atom.Article, atom.Tbody:
			block = c.blocks(child)
			if strings.Contains(class, "confluence-information-macro ") || strings.HasSuffix(class, "confluence-information-macro") {
				style := "info"
				for sign, other := range map[string]string{"-warning": "warning", "-note": "warning", "-tip": "tip"} {
					if strings.Contains(class, sign) {
						style = other
					}
				}
				block = ":::" + style + "\n" + strings.TrimSpace(block) + "\n:::"
			}
		case atom.Script, atom.Style:
		default:
			words += c.inline(child)
			continue
		}
		if end(); strings.TrimSpace(block) != "" {
			text += strings.TrimSpace(block) + "\n\n"
		}
	}
	end()
	return text
}

func (c converter) list(n *html.Node) (text string) {
	number := 0
	for item := range n.ChildNodes() {
		if item.DataAtom != atom.Li {
			continue
		}
		sign := "- "
		if number++; n.DataAtom == atom.Ol {
			sign = strconv.Itoa(number) + ". "
		} else if strings.Contains(attributeOf(n, "class"), "inline-task-list") {
			sign = "- [ ] "
			if strings.Contains(attributeOf(item, "class"), "checked") {
				sign = "- [x] "
			}
		}
		body := strings.ReplaceAll(strings.TrimSpace(c.blocks(item)), "\n\n- ", "\n- ")
		text += sign + strings.ReplaceAll(body, "\n", "\n"+strings.Repeat(" ", strings.IndexByte(sign, ' ')+1)) + "\n"
	}
	return text
}

func (c converter) table(n *html.Node) (text string) {
	rows := 0
	for row := range n.Descendants() {
		if row.DataAtom != atom.Tr {
			continue
		}
		cells := 0
		for cell := range row.ChildNodes() {
			if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				words := strings.ReplaceAll(strings.TrimSpace(c.blocks(cell)), "|", `\|`)
				text, cells = text+"| "+strings.ReplaceAll(strings.ReplaceAll(words, "\\\n", "<br>"), "\n", "<br>")+" ", cells+1
			}
		}
		if text += "|\n"; rows == 0 {
			text += strings.Repeat("|---", cells) + "|\n"
		}
		rows++
	}
	return text
}
