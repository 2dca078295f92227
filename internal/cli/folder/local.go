package folder

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// A file is a file of a document in the folder.
type file struct {
	Path  string
	found string // Path before the file was moved; "" if it was not
	Hash  string
	page  // without its text
}

// local is what is in the folder.
type local struct {
	known   map[string]*record // by URL ID
	changed map[string]file    // that are not as their records say, by URL ID
	fresh   []file             // that name no document, in the order of their paths
	taken   map[string]bool
	// beside has the paths of versions of Outline that lie beside a file in conflict.
	beside map[string]bool
	// unreadable has the paths of files that cannot be read. What they say is not known.
	unreadable map[string]bool
	problems   []Line
}

// scan reads the folder.
func (f *Folder) scan(ctx context.Context, known records) (local, error) {
	found := local{known: make(map[string]*record, len(known)), changed: map[string]file{}, taken: map[string]bool{}, beside: map[string]bool{}, unreadable: map[string]bool{}}
	for _, r := range known {
		found.known[r.URLID] = r
	}
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || name == "." {
			return err
		}
		if base := path.Base(name); strings.HasPrefix(base, ".") || entry.IsDir() && strings.HasPrefix(base, "_") && !(name == draftsFolder && f.Drafts) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		linked := entry.Type()&fs.ModeSymlink != 0 && hasBelow(known, name)
		if entry.IsDir() || !linked && !strings.EqualFold(path.Ext(name), Extension) {
			return nil
		}
		found.taken[folded(name)] = true
		if strings.HasSuffix(name, theirs) {
			found.beside[name] = true
			return nil
		}
		one, err := f.load(name)
		if err != nil {
			found.unreadable[name] = true
			found.problems = append(found.problems, Line{Path: name, What: Skipped, Detail: err.Error()})
			return nil
		}
		one.Text = ""
		found.add(one)
		return nil
	})
	if err == nil {
		err = f.scanMoving(&found)
	}
	slices.SortFunc(found.fresh, func(a, b file) int { return strings.Compare(a.Path, b.Path) })
	return found, err
}

// hasBelow reports whether files are known to be below a folder.
func hasBelow(known records, name string) bool {
	for _, r := range known {
		if strings.HasPrefix(r.Path, name+"/") {
			return true
		}
	}
	return false
}

// movingPrefix begins the names of files that an interrupted command was moving.
const movingPrefix = "moving-"

// scanMoving finds the files that an interrupted command was moving.
func (f *Folder) scanMoving(found *local) error {
	entries, err := fs.ReadDir(f.root.FS(), stateFolder)
	for _, entry := range entries {
		name := path.Join(stateFolder, entry.Name())
		if !strings.HasPrefix(entry.Name(), movingPrefix) {
			continue
		}
		if strings.HasSuffix(name, theirs) {
			found.beside[name] = true
		} else if one, err := f.load(name); err == nil {
			one.Text = ""
			found.add(one)
		}
	}
	return err
}

// versionBeside returns the path of Outline's version of a document in conflict: beside its
// file, where that was, or where an interrupted command has left it; "" if there is none.
func (l *local) versionBeside(one file, r *record) string {
	for _, name := range []string{one.Path, r.Path, asidePath(r.URLID)} {
		if name = besidePath(name); r.Conflict != nil && l.beside[name] {
			return name
		}
	}
	return ""
}

// strays returns the paths of files that are named like versions of Outline, but are beside
// no file in conflict.
func (l *local) strays(known records) []string {
	all := maps.Clone(l.beside)
	for _, r := range known {
		one, _ := l.file(r.URLID)
		delete(all, l.versionBeside(one, r))
	}
	return slices.Sorted(maps.Keys(all))
}

// add takes a file. If two name one document, it is that of the file at its known place.
func (l *local) add(one file) {
	if one.URLID == "" {
		l.fresh = append(l.fresh, one)
		return
	}
	r := l.known[one.URLID]
	if other, twice := l.file(one.URLID); twice {
		if r != nil && other.Path == r.Path {
			one, other = other, one
		}
		l.problems = append(l.problems, Line{Path: other.Path, What: Skipped, Document: one.URLID,
			Detail: fmt.Sprintf("it is a copy of %s; remove the outline line to make it a new document", one.Path)})
	}
	if r != nil {
		r.unchanged = one.Path == r.Path && one.Hash == r.Hash && r.Conflict == nil
		if r.unchanged {
			delete(l.changed, one.URLID)
			return
		}
	}
	l.changed[one.URLID] = one
}

// moved takes a file at its new place.
func (l *local) moved(one file) {
	if r := l.known[one.URLID]; r != nil {
		r.unchanged = false
	}
	l.changed[one.URLID] = one
}

// file returns the file of a document, if there is one.
func (l *local) file(urlID string) (file, bool) {
	if r := l.known[urlID]; r != nil && r.unchanged {
		return file{Path: r.Path, Hash: r.Hash, page: page{URLID: urlID, Title: titleField(r.Path, urlID, r.Title), Icon: r.Icon, Color: r.Color}}, true
	}
	one, ok := l.changed[urlID]
	return one, ok
}

// load reads a file with its text.
func (f *Folder) load(name string) (file, error) {
	content, err := f.read(name)
	if err != nil {
		return file{}, err
	}
	p, err := parsePage(content)
	return file{Path: name, Hash: hashOf(content), page: p}, err
}

// titleField returns the title in the front matter of a file: "" if the name says it.
func titleField(name, urlID, title string) string {
	if stem(name, urlID) == title {
		return ""
	}
	return title
}

// stem returns the title that the name of a file says.
func stem(name, urlID string) string {
	base := strings.TrimSuffix(path.Base(name), Extension)
	return strings.TrimSuffix(base, " ("+urlID+")")
}

// title returns the title that a file gives its document.
func (one file) title(r record) string {
	written := titleField(r.Path, r.URLID, r.Title)
	switch {
	case one.Title != written && one.Title != "":
		return one.Title
	case path.Base(one.Path) != path.Base(r.Path), one.Title != written:
		return stem(one.Path, r.URLID)
	}
	return r.Title
}
