package folder

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// wikiLink finds a link such as [[Page]] or [[folder/Page|words]], and what may have one
// as a part, for which it has no name.
var wikiLink = sync.OnceValue(func() *regexp.Regexp {
	const label = `!?\[(?:[^\[\]]|\[[^\[\]]*\]|\[\[[^\[\]]*\]\])*`
	return regexp.MustCompile(`\\.|://\S*|<[^ >][^>]*|\$+[^$]*\$+|` + label + `\]\([^)]*|(?P<open>` + label + `)$|` +
		`(?P<before>[!/"<]?)\[\[(?P<name>[^\[\]|#^\n]+?)(?:\\?\|(?P<words>[^\[\]\n]+))?\]\](?P<after>[(\[:]?)`)
})

// pageNames has the paths of pages by what wiki links call them.
type pageNames struct {
	paths map[string][]string // by the folded names of their files, and by their titles
}

// find returns the only page of a name, which may begin with folders, or "".
func (n *pageNames) find(p *pages, name string) string {
	if n.paths == nil {
		n.paths = map[string][]string{}
		add := func(name, at string) {
			if name = folded(name); name != "" && !slices.Contains(n.paths[name], at) {
				n.paths[name] = append(n.paths[name], at)
			}
		}
		for at, one := range p.byPath {
			add(stem(at, one.URLID), at)
			add(one.Title, at)
		}
		for at, title := range p.fresh {
			add(stem(at, ""), at)
			add(title, at)
		}
	}
	name = folded(name)
	for _, name := range []string{name, strings.TrimSuffix(name, Extension)} { // ".md" may be part of a title
		found := n.paths[name]
		if found == nil { // with folders
			found = slices.DeleteFunc(slices.Clone(n.paths[path.Base(name)]), func(at string) bool {
				return !strings.HasSuffix("/"+folded(at), "/"+strings.TrimPrefix(name, "/")+Extension)
			})
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

// withoutWikiLinks returns the text of a file with links to pages of the folder in place of
// wiki links. Those that stood in the earlier text, name no page or several, or may be a
// part of something else, stay.
func (p *pages) withoutWikiLinks(text, from, earlier string) string {
	if p.names == nil || !strings.Contains(text, "[[") {
		return text
	}
	stood := map[string]bool{}
	eachWikiLink(earlier, func(link, _, _ string) string { stood[link] = true; return link })
	return eachWikiLink(text, func(link, name, words string) string {
		if to := p.names.find(p, name); to != "" && !stood[link] && words != "" && !strings.HasSuffix(words, `\`) {
			return "[" + words + "](" + relativePath(path.Dir(from), to) + ")"
		}
		return link
	})
}

// eachWikiLink replaces the wiki links of a text that are in no code, formula or other link.
func eachWikiLink(text string, replace func(link, name, words string) string) string {
	var code, formula, label, ended bool // has begun, and may end in a part that follows; the line has ended
	return outsideCode(text, func(part string) string {
		code = code && strings.TrimSpace(part) != "" || strings.Contains(part, "`")
		formula = formula != (strings.Count(part, "$$")%2 == 1)
		label, ended = label && !ended, strings.HasSuffix(part, "\n")
		if code || formula || label {
			return part
		}
		var out strings.Builder
		last := 0
		for _, at := range wikiLink().FindAllStringSubmatchIndex(part, -1) {
			group := func(i int) string { return part[max(at[2*i], 0):max(at[2*i+1], 0)] }
			label = label || group(1) != ""
			if name := strings.TrimSpace(group(3)); name != "" && group(2)+group(5) == "" {
				words := strings.TrimSpace(group(4))
				if at[8] < 0 {
					words = name
				}
				out.WriteString(part[last:at[0]] + replace(part[at[0]:at[1]], name, words))
				last = at[1]
			}
		}
		return out.String() + part[last:]
	})
}

// wikiNote says that wiki links of a file became links in the text that was sent; "" if
// none did.
func wikiNote(file, sent string) string {
	if n := strings.Count(file, "[[") - strings.Count(sent, "[["); n > 0 {
		return fmt.Sprintf("wiki links to other files became links: %d", n)
	}
	return ""
}
