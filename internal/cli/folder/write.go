package folder

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"outline-mcp/outline"
)

// perStep is how many files are written between two changes of the database.
const perStep = 100

// An outcome is what is to become of the file of a document.
type outcome struct {
	record
	at      string  // path of the file: not that of the record while a move is not pushed
	text    *string // that goes with the record, if it changes
	content []byte  // of the file; nil leaves it
	beside  []byte  // of Outline's version, if the file is left in conflict with it
	line    *Line
}

// writeAll writes what has changed into files, in the order of the database, so that each
// step needs few of its pages.
func (p *comparison) writeAll(ctx context.Context, c *outline.Client) error {
	all := p.changesPlaces() || p.Anew || p.files.lost
	var step []outcome
	byID := func(a, b *place) int { return strings.Compare(a.ID, b.ID) }
	for _, one := range slices.SortedFunc(slices.Values(p.places), byID) {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := p.arrived(one.ID)
		if err != nil {
			return err
		}
		r, isKnown := p.known.get(one.ID)
		if v == nil && (!all || !isKnown) || p.here.unreadable[p.paths[one.ID]] || p.here.unreadable[r.Path] {
			continue
		}
		o, err := p.outcome(ctx, c, one, v)
		if err != nil {
			return err
		}
		if step = append(step, o); len(step) == perStep {
			if err := p.carryOut(step); err != nil {
				return err
			}
			step = step[:0]
		}
	}
	if err := p.carryOut(step); err != nil {
		return err
	}
	if p.files.lost {
		if err := p.forgetLost(); err != nil {
			return err
		}
	}
	if p.Anew {
		p.Anew = false
		return p.saveSettings()
	}
	return nil
}

// changesPlaces reports whether files have come, gone or moved, which changes links, or
// titles have changed.
func (p *comparison) changesPlaces() bool {
	return len(p.known) != len(p.places) || slices.ContainsFunc(p.places, func(one *place) bool {
		r, ok := p.known[one.ID]
		return !ok || r.place != *one || r.Path != p.paths[one.ID] || r.Conflict != nil
	})
}

// outcome decides what becomes of the file of a document. v is the version that has
// arrived, or nil.
func (p *comparison) outcome(ctx context.Context, c *outline.Client, one *place, v *version) (outcome, error) {
	r, isKnown := p.known.get(one.ID)
	l, here := p.here.file(one)
	earlier := ""
	if isKnown {
		var err error
		if earlier, err = p.text(one.ID); err != nil {
			return outcome{}, err
		}
	}
	now := version{Revision: r.Revision, Icon: r.Icon, Color: r.Color, Text: earlier}
	if v != nil {
		now = *v
	}
	lacks := p.Files && p.lacksFiles(now.Text)
	if lacks && !p.Check {
		if err := p.fetchFiles(ctx, c, one, now.Text); err != nil {
			return outcome{}, err
		}
	}
	o := outcome{record: record{place: *one, Revision: now.Revision, Icon: now.Icon, Color: now.Color, Path: p.paths[one.ID], Conflict: r.Conflict, Pending: r.Pending, Sent: r.Sent, Awaits: r.Awaits}, at: p.paths[one.ID]}
	if p.movedHere[one.ID] {
		o.Path = r.Path
	}
	if v != nil {
		o.text, o.Conflict = &v.Text, nil
	}
	plain := page{URLID: one.URLID, Title: titleField(o.at, one.URLID, one.Title), Icon: now.Icon, Color: now.Color, Text: p.links().relative(now.Text, o.at)}
	whole := plain.bytes()
	o.Hash = hashOf(whole)
	say := func(what What, detail string) { o.line = &Line{o.at, what, one.URLID, detail} }
	title := file{Path: cmp.Or(l.found, l.Path), page: l.page}.title(r)
	clash := ""
	switch {
	case here && isKnown:
		clash = p.clash(one, r, title)
	case here && l.title(record{place: place{URLID: one.URLID}}) != cmp.Or(one.Title, fileName("")): // the name says it if there is none
		clash = fmt.Sprintf("its title in Outline is %q", one.Title)
	}
	switch {
	case !here && isKnown && v == nil: // deleted here
		o.Hash = r.Hash
	case !here:
		o.content = whole
		if say(New, ""); isKnown {
			say(Restored, "it was deleted here, and has changed in Outline")
		}
	case clash == "" && l.Hash == o.Hash && lacks && p.Check:
		say(Updated, "to link to its files")
	case clash == "" && l.Hash == o.Hash:
	case clash == "" && isKnown && l.Hash == r.Hash && title == r.Title:
		o.content = whole
		if v != nil {
			say(Updated, "")
		}
	default:
		return o, p.reconcile(&o, mergeInput{plain: plain, r: r, isKnown: isKnown, now: now, earlier: earlier, title: title, clash: clash})
	}
	return o, nil
}

// clash returns what was done to a document on both sides in different ways, apart from
// its text and icon, as clauses. title is that of the file.
func (p *comparison) clash(one *place, r record, title string) string {
	var clauses []string
	if title != r.Title && one.Title != r.Title && title != one.Title {
		clauses = append(clauses, fmt.Sprintf("it was renamed here and in Outline, there to %q", one.Title))
	}
	if p.movedHere[one.ID] && path.Dir(r.Path) != path.Dir(p.paths[one.ID]) && (one.Parent != r.Parent || one.Collection != r.Collection) {
		clauses = append(clauses, "it was moved here and in Outline, there to "+path.Dir(p.theirs[one.ID]))
	}
	return strings.Join(clauses, "; ")
}

// mergeInput is a document with its own changes in the folder.
type mergeInput struct {
	plain   page   // the file without them
	r       record // zero if the document is not known
	isKnown bool
	now     version // in Outline
	earlier string  // text that both come from
	title   string  // that the file gives
	clash   string  // what else was changed on both sides
}

// reconcile decides what becomes of a file that has its own changes.
func (p *comparison) reconcile(o *outcome, b mergeInput) error {
	mine, err := p.load(o.at)
	if err != nil {
		return err
	}
	links := p.before()
	ours := links.absolute(mine.Text, links.paths[o.ID], b.earlier)
	merged, ok := ours, true
	result := b.plain
	switch {
	case b.isKnown:
		merged, ok = merge(b.earlier, ours, b.now.Text)
		icon, sameIcon := mergeField(b.r.Icon, mine.Icon, b.now.Icon)
		color, sameColor := mergeField(b.r.Color, mine.Color, b.now.Color)
		result.Icon, result.Color = icon, color
		unresolved := b.r.Conflict != nil && o.text != nil
		ok = ok && sameIcon && sameColor && b.clash == "" && !unresolved
	case o.text != nil:
		if p.pairFiles(mine, b.now.Text) {
			ours = links.absolute(mine.Text, links.paths[o.ID], b.now.Text)
		}
		ok = ours == b.now.Text && mine.Icon == b.now.Icon && mine.Color == b.now.Color && b.clash == ""
	}
	if !ok {
		o.beside = b.plain.bytes()
		detail := "Outline's version is in " + besidePath(o.at) + "; merge the two, and delete that file"
		if b.clash != "" {
			detail = b.clash + "; " + detail
		}
		o.line = &Line{o.at, Conflict, o.URLID, detail}
		o.Conflict, o.text, o.Revision, o.Icon, o.Color = &b.now, &b.earlier, b.r.Revision, b.r.Icon, b.r.Color
		return nil
	}
	result.Extra, result.Text = mine.Extra, p.links().relative(merged, o.at)
	if b.isKnown && b.title != b.r.Title {
		result.Title = mine.Title
	}
	if content := result.bytes(); hashOf(content) != mine.Hash {
		o.content = content
	}
	if o.text != nil && merged != ours {
		o.line = &Line{o.at, Merged, o.URLID, ""}
	}
	return nil
}

// mergeField is merge for a value that is changed as a whole.
func mergeField(earlier, ours, theirs string) (merged string, ok bool) {
	if ours == earlier {
		return theirs, true
	}
	return ours, theirs == earlier || ours == theirs
}

// linksBefore returns the pages at the places of their files as they were found.
func (p *comparison) linksBefore() pages {
	paths := map[string]string{}
	for _, one := range p.places {
		if l, ok := p.here.file(one); ok {
			paths[one.ID] = cmp.Or(l.found, l.Path)
		}
	}
	before := newPages(p.Instance, p.places, paths, p.files)
	for id, now := range paths {
		if r, ok := p.known.get(id); ok && r.Path != now {
			before.moved(&r.place, r.Path, now)
		}
	}
	return before
}

// carryOut writes files. The records say first what will be in them.
func (p *comparison) carryOut(step []outcome) error {
	var planned, done []record
	var settled []string
	texts := map[string]string{}
	for _, o := range step {
		if r, ok := p.known.get(o.ID); o.content != nil && hashOf(o.content) == o.Hash {
			if !ok {
				r = o.record
				r.Hash = ""
			}
			r.Next, r.NextPath = o.Hash, o.at
			planned = append(planned, r)
		}
	}
	if err := p.put(nil, planned...); err != nil {
		return err
	}
	for _, o := range step {
		if written, err := p.writeFiles(&o); err != nil || !written {
			if err == nil {
				err = p.unplan(o.ID)
			}
			if err != nil {
				return err
			}
			continue // what has arrived is left to the next pull
		}
		if o.line != nil {
			p.lines = append(p.lines, *o.line)
		}
		done, settled = append(done, o.record), append(settled, o.ID)
		if o.text != nil {
			texts[o.ID] = *o.text
		}
	}
	return p.update(func(tx *bbolt.Tx) error {
		if err := p.putIn(tx, texts, done); err != nil {
			return err
		}
		return forgetIn(tx, arrivedBucket, settled...) // which are in files now
	})
}

// unplan makes the record of a document what it was before carryOut.
func (p *comparison) unplan(id string) error {
	if r, ok := p.known.get(id); ok {
		return p.put(nil, r)
	}
	return p.forget(recordsBucket, id) // what has arrived for it stays
}

// writeFiles writes the file of a document, and Outline's version beside it. It reports
// whether it has: one that was changed meanwhile, or a version beside that has changes, is
// left.
func (p *comparison) writeFiles(o *outcome) (written bool, err error) {
	if o.content != nil {
		l, _ := p.here.file(&o.record.place)
		written, err = p.replace(o.at, l.Hash, o.content)
		if err == nil && !written {
			p.tell(o.at, Kept, o.URLID, "it was changed during this pull; pull again")
		}
		return written, err
	}
	if o.beside == nil {
		return true, nil
	}
	name, hash := besidePath(o.at), ""
	if r, _ := p.known.get(o.ID); r.Conflict != nil && p.here.beside[name] {
		hash = r.Conflict.Beside
	}
	if written, err = p.replace(name, hash, o.beside); err == nil && !written {
		written, err = p.replace(name, hashOf(o.beside), o.beside) // an interrupted pull wrote it
	}
	if err == nil && !written {
		p.tell(name, Kept, o.URLID, "it is not what a pull wrote, so Outline's version is not written over it; move it away, and pull again")
	}
	if written {
		v := *o.Conflict
		v.Beside, o.Conflict = hashOf(o.beside), &v
	}
	return written, err
}
