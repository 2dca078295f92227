package folder

import (
	"cmp"
	"context"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
)

// A Change is what differs between a file and its document.
type Change struct {
	Path     string `json:"path"`
	Document string `json:"document,omitempty"` // URL ID
	Title    string `json:"title"`
	Here     []What `json:"here,omitempty"`  // since the last pull or push
	There    []What `json:"there,omitempty"` // in Outline since then; only if it was asked
	Conflict bool   `json:"conflict,omitempty"`

	record record
	parent parent
	file   file
	isNew  bool
	// unsure says, as a clause, which file may be that of a document whose file is not found.
	unsure string
	notes  string // what a tool says of the text that was sent
	// revision is the one that this push has made.
	revision int
	// unmerged says that both sides have been changed since then.
	unmerged bool
}

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

// has reports whether something was done to the file.
func (c Change) has(what What) bool { return slices.Contains(c.Here, what) }

// Status returns what has changed since the last pull or push: in the folder, and, if c
// is not nil, in Outline. The lines are about files that do not count.
func (f *Folder) Status(ctx context.Context, c *outline.Client) ([]Change, []Line, error) {
	known, here, err := f.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range here.strays(known) {
		here.problems = append(here.problems, Line{Path: name, What: Skipped, Detail: "it belongs to no page in conflict; delete it, or rename it to make it a page"})
	}
	changes, err := f.changesHere(known, &here)
	if err != nil || c == nil {
		return changes, here.problems, err
	}
	changes, err = f.changesThere(ctx, c, known, &here, changes)
	return changes, here.problems, err
}

// changesHere compares the folder with the records, in the order of the paths.
func (f *Folder) changesHere(known records, here *local) ([]Change, error) {
	f.links = f.linksOf(known, here)
	changes, skipped := f.newFiles(here)
	here.problems = append(here.problems, skipped...)
	for _, r := range known {
		change, changed, err := f.knownPage(r, here)
		if err != nil {
			return nil, err
		}
		if changed {
			changes = append(changes, change)
		}
	}
	here.problems = append(here.problems, here.foreign(known)...)
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// linksOf returns what links in the folder lead to.
func (f *Folder) linksOf(known records, here *local) pages {
	places := make([]*place, 0, len(known))
	paths := make(map[string]string, len(known))
	for id, r := range known {
		places = append(places, &r.place)
		if l, ok := here.file(&r.place); ok {
			paths[id] = l.Path
		}
	}
	links := newPages(f.Instance, places, paths, f.files)
	taken := here.taken()
	links.names = &pageNames{folder: f}
	for _, r := range known { // a folder whose page was renamed alone is still that page's
		l, ok := here.file(&r.place)
		other := links.byPath[r.Path] // if it had this path then, links to the path are to it
		if !ok && links.earlier[r.Path] == nil && (other == nil || known[other.ID].Path != r.Path) {
			links.earlier[r.Path] = &r.place // links to it stay Outline's
		}
		if !ok || l.Path == r.Path {
			continue
		}
		links.moved(&r.place, r.Path, l.Path)
		if !taken[folded(r.Path)] {
			links.stands[r.Path] = l.Path
		}
	}
	return links
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

// knownPage returns what differs between a record and its file, and whether anything does.
func (f *Folder) knownPage(r *record, here *local) (change Change, changed bool, err error) {
	l, ok := here.file(&r.place)
	change = Change{Path: r.Path, Document: r.URLID, Title: r.Title, record: *r, file: l}
	switch {
	case !ok && here.unreadable[r.Path]:
		return change, false, nil
	case !ok:
		change.Here = []What{Gone}
		if other := here.alike[r.ID]; other != "" {
			change.unsure = other + ", which has most of its lines: if so, give that file the line outline: " + r.URLID + "; if not, push it, and then push with --delete again"
		} else if len(here.unreadable) > 0 {
			change.unsure = slices.Min(slices.Collect(maps.Keys(here.unreadable))) + ", which cannot be read; fix it first"
		}
		return change, true, nil
	}
	change.Path, change.Title = l.Path, l.title(*r)
	change.Conflict = r.Conflict != nil
	if change.Title != r.Title {
		change.Here = append(change.Here, Renamed)
	}
	if path.Dir(l.Path) != path.Dir(r.Path) {
		change.parent = f.parentOf(l.Path, f.links)
		if p := change.parent; p.problem != "" || !p.is(r.place) {
			change.Here = append(change.Here, Moved)
		}
	}
	updated, err := f.isUpdated(r, l)
	if updated || f.lost[l.Path] != nil {
		change.Here = append(change.Here, Updated)
	}
	return change, len(change.Here) > 0 || change.Conflict || r.Gone, err
}

// isUpdated reports whether a file has another text, icon or color than its record.
func (f *Folder) isUpdated(r *record, l file) (bool, error) {
	if l.Hash == r.Hash && !r.Pending && !r.Awaits {
		return false, nil
	}
	whole, err := f.load(l.Path)
	if err != nil {
		return false, err
	}
	earlier, err := f.text(r.ID)
	if err != nil {
		return false, err
	}
	return f.links.absolute(whole.Text, l.Path, earlier) != earlier || r.Pending || r.Awaits || l.Icon != r.Icon || l.Color != r.Color, nil
}

// foreign returns the files of documents that were not pulled into this folder.
func (l *local) foreign(known records) (skipped []Line) {
	files := maps.Clone(l.changed)
	for _, r := range known {
		delete(files, r.URLID)
	}
	for urlID, one := range files {
		skipped = append(skipped, Line{Path: one.Path, What: Skipped, Document: urlID,
			Detail: "its front matter names a document that was not pulled into this folder; remove the outline line to make it a new document"})
	}
	return skipped
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

// changesThere adds what has changed in Outline.
func (f *Folder) changesThere(ctx context.Context, c *outline.Client, known records, here *local, changes []Change) ([]Change, error) {
	if err := f.Belongs(c.AbsoluteURL("/")); err != nil {
		return nil, err
	}
	t, err := f.readTree(ctx, c, known, here)
	if err != nil {
		return nil, err
	}
	there := map[string][]What{}
	places := map[string]*place{}
	err = f.changed(ctx, c, f.Newest, func(documents []outline.Document) error {
		for _, d := range documents {
			if r, ok := known.get(d.ID); ok && !f.isAsRecorded(r, d) && !slices.Contains(there[d.ID], Updated) {
				there[d.ID] = append(there[d.ID], Updated)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, one := range t.places {
		r, ok := known.get(one.ID)
		switch {
		case !ok:
			there[one.ID] = []What{New}
		case r.Title != one.Title:
			there[one.ID] = append(there[one.ID], Renamed)
		}
		if ok && (r.Parent != one.Parent || r.Collection != one.Collection) {
			there[one.ID] = append(there[one.ID], Moved)
		}
		places[one.ID] = one
	}
	for id := range known {
		if !t.has(id) {
			there[id] = []What{Gone}
		}
	}
	for i := range changes {
		changes[i].There = there[changes[i].record.ID]
		delete(there, changes[i].record.ID)
	}
	for id, what := range there {
		change := Change{Path: t.paths[id], There: what}
		if r, ok := known.get(id); ok {
			change.Path, change.Document, change.Title, change.record = r.Path, r.URLID, r.Title, r
		} else {
			change.Document, change.Title = places[id].URLID, places[id].Title
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// Sides returns the texts of a file: as it was pulled, as it is here, and, if it is in
// conflict, as it is in Outline. Links are as in files. The change is one that Status has
// returned.
func (f *Folder) Sides(c Change) (earlier, here, there string, err error) {
	read := func(name string) string {
		one, err := f.load(name)
		if err != nil {
			return ""
		}
		return one.Text
	}
	here = read(c.Path)
	if c.Conflict {
		there = read(besidePath(c.Path))
	}
	if c.isNew {
		return "", here, there, nil
	}
	text, err := f.text(c.record.ID)
	if len(f.links.earlier) > 0 { // with the links that a push gives it
		here = f.links.relative(f.links.absolute(here, c.Path, text), c.Path)
	}
	return f.links.relative(text, c.Path), here, there, err
}
