package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

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
// their paths; none if the folder is no such export, was pushed before, or has other Markdown
// files. What is outside of the folder, and files that are there, stay as they are.
func ConvertConfluence(dir string) (written []string, err error) {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil // who opens the folder next says why
	}
	defer folder.Close()
	names, _ := fs.Glob(folder.FS(), "*.html")
	if _, err := folder.Stat(".outline"); err == nil || !slices.Contains(names, "index.html") {
		return nil, nil
	}
	pages := map[string]exportedPage{}
	for _, name := range names {
		content, err := folder.ReadFile(name)
		if err != nil {
			return nil, err
		}
		root, err := html.Parse(bytes.NewReader(content))
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
					page.above = append(page.above, unescaped(href))
				}
			}
		}
		pages[name] = page
	}
	paths := pathsOf(pages)
	texts := map[string]string{} // by path
	for name, page := range pages {
		up := strings.Repeat("../", strings.Count(paths[name], "/"))
		convert := converter{link: func(address string) string {
			file, _, _ := strings.Cut(address, "#")
			if to := paths[unescaped(file)]; to != "" {
				return up + (&url.URL{Path: to}).EscapedPath()
			}
			if file, _, _ = strings.Cut(file, "?"); strings.HasPrefix(file, "attachments/") {
				return up + file
			}
			return address
		}}
		texts[paths[name]] = fmt.Sprintf("---\ntitle: %s\n---\n\n%s\n", strconv.Quote(page.title), strings.TrimSpace(convert.blocks(page.body)))
	}
	made, _ := fs.Glob(folder.FS(), "*.md")
	for _, name := range made { // those of a conversion that was interrupted are as they would be written
		if there, err := folder.ReadFile(name); err != nil || texts[name] != string(there) {
			return nil, nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if err := writeNew(folder, filepath.FromSlash(name), texts[name]); err != nil {
			return nil, err
		}
		written = append(written, name)
	}
	return written, nil
}

// writeNew writes a file unless there is one.
func writeNew(folder *os.Root, name, text string) error {
	if err := folder.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		err = errors.Join(err, folder.Remove(name))
	}
	return err
}

// longestStem is how many characters of a title the name of its file has.
const longestStem = 60

// pathsOf returns the path of the file for each page. Files that differ only in case would be
// one on some systems, and names that begin with a dot are hidden.
func pathsOf(pages map[string]exportedPage) map[string]string {
	stems, used := map[string]string{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		stem := strings.NewReplacer("/", "-", `\`, "-", ":", "-", "*", "-", "?", "-", `"`, "-", "<", "-", ">", "-", "|", "-").Replace(pages[name].title)
		stem = strings.Trim(string([]rune(stem)[:min(longestStem, utf8.RuneCountInString(stem))]), ". ")
		for stem == "" || used[strings.ToLower(stem)] {
			stem = strings.TrimSpace(stem + " " + strings.Trim(strings.TrimSuffix(name, ".html"), ". "))
		}
		stems[name], used[strings.ToLower(stem)] = stem, true
	}
	paths := map[string]string{}
	for name, page := range pages {
		parts := make([]string, 0, len(page.above)+1)
		for _, one := range page.above {
			if stems[one] != "" {
				parts = append(parts, stems[one])
			}
		}
		paths[name] = strings.Join(append(parts, stems[name]), "/") + ".md"
	}
	return paths
}

// unescaped returns the name of the file that an address in the export leads to.
func unescaped(address string) string {
	if name, err := url.PathUnescape(address); err == nil {
		return name
	}
	return address
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

func textOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	var text strings.Builder
	for one := range n.Descendants() {
		if one.Type == html.TextNode {
			text.WriteString(one.Data)
		} else if one.DataAtom == atom.Br {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// A converter writes HTML as Markdown.
type converter struct {
	link func(address string) string
}

var (
	textSigns = map[atom.Atom]string{atom.Strong: "**", atom.B: "**", atom.Em: "*", atom.I: "*", atom.Del: "~~", atom.S: "~~"}
	// plain writes words that Markdown would read as signs, and addresses.
	plain       = strings.NewReplacer("\n", " ", "\u00a0", " ", `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~~", `\~~`)
	destination = strings.NewReplacer(" ", "%20", "\n", "", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E")
	// sign finds what Markdown reads as the beginning of a block.
	sign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(\d*)([#>+.):-])`) })
)

// address returns an address as a link has it.
func (c converter) address(n *html.Node, attribute string) string {
	return "](" + destination.Replace(c.link(attributeOf(n, attribute))) + ")"
}

// fence returns the signs around code.
func fence(code, sign string) string {
	for strings.Contains(code, sign) {
		sign += "`"
	}
	return sign
}

// inline returns the words of a node.
func (c converter) inline(n *html.Node) string {
	if n.Type == html.TextNode {
		return plain.Replace(n.Data)
	}
	if code := textOf(n); (n.DataAtom == atom.Code || n.DataAtom == atom.Tt) && strings.TrimSpace(code) != "" {
		around := fence(code, "`")
		if len(around) > 1 {
			code = " " + code + " "
		}
		return around + strings.ReplaceAll(code, "\n", " ") + around
	}
	var words strings.Builder
	for child := range n.ChildNodes() {
		words.WriteString(c.inline(child))
	}
	inner := words.String()
	sign := textSigns[n.DataAtom]
	switch {
	case n.DataAtom == atom.Br:
		return "\\\n"
	case n.DataAtom == atom.Img:
		return "![" + plain.Replace(attributeOf(n, "alt")) + c.address(n, "src")
	case n.DataAtom == atom.A && attributeOf(n, "href") != "" && strings.TrimSpace(inner) != "":
		return "[" + inner + c.address(n, "href")
	case sign != "" && strings.TrimSpace(inner) != "":
		words := strings.TrimSpace(inner)
		return strings.Replace(inner, words, sign+words+sign, 1) // spaces stay outside
	}
	return inner
}

// isBlock reports whether a node is one of those that blocks knows.
func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Pre, atom.Ul, atom.Ol, atom.Table, atom.Blockquote, atom.Hr, atom.P, atom.Div, atom.Section, atom.Article:
		return true
	}
	return false
}

// holdsBlocks reports whether there are blocks in a node, such as one of <details>.
func holdsBlocks(n *html.Node) bool {
	for one := range n.Descendants() {
		if isBlock(one) {
			return true
		}
	}
	return false
}

// blocks returns the blocks in a node, with blank lines between them.
func (c converter) blocks(n *html.Node) string {
	var text, words strings.Builder
	end := func() {
		if inner := strings.TrimSpace(words.String()); inner != "" {
			text.WriteString(sign().ReplaceAllString(inner, `$1\$2`) + "\n\n")
		}
		words.Reset()
	}
	for child := range n.ChildNodes() {
		class, block := attributeOf(child, "class"), ""
		switch child.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			block = strings.Repeat("#", int(child.Data[1]-'0')) + " " + strings.TrimSpace(c.inline(child))
		case atom.Pre:
			_, language, _ := strings.Cut(attributeOf(child, "data-syntaxhighlighter-params"), "brush: ")
			language, _, _ = strings.Cut(language, ";")
			code := strings.TrimRight(textOf(child), "\n")
			around := fence(code, "```")
			block = around + language + "\n" + code + "\n" + around
		case atom.Ul, atom.Ol:
			block = c.list(child)
		case atom.Table:
			block = c.table(child)
		case atom.Blockquote:
			block = "> " + strings.ReplaceAll(strings.TrimSpace(c.blocks(child)), "\n", "\n> ")
		case atom.Hr:
			block = "---"
		case atom.P:
			block = sign().ReplaceAllString(strings.TrimSpace(c.inline(child)), `$1\$2`)
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
			if !holdsBlocks(child) {
				words.WriteString(c.inline(child))
				continue
			}
			block = c.blocks(child)
		}
		if end(); strings.TrimSpace(block) != "" {
			text.WriteString(strings.TrimSpace(block) + "\n\n")
		}
	}
	end()
	return text.String()
}

func (c converter) list(n *html.Node) string {
	var text strings.Builder
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
		text.WriteString(sign + strings.ReplaceAll(body, "\n", "\n"+strings.Repeat(" ", strings.IndexByte(sign, ' ')+1)) + "\n")
	}
	return text.String()
}

// table returns a table, whose first row has as many cells as the longest: Markdown drops
// those beyond it. A table within a cell becomes words of it.
func (c converter) table(n *html.Node) string {
	var rows [][]string
	columns, caption := 0, ""
	for row := range n.Descendants() {
		within := row.Parent
		for within != n && within.DataAtom != atom.Table {
			within = within.Parent
		}
		switch {
		case within == n && row.DataAtom == atom.Caption:
			caption = strings.TrimSpace(c.inline(row)) + "\n\n"
			continue
		case within != n || row.DataAtom != atom.Tr:
			continue
		}
		var cells []string
		for cell := range row.ChildNodes() {
			if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				words := strings.ReplaceAll(strings.TrimSpace(c.blocks(cell)), "|", `\|`)
				cells = append(cells, strings.ReplaceAll(strings.ReplaceAll(words, "\\\n", "<br>"), "\n", "<br>"))
			}
		}
		rows, columns = append(rows, cells), max(columns, len(cells))
	}
	var text strings.Builder
	text.WriteString(caption)
	for i, cells := range rows {
		if i == 0 {
			cells = append(cells, make([]string, columns-len(cells))...)
		}
		for _, cell := range cells {
			text.WriteString("| " + cell + " ")
		}
		if text.WriteString("|\n"); i == 0 {
			text.WriteString(strings.Repeat("|---", columns) + "|\n")
		}
	}
	return text.String()
}
