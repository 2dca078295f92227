package folder

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"outline-mcp/outline"
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
			Detail: "its front matter names a document that this folder does not have; if it was archived or deleted, restore it in Outline, or remove the outline line to make it a new document"})
	}
	return skipped
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
