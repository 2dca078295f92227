package folder

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"outline-mcp/outline"
)

// Scope says which documents a folder is of.
type Scope struct {
	Collection string // UUID; "" for all collections
	Below      string // UUID of a document in Collection; "" for all
}

// ErrOtherScope reports a command for other documents than the folder is of.
var ErrOtherScope = errors.New("this folder belongs to a different Outline, collection or document; use another folder")

// Belongs returns ErrOtherScope if the folder is not one of an Outline.
func (f *Folder) Belongs(instance string) error {
	if f.Instance != instance {
		return ErrOtherScope
	}
	return nil
}

// Prepare makes the folder one of the given documents. The zero Scope stands for those
// that it is of already.
func (f *Folder) Prepare(instance string, s Scope) error {
	if f.Instance == "" {
		f.Instance, f.Collection, f.Below = instance, s.Collection, s.Below
	} else if f.Instance != instance || s != (Scope{}) && s != (Scope{f.Collection, f.Below}) {
		return ErrOtherScope
	}
	f.Bound = f.Bound && s == (Scope{})
	return f.saveSettings()
}

// Include has this pull and later ones include the caller's own drafts, or the files that
// pages show.
func (f *Folder) Include(drafts, files bool) {
	f.Drafts = f.Drafts || drafts
	f.Anew = f.Anew || files && !f.Files
	f.Files = f.Files || files
}

// PrepareInto makes a folder that was never pulled one whose files become documents of a
// collection. Its top level is that of the collection. If the collection has documents
// already, those are left to others. Files that name documents, as those of a clone of a
// repository do, are taken over as they are in Outline, like those of a pull.
func (f *Folder) PrepareInto(ctx context.Context, c *outline.Client, collection string) (lines []Line, err error) {
	instance := c.AbsoluteURL("/")
	known, err := f.records(func(*record) bool { return true })
	if err != nil {
		return nil, err
	}
	plans, err := f.plans()
	if err != nil {
		return nil, err
	}
	if f.Instance != "" && (f.Into == "" || len(known) > 0 || len(plans) > 0) { // something was pushed, not only shown
		if f.Instance != instance || f.Collection != collection {
			err = ErrOtherScope
		}
		return nil, err
	}
	there, err := c.CollectionDocuments(ctx, collection)
	if err != nil {
		return nil, err
	}
	f.Bound, f.Instance, f.Collection, f.Into, f.Tops = len(there) > 0, instance, collection, collection, map[string]string{collection: "."}
	f.leave(there, known)
	if err := f.saveSettings(); err != nil {
		return nil, err
	}
	_, here, err := f.look(ctx)
	if err != nil || len(here.changed) == 0 {
		return nil, err
	}
	f.named = true
	defer func() { f.named = false }()
	return f.Pull(ctx, c, func(int, int) {})
}

// leave takes note of the documents in the collection that are others'.
func (f *Folder) leave(there []outline.Node, known records) {
	t := tree{}
	t.add(there, f.Into, "")
	f.taken = map[string]string{}
	paths := layout(t.places, f.Tops)
	for _, one := range t.places {
		if _, is := known.get(one.ID); !is {
			f.taken[folded(paths[one.ID])] = one.URLID
		}
	}
}

// LeaveOthers keeps a push of a bound folder from making documents beside those of others that
// have the same titles.
func (f *Folder) LeaveOthers(ctx context.Context, c *outline.Client) error {
	if !f.Bound || f.taken != nil {
		return nil
	}
	known, err := f.records(func(*record) bool { return true })
	if err != nil {
		return err
	}
	there, err := c.CollectionDocuments(ctx, f.Into)
	if err == nil {
		f.leave(there, known)
	}
	return err
}

// Pull brings the changes in Outline into the files. A file that has its own changes
// is merged if both sides change different blocks; otherwise it is left, and Outline's
// version is written beside it. progress is called with the number of documents that
// have been looked at.
func (f *Folder) Pull(ctx context.Context, c *outline.Client, progress func(done, total int)) ([]Line, error) {
	f.restores = true
	if err := f.Resume(ctx, c); err != nil {
		return nil, err
	}
	p, err := f.compare(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := p.fetch(ctx, c, progress); err != nil {
		return nil, err
	}
	if err := p.removeGone(); err != nil {
		return p.lines, err
	}
	if err := p.move(); err != nil {
		return p.lines, err
	}
	err = p.writeAll(ctx, c)
	p.remind()
	slices.SortStableFunc(p.lines, func(a, b Line) int { return strings.Compare(a.Path, b.Path) })
	return append(p.lines, p.here.problems...), err
}

// comparison is the folder beside what is in Outline.
type comparison struct {
	*Folder
	tree
	known  records // by ID
	here   local
	before func() pages // by the places of the files as they were found
	links  func() pages // by the places of the files as they will be
	lines  []Line

	movedHere map[string]bool   // documents whose files were moved here, by UUID
	theirs    map[string]string // where the files of those would be, by UUID

	unavailable map[string]bool // attachments that cannot be stored, by UUID
}

// compare reads the tree in Outline, the records and the folder.
func (f *Folder) compare(ctx context.Context, c *outline.Client) (*comparison, error) {
	known, here, err := f.look(ctx)
	if err != nil {
		return nil, err
	}
	t, err := f.readTree(ctx, c, known, &here)
	if err != nil {
		return nil, err
	}
	p := &comparison{Folder: f, tree: t, known: known, here: here, movedHere: map[string]bool{}, theirs: map[string]string{}, unavailable: map[string]bool{}}
	for id, r := range known {
		if !r.Gone || !t.has(id) {
			continue
		}
		if l, ok := here.file(&r.place); ok {
			here.moved(&r.place, l)
		}
		delete(known, id) // its earlier text no longer counts: read it like a new document
		if err := f.drop(id); err != nil {
			return nil, err
		}
	}
	p.keepOwnPlaces()
	p.before = sync.OnceValue(p.linksBefore)
	p.links = sync.OnceValue(func() pages { return newPages(f.Instance, t.places, t.paths, f.files) })
	return p, nil
}

// look reads the records and the folder. A conflict whose other version has been deleted
// is resolved: what the file says now is a change of that version.
func (f *Folder) look(ctx context.Context) (known records, here local, err error) {
	if known, err = f.records(func(*record) bool { return true }); err != nil {
		return nil, here, err
	}
	if f.files, err = f.attachments(); err != nil {
		return nil, here, err
	}
	if here, err = f.scan(ctx, known); err != nil {
		return nil, here, err
	}
	for id, r := range known {
		l, ok := here.file(&r.place)
		if v := r.Conflict; v != nil && ok && here.versionBeside(l, r) == "" { // resolved
			r.Revision, r.Icon, r.Color, r.Conflict = v.Revision, v.Icon, v.Color, nil
			if err := f.put(map[string]string{id: v.Text}, *r); err != nil {
				return nil, here, err
			}
		}
	}
	return known, here, nil
}

// fetch stores the texts that have changed in Outline, until they are in files.
func (p *comparison) fetch(ctx context.Context, c *outline.Client, progress func(done, total int)) error {
	newest, seen := p.Newest, map[string]bool{}
	take := func(documents []outline.Document) error {
		versions := map[string]version{}
		for _, d := range documents {
			if d.PublishedAt != nil && d.UpdatedAt.After(newest) { // drafts are all listed again
				newest = d.UpdatedAt
			}
			if !p.has(d.ID) || seen[d.ID] {
				continue
			}
			seen[d.ID] = true
			if r, ok := p.known.get(d.ID); !ok || r.Revision != d.Revision || r.Icon != d.Icon || r.Color != d.Color {
				versions[d.ID] = version{Revision: d.Revision, Icon: d.Icon, Color: d.Color, Text: d.Text}
			}
		}
		progress(len(seen), len(p.places))
		return p.arrive(versions)
	}
	if err := p.changed(ctx, c, p.Newest, take); err != nil {
		return err
	}
	// A document that was listed on no page, or has become visible, is read by itself.
	for _, one := range p.places {
		if _, ok := p.known.get(one.ID); ok || seen[one.ID] {
			continue
		}
		if v, err := p.arrived(one.ID); err != nil || v != nil {
			if err != nil {
				return err
			}
			continue
		}
		d, err := c.Document(ctx, one.ID)
		if errors.Is(err, outline.ErrNotFound) || errors.Is(err, outline.ErrForbidden) {
			continue
		}
		if err == nil {
			err = take([]outline.Document{d})
		}
		if err != nil {
			return err
		}
	}
	p.Newest, p.Tops = newest, p.tops
	return p.saveSettings()
}

// removeGone deletes the files of documents that are no longer in Outline. One with
// changes is left.
func (p *comparison) removeGone() error {
	for id, r := range p.known {
		if p.has(id) {
			continue
		}
		l, ok := p.here.file(&r.place)
		if p.here.unreadable[r.Path] {
			continue
		}
		if now, err := p.read(l.Path); ok && (l.Hash != r.Hash || err != nil || hashOf(now) != r.Hash) {
			if !r.Gone {
				r.Gone = true
				if err := p.put(nil, *r); err != nil {
					return err
				}
			}
			p.tell(l.Path, Kept, r.URLID, "the document is no longer in Outline, and the file has changes")
			continue
		}
		if ok {
			if err := p.remove(l.Path); err != nil {
				return err
			}
			p.tell(l.Path, Removed, r.URLID, "")
		}
		if err := p.drop(id); err != nil {
			return err
		}
		delete(p.known, id)
	}
	return nil
}

func (p *comparison) tell(name string, what What, urlID, detail string) {
	p.lines = append(p.lines, Line{name, what, urlID, detail})
}

// remind tells of the conflicts of earlier pulls that are still to be resolved.
func (p *comparison) remind() {
	for _, one := range p.places {
		r, ok := p.known.get(one.ID)
		if !ok || r.Conflict == nil {
			continue
		}
		told := slices.ContainsFunc(p.lines, func(l Line) bool { return l.Document == one.URLID })
		beside := besidePath(p.paths[one.ID])
		if _, err := p.root.Lstat(beside); err == nil && !told {
			p.tell(p.paths[one.ID], Conflict, one.URLID, "merge "+beside+" into it, and delete that file")
		}
	}
}
