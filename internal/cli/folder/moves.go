package folder

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// keepOwnPlaces leaves files where they have been moved to, and gives way to all files that
// stay where they are. A file without a record stays until it has one.
func (p *comparison) keepOwnPlaces() {
	elsewhere := func(one *place) bool {
		l, ok := p.here.file(one)
		return !ok || l.Path != p.paths[one.ID]
	}
	if !slices.ContainsFunc(p.places, elsewhere) {
		return
	}
	here := p.here.taken()
	if len(here) == 0 {
		return
	}
	owners := map[string]*place{} // of the files, by their folded paths
	taken := map[string]bool{}    // places that are settled
	for _, one := range p.places {
		r, isKnown := p.known.get(one.ID)
		l, ok := p.here.file(one)
		if !ok {
			continue
		}
		owners[folded(l.Path)] = one
		if !isKnown || l.Path != r.Path && !strings.HasPrefix(l.Path, stateFolder) {
			if isKnown && l.Path != p.paths[one.ID] {
				p.movedHere[one.ID], p.theirs[one.ID] = true, p.paths[one.ID]
			}
			p.paths[one.ID] = l.Path
			taken[folded(l.Path)] = true
		}
	}
	for _, one := range p.places {
		name := p.paths[one.ID]
		if l, ok := p.here.file(one); ok && l.Path == name && taken[folded(name)] {
			continue // where it was moved to
		}
		owner, owned := owners[folded(name)]
		inTheWay := here[folded(name)] && !owned || owned && owner.ID != one.ID && folded(p.paths[owner.ID]) == folded(name)
		if taken[folded(name)] || inTheWay {
			name = strings.TrimSuffix(name, Extension) + " (" + one.URLID + ")" + Extension
			p.paths[one.ID] = name
		}
		taken[folded(name)] = true
	}
}

// move moves files to the places that their documents have now. They go by way of
// another folder, because two may change places. The front matter says whose files they
// are until the records do. A version beside a page follows the page, which says where
// it is.
func (p *comparison) move() error {
	type step struct{ from, aside, to string }
	var steps []step
	for _, one := range p.places {
		r, isKnown := p.known.get(one.ID)
		l, ok := p.here.file(one)
		if !isKnown || !ok {
			continue
		}
		to, aside := p.paths[one.ID], asidePath(one.URLID)
		if beside := p.here.versionBeside(l, &r); beside != "" && beside != besidePath(to) {
			steps = append(steps, step{beside, besidePath(aside), besidePath(to)})
			p.here.beside[besidePath(to)] = true
		}
		if l.Path == to {
			continue
		}
		steps = append(steps, step{l.Path, aside, to})
		p.tell(to, Moved, one.URLID, "from "+l.Path)
		l.found, l.Path = l.Path, to
		if strings.HasPrefix(l.found, stateFolder) { // an interrupted command moved it there
			l.found = r.Path
		}
		p.here.moved(one, l)
	}
	for _, s := range steps {
		if _, err := p.root.Lstat(s.aside); err == nil && s.from != s.aside {
			return fmt.Errorf("%s, which an interrupted pull left, is a copy of %s; move what you want to keep of it elsewhere, delete it, and pull again", s.aside, s.from)
		}
	}
	for _, s := range steps {
		if err := p.rename(s.from, s.aside); err != nil {
			return err
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Compare(strings.Count(path.Base(a.to), theirs), strings.Count(path.Base(b.to), theirs))
	})
	for _, s := range steps {
		if _, err := p.root.Lstat(s.to); err == nil { // it has come meanwhile
			return fmt.Errorf("%s is in the way of a page that has moved there; move it away, and pull again", s.to)
		}
		if err := p.rename(s.aside, s.to); err != nil {
			return err
		}
	}
	return nil
}

// asidePath returns the path of the file of a document while it is moved.
func asidePath(urlID string) string { return path.Join(stateFolder, movingPrefix+urlID+Extension) }

// besidePath returns the path of the file that shows Outline's version in a conflict.
func besidePath(name string) string { return strings.TrimSuffix(name, Extension) + theirs }
