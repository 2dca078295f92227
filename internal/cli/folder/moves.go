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
		stays := isKnown && p.Into != "" && l.Path == r.Path && r.place == *one // people gave such a file its name
		if !isKnown || stays || l.Path != r.Path && !strings.HasPrefix(l.Path, stateFolder) {
			if isKnown && !stays && l.Path != p.paths[one.ID] {
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
		return cmp.Compare(strings.Count(path.Base(a.to), outlineSuffix), strings.Count(path.Base(b.to), outlineSuffix))
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
func besidePath(name string) string { return strings.TrimSuffix(name, Extension) + outlineSuffix }

// mended returns the path that an address in a file names, seen from the earlier path of
// the file if there is nothing at the other, and what follows the path in the address.
func (p pages) mended(address, from string) (target, rest string) {
	target, rest = p.target(address, from)
	if was := p.from[from]; was != "" && !p.exists(target) {
		if old, _ := p.target(address, was); p.exists(old) {
			target = old
		}
	}
	return target, rest
}

// now returns the page at the address of a link. At a path that is free, it is the page
// that was there.
func (p pages) now(_, address, from string) *place {
	target, _ := p.mended(address, from)
	if page, ok := strings.CutSuffix(target, ".csv"); ok && page+Extension != from && p.byPath[page+Extension] != nil { // a database of Notion
		return p.byPath[page+Extension]
	}
	if p.byPath[target] == nil && p.fresh[target] == "" {
		return p.earlier[target]
	}
	return p.byPath[target]
}

// meant returns what finds the page that a link means in a file with an earlier text: for an
// address that stood in it, the page that was there, even if another is there now. If only
// that one had the label of the link, the address was rewritten.
func (p pages) meant(earlier string) func(label, address, from string) *place {
	stood := map[string]bool{} // URL IDs, alone and below labels
	eachLink(earlier, func(label, address string) string {
		key, _, rest := p.named(address)
		urlID := strings.TrimSuffix(key, rest)
		stood[urlID], stood[label+"]("+urlID] = true, true
		return address
	})
	return func(label, address, from string) *place {
		now := p.now(label, address, from)
		target, _ := p.target(address, cmp.Or(p.from[from], from))
		then := p.earlier[target]
		if then == nil && p.from[target] == "" {
			then = p.byPath[target]
		}
		has := func(one *place) bool { return stood[label+"]("+one.URLID] }
		if then == nil || !stood[then.URLID] || now != nil && has(now) && !has(then) {
			return now
		}
		return then
	}
}

// followMoves rewrites links to files that have been moved or renamed since the last pull
// or push and, if removed is set or others have their paths, to those that have been deleted.
// The records forget the earlier paths with the push.
func (f *Folder) followMoves(removed bool) error {
	if len(f.links.earlier) == 0 {
		return nil
	}
	gone := map[string]bool{}
	for at, one := range f.links.earlier {
		replaced := f.links.byPath[at] != nil || f.links.fresh[at] != ""
		gone[one.URLID] = f.links.paths[one.ID] == "" && (removed || replaced)
	}
	for name, one := range f.links.byPath {
		if f.links.from[name] != "" { // its own push rewrites a moved file
			continue
		}
		text, err := f.text(one.ID)
		if err != nil {
			return err
		}
		stale := false
		replaceLinks(text, func(address string) string {
			key, to, rest := f.links.named(address)
			stale = stale || f.links.from[to] != "" || to == "" && gone[strings.TrimSuffix(key, rest)]
			return address
		})
		if !stale {
			continue
		}
		whole, err := f.load(name)
		if err != nil {
			continue // status tells of files that cannot be read
		}
		content := whole.page
		content.Text = f.links.relative(f.links.absolute(whole.Text, name, text), name)
		written := true
		if content.Text != whole.Text {
			if written, err = f.replace(name, whole.Hash, content.bytes()); err != nil {
				return err
			}
		}
		f.links.settled[name] = written
	}
	return nil
}
