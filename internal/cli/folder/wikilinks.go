package folder

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline/prosemirror"
	"outline-mcp/tools/search"
)

// wikiLink finds a link such as [[Page]], [[folder/Page#Heading|words]] or ![[a.png]], and
// what may have one as a part, for which it has no name.
var wikiLink = sync.OnceValue(func() *regexp.Regexp {
	const label = `!?\[(?:[^\[\]]|\[[^\[\]]*\]|\[\[[^\[\]]*\]\])*`
	return regexp.MustCompile(`\\.|://\S*|<[^ >][^>]*|\$\$[^$]*\$\$|\$[^$\s](?:[^$]*[^$\s])?\$|^ {0,3}\[[^\]]+\]:.*|` + label + `\]\([^)]*|(?P<open>` + label + `)$|` +
		`(?P<before>!?)\[\[(?P<name>[^\[\]|^\n]+?)(?:\\?\|(?P<words>[^\[\]\n]+))?\]\](?P<after>[(\[]?)`)
})

// pageNames has the paths of pages and other files by what wiki links call them.
type pageNames struct {
	folder *Folder
	pages  map[string][]string // by the folded names of their files, and by their titles
	files  map[string][]string // by their folded names
}

// read reads the names of the pages.
func (n *pageNames) read(p *pages) {
	n.pages = map[string][]string{}
	add := func(at string, names ...string) {
		if isIndex(at) {
			names = append(names, path.Base(path.Dir(at)))
		}
		if isIndexName(at) {
			if one, err := n.folder.load(at); err == nil {
				names = append(names, one.heading())
			}
		}
		for _, name := range names {
			if name = folded(name); name != "" && !slices.Contains(n.pages[name], at) {
				n.pages[name] = append(n.pages[name], at)
			}
		}
	}
	for at, one := range p.byPath {
		add(at, stem(at, one.URLID), one.Title)
	}
	for at, title := range p.fresh {
		add(at, stem(at, ""), title)
	}
}

// find returns the only page of a name, which may begin with folders, or "".
func (n *pageNames) find(p *pages, name string) string {
	if n.pages == nil {
		n.read(p)
	}
	name = folded(name)
	for _, name := range []string{name, strings.TrimSuffix(name, Extension)} { // ".md" may be part of a title
		found := n.pages[name]
		if found == nil {
			found = within(n.pages[path.Base(name)], name+Extension)
		}
		if len(found) == 1 {
			return found[0]
		}
		if len(found) > 1 {
			break
		}
	}
	return ""
}

// within returns those of the paths, or of the pages of folders, that end with a path.
func within(paths []string, end string) []string {
	end = "/" + strings.TrimPrefix(end, "/")
	return slices.DeleteFunc(slices.Clone(paths), func(at string) bool {
		return !strings.HasSuffix("/"+folded(at), end) && !strings.HasSuffix("/"+folded(above(at)), end)
	})
}

// findFile returns the only file of a name that is no page, or "".
func (n *pageNames) findFile(name string) string {
	if n.files == nil {
		n.files = map[string][]string{}
		_ = fs.WalkDir(n.folder.root.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
			if hidden := path.Base(at) == "node_modules" || strings.HasPrefix(path.Base(at), ".") && at != "."; err != nil || hidden && entry.IsDir() {
				return fs.SkipDir // a file that cannot be read is not found
			} else if base := folded(path.Base(at)); entry.Type().IsRegular() && !hidden && path.Ext(base) != Extension {
				n.files[base] = append(n.files[base], at)
			}
			return nil
		})
	}
	name = folded(name)
	if found := within(n.files[path.Base(name)], name); len(found) == 1 {
		return found[0]
	}
	return ""
}

// anchor returns the anchor of a heading of a page, which may be named with those above it.
// One that is not there has the anchor that it would have.
func (n *pageNames) anchor(at string, wanted []string) string {
	one, err := n.folder.load(at)
	if err != nil {
		return ""
	}
	sections := prosemirror.Sections(one.Text)
	var headings []string
	for _, section := range sections {
		headings = append(headings, section.Slugged)
	}
	// Programs leave out the signs that would end such a link, as anchors do.
	find := func(name string, from, to int) int {
		for i := from; i < to; i++ {
			if search.AnchorOf(headings[i:i+1], 0) == search.AnchorOf([]string{name}, 0) {
				return i
			}
		}
		return -1
	}
	found, to := -1, len(headings)
	for i, name := range wanted {
		if found = find(name, found+1, to); found < 0 {
			break
		}
		for end := found + 1; end < to && i < len(wanted)-1; end++ {
			if sections[end].Level <= sections[found].Level {
				to = end
			}
		}
	}
	last := wanted[len(wanted)-1]
	if found < 0 {
		found = find(last, 0, len(headings))
	}
	if found < 0 {
		headings, found = append(headings, last), len(headings)
	}
	return "#" + search.AnchorOf(headings, found)
}

// resolve returns the link that a wiki link in a file stands for, or "".
func (n *pageNames) resolve(p *pages, from string, w linkText) string {
	if to := n.find(p, w.name); to != "" && !w.embeds {
		return "[" + w.words + "](" + relativePath(path.Dir(from), to) + ")"
	}
	if at := n.findFile(w.name); at != "" && (w.embeds || path.Ext(w.name) != "") { // without, a page is meant that is not there yet
		words, sign := w.words, ""
		picture := slices.Contains([]string{".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp"}, folded(path.Ext(at)))
		if w.embeds && picture {
			if sign = "!"; strings.Trim(words, "0123456789x") == "" || words == w.name { // its width
				words = ""
			}
		}
		return sign + "[" + words + "](" + relativePath(path.Dir(from), at) + ")"
	}
	name, below, _ := strings.Cut(w.name, "#")
	headings := strings.FieldsFunc(below, func(r rune) bool { return r == '#' })
	for i := range headings {
		headings[i] = strings.TrimSpace(headings[i])
	}
	headings = slices.DeleteFunc(headings, func(heading string) bool { return heading == "" })
	to, shown := from, headings
	if name = strings.TrimSpace(name); name != "" {
		to, shown = n.find(p, name), append([]string{name}, headings...)
	}
	if to == "" || w.embeds || len(headings) == 0 {
		return ""
	}
	words := w.words
	if words == w.name { // as it is shown elsewhere
		words = strings.Join(shown, " > ")
	}
	return "[" + words + "](" + relativePath(path.Dir(from), to) + n.anchor(to, headings) + ")"
}

// withoutWikiLinks returns the text of a file with links to pages and files of the folder in
// place of wiki links. Those that stood in the earlier text, name nothing or several, or may
// be a part of something else, stay.
func (p *pages) withoutWikiLinks(text, from, earlier string) string {
	if p.names == nil || !strings.Contains(text, "[[") {
		return text
	}
	stood := map[string]bool{}
	eachWikiLink(earlier, func(w linkText) string { stood[w.link] = true; return w.link })
	return eachWikiLink(text, func(w linkText) string {
		if stood[w.link] || w.words == "" || strings.HasSuffix(w.words, `\`) {
			return w.link
		}
		return cmp.Or(p.names.resolve(p, from, w), w.link)
	})
}

// linkText is a wiki link as it is written.
type linkText struct {
	link, name, words string
	embeds            bool // it begins with an exclamation mark
}

// eachWikiLink replaces the wiki links of a text that are in no code, formula or other link.
func eachWikiLink(text string, replace func(linkText) string) string {
	var code, formula, label, comment bool // has begun, and may end in a part that follows
	lines, ended := indentation{blank: true}, true
	return outsideCode(text, func(part string) string {
		indented := lines.code
		if ended {
			indented = lines.isCode(part)
		}
		code = code && strings.TrimSpace(part) != "" || strings.Contains(part, "`")
		formula = formula != (strings.Count(part, "$$")%2 == 1)
		label, ended = label && !ended, strings.HasSuffix(part, "\n")
		if at := strings.LastIndex(part, "<!--"); at >= 0 || comment {
			comment = !strings.Contains(part[max(at, 0):], "-->")
			return part
		}
		if code || formula || label || indented {
			return part
		}
		var out strings.Builder
		last := 0
		for _, at := range wikiLink().FindAllStringSubmatchIndex(part, -1) {
			group := func(i int) string { return part[max(at[2*i], 0):max(at[2*i+1], 0)] }
			label = label || group(1) != ""
			before, name := group(2), strings.TrimSpace(group(3))
			if name == "" || strings.Trim(before, "!") != "" || group(5) != "" {
				continue
			}
			one := linkText{link: part[at[0]:at[1]], name: name, words: strings.TrimSpace(group(4)), embeds: before != ""}
			if at[8] < 0 {
				one.words = name
			}
			out.WriteString(part[last:at[0]] + replace(one))
			last = at[1]
		}
		return out.String() + part[last:]
	})
}

// An indentation finds the lines of a text that are code because they are indented
// (CommonMark, section 4.4).
type indentation struct {
	blank, code bool // what the last line was
	item        int  // how far what belongs to the last item of a list is indented
}

func (i *indentation) isCode(line string) bool {
	body := strings.TrimLeft(line, " \t")
	width := len(strings.ReplaceAll(line[:len(line)-len(body)], "\t", "    "))
	marker := listMarker().FindString(body)
	switch {
	case strings.TrimSpace(body) == "":
		i.blank = true
		return i.code
	case (i.blank || i.code) && width >= i.item+4:
		i.code = true
	case marker != "":
		i.code, i.item = false, width+len(marker)
	default:
		if i.code = false; i.blank && width < i.item {
			i.item = 0
		}
	}
	i.blank = false
	return i.code
}

var listMarker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*+]|\d+[.)]) +`) })

// wikiNote says that wiki links of a file became links in the text that was sent; "" if
// none did.
func wikiNote(file, sent string) string {
	if n := strings.Count(file, "[[") - strings.Count(sent, "[["); n > 0 {
		return fmt.Sprintf("wiki links to other files became links: %d", n)
	}
	return ""
}
