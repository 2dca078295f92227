package folder

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pages are the documents of the folder, by what links name.
type pages struct {
	base    string            // address of the instance, without a path
	byURLID map[string]*place // with those that have no file
	byPath  map[string]*place // by the path of the file
	paths   map[string]string // of the files, by UUID
	stands  map[string]string // path of the file that is the page of a folder, by the path that it stands for
	fresh   map[string]string // titles of documents that files are to become, by their paths
	files   *attachments
	// earlier has the documents whose files have been moved, renamed or deleted since the
	// last pull or push, by the paths from then. Links may still have those.
	earlier map[string]*place
	from    map[string]string // paths from then, by those that the files have now
	settled map[string]bool   // paths of files whose links this command has rewritten for the paths of now
	names   *pageNames        // by which wiki links are resolved; nil leaves those as they are
}

// newPages returns the pages at the paths of their files, which are by UUID.
func newPages(base string, places []*place, paths map[string]string, files *attachments) pages {
	p := pages{
		base: strings.TrimSuffix(base, "/"), files: files,
		byURLID: make(map[string]*place, len(places)), byPath: make(map[string]*place, len(places)), paths: paths,
		stands: map[string]string{}, fresh: map[string]string{}, earlier: map[string]*place{}, from: map[string]string{}, settled: map[string]bool{},
	}
	for _, one := range places {
		p.add(one, paths[one.ID])
	}
	return p
}

// add adds a page. Without a path, only its address is known.
func (p pages) add(one *place, name string) {
	p.byURLID[one.URLID] = one
	if name == "" {
		return
	}
	p.byPath[name], p.paths[one.ID] = one, name
	if isIndex(name) {
		p.stands[above(name)] = name
	} else if short := withoutNotionID(name); short != name {
		p.stands[short] = name
	}
}

// moved adds that the file of a page had another path at the last pull or push.
func (p pages) moved(one *place, earlier, now string) {
	p.earlier[earlier] = one
	p.from[now] = earlier
}

// at returns the page whose file has a path, or is the page of the folder that has it.
func (p pages) at(name string) (*place, bool) {
	one, ok := p.byPath[name]
	if !ok {
		one, ok = p.byPath[p.stands[name]]
	}
	return one, ok
}

// destination finds the address of a link or an image.
var destination = regexp.MustCompile(`\]\((<[^<>\n]*>|[^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*)`)

// documentURL finds the URL ID and what follows it in the address of a document.
var documentURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/doc/(?:[^/?#]*-)?([A-Za-z0-9]{10,15})([?#].*)?$`) })

// named returns what an address of Outline names, as a key: a document, or an
// attachment that is a file of the folder. to is the path of the file, with what follows
// it in the address; "" if the folder has none.
func (p pages) named(address string) (key, to, rest string) {
	local := strings.TrimPrefix(address, p.base)
	if found := documentURL().FindStringSubmatch(local); found != nil {
		if one := p.byURLID[found[1]]; one != nil {
			to = p.paths[one.ID]
		}
		return found[1] + found[2], to, found[2]
	}
	if id := attachmentID(local); id != "" {
		if name, ok := p.files.paths[id]; ok {
			return "file " + name, name, ""
		}
	}
	return "", "", ""
}

// next is named for an address behind others, which written has by what they name. If one of
// these is of another attachment with the same content, the ID follows the path.
func (p pages) next(address string, written map[string]string) (key, to, rest string) {
	key, to, rest = p.named(address)
	if first, ok := written[key]; ok && first != address && strings.HasPrefix(key, "file ") {
		rest = "#" + attachmentID(strings.TrimPrefix(address, p.base))
		key += rest
	}
	return key, to, rest
}

// relative returns a text with relative links in place of links to documents and files of
// the folder. from is the path of the file. A link that could not be turned back stays as
// it is: if two addresses name the same, those like the second.
func (p pages) relative(text, from string) string {
	written := map[string]string{} // addresses by what they name
	result := replaceLinks(text, func(address string) string {
		key, to, rest := p.next(address, written)
		if first, ok := written[key]; to == "" || ok && first != address {
			return address
		}
		written[key] = address
		return relativePath(path.Dir(from), to) + rest
	})
	if p.resolved(result, from, text, p.now) != text {
		return text
	}
	return result
}

// absolute is the reverse of relative. A link that stood in the earlier text is written
// as it was there, and means the page that had its path then, unless something has already
// rewritten the links for the paths of now. Wiki links become links.
func (p pages) absolute(text, from, earlier string) string {
	meant := p.now
	if len(p.earlier) > 0 && earlier != "" && !p.settled[from] {
		if p.resolved(text, from, earlier, p.now) == earlier {
			return earlier
		}
		meant = p.meant(earlier)
	}
	result := p.resolved(text, from, earlier, meant)
	if linked := p.withoutWikiLinks(result, from, earlier); linked != result {
		result = p.resolved(linked, from, earlier, p.now) // its links are new
	}
	return result
}

// resolved returns a text with the addresses of the pages that meant finds for links, and
// those of attachments.
func (p pages) resolved(text, from, earlier string, meant func(label, address, from string) *place) string {
	written := map[string]string{} // addresses by what they name
	replaceLinks(earlier, func(address string) string {
		if key, _, _ := p.next(address, written); key != "" {
			if _, ok := written[key]; !ok {
				written[key] = address
			}
		}
		return address
	})
	return eachLink(text, func(label, address string) string {
		target, rest := p.mended(address, from)
		key, plain := "", ""
		if one := meant(label, address, from); one != nil {
			key, plain = one.URLID+rest, one.URL+rest
		} else if id, ok := p.files.ids[target]; ok && rest == "" {
			key, plain = "file "+target, attachmentAddress+id
		} else if id := strings.TrimPrefix(rest, "#"); target != "" && p.files.paths[id] == target {
			key, plain = "file "+target+rest, attachmentAddress+id
		} else {
			return address
		}
		if as, ok := written[key]; ok {
			return as
		}
		return plain
	})
}

// exists reports whether a path is, or was, that of a page or file of the folder.
func (p pages) exists(target string) bool {
	return p.byPath[target] != nil || p.fresh[target] != "" || p.earlier[target] != nil || p.files.ids[target] != ""
}

// awaits reports whether a text links to a file that is no document yet.
func (p pages) awaits(text, from string) bool {
	return slices.ContainsFunc(p.targets(text, from), func(target string) bool { return p.fresh[target] != "" && p.byPath[target] == nil })
}

// targets returns the paths in the folder that the addresses in a text name.
func (p pages) targets(text, from string) (all []string) {
	replaceLinks(text, func(address string) string {
		if target, _ := p.target(address, from); target != "" {
			all = append(all, target)
		}
		return address
	})
	return all
}

// target returns the path in the folder that an address in a file names, and what follows
// the path in the address. The path is "" for an address elsewhere.
func (p pages) target(address, from string) (target, rest string) {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address, rest = address[:i], address[i:]
	}
	if address == "" || strings.HasPrefix(address, "/") || strings.Contains(address, ":") {
		return "", rest
	}
	name, err := url.PathUnescape(address)
	if err != nil {
		return "", rest
	}
	return path.Join(path.Dir(from), name), rest
}

// relativePath returns the address of a file as seen from a folder.
func relativePath(folder, to string) string {
	from, parts := strings.Split(folder, "/"), strings.Split(to, "/")
	if folder == "." {
		from = nil
	}
	same := 0
	for same < len(from) && same < len(parts)-1 && from[same] == parts[same] {
		same++
	}
	address := strings.Repeat("../", len(from)-same) + strings.Join(parts[same:], "/")
	return escaper.Replace(address)
}

// escaper escapes what has a meaning in addresses or in Markdown.
var escaper = strings.NewReplacer("%", "%25", " ", "%20", "#", "%23", "?", "%3F", "(", "%28", ")", "%29", "[", "%5B", "]", "%5D",
	"<", "%3C", ">", "%3E", "\\", "%5C", "`", "%60", "*", "%2A", "~", "%7E", "\"", "%22", "'", "%27", ":", "%3A")

// replaceLinks replaces the addresses of links and images outside of code.
func replaceLinks(text string, replace func(address string) string) string {
	return eachLink(text, func(_, address string) string { return replace(address) })
}

// eachLink is replaceLinks with the labels of the links.
func eachLink(text string, replace func(label, address string) string) string {
	return outsideCode(text, func(part string) string {
		var out strings.Builder
		last, end := 0, 0
		for _, at := range destination.FindAllStringSubmatchIndex(part, -1) {
			address := part[at[2]:at[3]]
			inner := strings.TrimSuffix(strings.TrimPrefix(address, "<"), ">")
			label := part[end:at[0]]
			end = at[3]
			if replaced := replace(label[strings.LastIndexByte(label, '[')+1:], inner); replaced != inner {
				out.WriteString(part[last:at[2]] + replaced)
				last = at[3]
			}
		}
		return out.String() + part[last:]
	})
}

// outsideCode rewrites the parts of the lines of a text that are not code.
func outsideCode(text string, rewrite func(part string) string) string {
	var out strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		was := fence
		if fence = fenceAfter(line, fence); was != "" || fence != "" {
			out.WriteString(line)
		} else {
			outsideCodeInLine(&out, line, rewrite)
		}
	}
	return out.String()
}

// itemStart finds what a line may have before a fence that begins an item or a quote.
var itemStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[ \t>]|[-*+][ \t]+|\d+[.)][ \t]+)*`) })

// fenceAfter returns the signs that began the block of code in which the text is after a
// line, or "". fence is the same for the text before the line.
func fenceAfter(line, fence string) string {
	if !strings.Contains(line, "```") && !strings.Contains(line, "~~~") {
		return fence
	}
	if fence != "" {
		body := strings.TrimLeft(line, " \t>")
		if strings.HasPrefix(body, fence) && strings.TrimSpace(strings.TrimLeft(body, fence[:1])) == "" {
			return ""
		}
		return fence
	}
	body := line[len(itemStart().FindString(line)):]
	for _, sign := range []string{"`", "~"} {
		rest := strings.TrimLeft(body, sign)
		if n := len(body) - len(rest); n >= 3 && (sign == "~" || !strings.Contains(rest, sign)) {
			return body[:n]
		}
	}
	return ""
}

// outsideCodeInLine is outsideCode for a line, which passes over code between backticks.
func outsideCodeInLine(out *strings.Builder, line string, rewrite func(string) string) {
	for {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			out.WriteString(rewrite(line))
			return
		}
		run := len(line[start:]) - len(strings.TrimLeft(line[start:], "`"))
		end := closing(line[start+run:], run)
		if end < 0 { // no code: the backticks are text
			out.WriteString(rewrite(line[:start+run]))
			line = line[start+run:]
			continue
		}
		out.WriteString(rewrite(line[:start]))
		end += start + run
		out.WriteString(line[start:end])
		line = line[end:]
	}
}

// closing returns where a run of exactly n backticks ends in s, or -1.
func closing(s string, n int) int {
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		at += run
		if run == n {
			return at
		}
	}
	return -1
}
