package folder

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// wikiLink finds a link such as [[Page]] or [[folder/Page|words]].
var wikiLink = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\[([^\[\]|#^\n]+?)(?:\\?\|([^\[\]\n]+))?\]\]`) })

// pageNames has the paths of pages by what wiki links call them.
type pageNames struct {
	paths map[string][]string // by the folded names of their files, and by their titles
}

// find returns the only page of a name, which may begin with folders, or "".
func (n *pageNames) find(p *pages, name string) string {
	if n.paths == nil {
		n.paths = map[string][]string{}
		add := func(name, at string) {
			if name = folded(name); !slices.Contains(n.paths[name], at) {
				n.paths[name] = append(n.paths[name], at)
			}
		}
		for at, urlID := range p.byPath {
			add(stem(at, urlID), at)
			add(p.byURLID[urlID].Title, at)
		}
		for at := range p.fresh {
			add(stem(at, ""), at)
		}
	}
	name = folded(strings.TrimSuffix(name, Extension))
	found := n.paths[name]
	if found == nil { // with folders
		found = slices.DeleteFunc(slices.Clone(n.paths[path.Base(name)]), func(at string) bool {
			return !strings.HasSuffix("/"+folded(at), "/"+strings.TrimPrefix(name, "/")+Extension)
		})
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// withoutWikiLinks returns the text of a file with links to pages of the folder in place of
// wiki links. Those that stood in the earlier text, or name no page or several, stay.
func (p *pages) withoutWikiLinks(text, from, earlier string) string {
	if p.names == nil || !strings.Contains(text, "[[") {
		return text
	}
	return outsideCode(text, func(part string) string {
		var out strings.Builder
		last := 0
		for _, at := range wikiLink().FindAllStringSubmatchIndex(part, -1) {
			name, words := part[at[2]:at[3]], part[at[2]:at[3]]
			if at[4] >= 0 {
				words = part[at[4]:at[5]]
			}
			embeds := at[0] > 0 && strings.ContainsRune(`!\[`, rune(part[at[0]-1]))
			labels := at[1] < len(part) && strings.ContainsRune("([:", rune(part[at[1]]))
			if embeds || labels || strings.Contains(earlier, part[at[0]:at[1]]) {
				continue
			}
			if to := p.names.find(p, strings.TrimSpace(name)); to != "" {
				out.WriteString(part[last:at[0]] + "[" + words + "](" + relativePath(path.Dir(from), to) + ")")
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
