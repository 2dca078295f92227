package folder

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline/prosemirror"
)

// parent is where a file is in the tree.
type parent struct {
	collection string // UUID
	document   string // UUID; "" at the top level, or for a page that is new
	page       string // path of the page above; "" at the top level
	problem    string // why it has no place, as a clause
}

// is reports whether it is where a document is already. What is below a document moves
// to another collection with it.
func (p parent) is(one place) bool {
	if p.page != "" {
		return p.document == one.Parent && p.document != ""
	}
	return one.Parent == "" && p.collection == one.Collection
}

// newFiles returns the files that become documents, and those that cannot. Links lead to
// the former from then on.
func (f *Folder) newFiles(here *local) (changes []Change, skipped []Line) {
	for _, l := range here.fresh {
		if short := withoutNotionID(l.Path); short != l.Path && f.links.stands[short] == "" {
			f.links.stands[short] = l.Path
		}
	}
	pageOf := map[string]string{} // the files that are the pages of folders, by their folded paths
	for _, l := range withFolderPages(here.fresh, here.taken(), f.links.stands, f.Into != "") {
		page := folded(above(l.Path))
		if one, ok := f.links.at(above(l.Path)); ok {
			pageOf[page] = f.links.paths[one.ID]
		}
		if other := pageOf[page]; other != "" && !f.isTop(path.Dir(l.Path)) {
			skipped = append(skipped, Line{Path: l.Path, What: Skipped, Detail: other + " is already the page of this folder; move the text there, or rename the file"})
			continue
		}
		title := f.newTitle(l)
		if there := f.taken[folded(path.Join(path.Dir(above(l.Path)), fileName(title)+Extension))]; there != "" {
			skipped = append(skipped, Line{Path: l.Path, What: Skipped, Detail: "Outline has a document of this title here: if it is that of this file, give the file the line outline: " + there + "; otherwise rename the file"})
			continue
		}
		pageOf[page] = l.Path
		change := Change{Path: l.Path, Title: title, Here: []What{New}, file: l, isNew: true, parent: f.parentOf(l.Path, f.links)}
		if change.parent.problem != "" {
			skipped = append(skipped, Line{Path: l.Path, What: Skipped, Detail: change.parent.problem})
			continue
		}
		changes = append(changes, change)
		f.links.fresh[l.Path] = change.Title
	}
	return changes, skipped
}

// newTitle returns the title of a document that a new file becomes.
func (f *Folder) newTitle(l file) string {
	if l.Title != "" {
		return l.Title
	}
	if isIndexName(l.Path) && f.isTop(path.Dir(l.Path)) {
		if whole, err := f.load(l.Path); err == nil {
			return cmp.Or(whole.heading(), stem(l.Path, ""))
		}
	} else if isIndex(l.Path) {
		return path.Base(path.Dir(l.Path))
	} else if short := withoutNotionID(l.Path); short != l.Path {
		whole, _ := f.load(l.Path) // the page of a folder has no file
		return cmp.Or(whole.heading(), stem(short, ""))
	}
	return stem(l.Path, "")
}

// notionID is what Notion adds to the names of exported pages.
var notionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` [0-9a-f]{32}(\.md)?$`) })

// withoutNotionID returns the path of an exported page as its folder may have it.
func withoutNotionID(name string) string { return notionID().ReplaceAllString(name, "$1") }

// isTop reports whether a folder is the top level of a collection, which has no page.
func (f *Folder) isTop(dir string) bool {
	return slices.Contains(slices.Collect(maps.Values(f.Tops)), dir)
}

// heading returns the heading of the first level that a text begins with, or "".
func (p page) heading() string {
	if found := prosemirror.Sections(p.Text); len(found) > 0 && found[0].Level == 1 {
		return found[0].Heading
	}
	return ""
}

// isIndex reports whether a file is the page of its folder, as generators of sites and
// repositories have it.
func isIndex(name string) bool {
	return path.Dir(name) != "." && isIndexName(name)
}

func isIndexName(name string) bool {
	base := strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	return base == "index" || base == "readme" || base == "_index"
}

// withFolderPages adds the pages of folders that have none, so that what is in them has
// a page above. Their files are not there. The folders at the top are pages only if the
// whole folder is one collection.
func withFolderPages(fresh []file, taken map[string]bool, stands map[string]string, tops bool) []file {
	all := slices.Clone(fresh)
	added := map[string]bool{}
	index := map[string]bool{}
	for _, l := range fresh {
		if isIndex(l.Path) {
			index[path.Dir(l.Path)] = true
		}
	}
	for _, l := range fresh {
		for dir := path.Dir(l.Path); dir != "." && (tops || strings.Contains(dir, "/")); dir = path.Dir(dir) {
			name := dir + Extension
			if taken[folded(name)] || added[name] || index[dir] || stands[name] != "" || strings.HasPrefix(name, draftsFolder) {
				continue
			}
			added[name] = true
			all = append(all, file{Path: name})
		}
	}
	slices.SortFunc(all, func(a, b file) int {
		if d := strings.Count(above(a.Path), "/") - strings.Count(above(b.Path), "/"); d != 0 {
			return d
		}
		return strings.Compare(a.Path, b.Path)
	})
	return all
}

// above returns the path of the page that a file is or, for the page of a folder, stands for.
func above(name string) string {
	if isIndex(name) {
		return path.Dir(name) + Extension
	}
	return name
}

// parentOf says where in the tree the place of a file is.
func (f *Folder) parentOf(name string, links pages) parent {
	dir := path.Dir(above(name))
	if f.isTop(path.Dir(name)) {
		dir = path.Dir(name)
	}
	top := dir
	if i := strings.IndexByte(dir, '/'); i >= 0 {
		top = dir[:i]
	}
	if f.Into != "" && top != draftsFolder {
		top = "."
	}
	for id, folder := range f.Tops {
		if folder != top {
			continue
		}
		p := parent{collection: id}
		if dir == top {
			return p
		}
		if id == drafts {
			return parent{problem: "a draft has no pages below it; move it into " + draftsFolder}
		}
		p.page = dir + Extension
		if page, ok := links.at(p.page); ok {
			p.document = page.ID
		}
		return p
	}
	return parent{problem: "it is not in a collection folder; move it into one"}
}
