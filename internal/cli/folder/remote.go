package folder

import (
	"cmp"
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"outline-mcp/outline"
)

// tree is what is in Outline, without texts.
type tree struct {
	places []*place // ancestors come before what is below them
	tops   map[string]string
	paths  map[string]string // where layout puts the files, by ID
	known  records           // whose places and paths are shared, as far as they are the same
}

// has reports whether a document is in the tree.
func (t *tree) has(id string) bool {
	_, ok := t.paths[id]
	return ok
}

// readTree reads the trees of the collections that the folder is of.
func (f *Folder) readTree(ctx context.Context, c *outline.Client, known records, here *local) (tree, error) {
	var collections []outline.Collection
	var err error
	if f.Collection == "" {
		collections, err = outline.Collect(outline.All(ctx, c.Collections, outline.Paging{}))
	} else {
		var one outline.Collection
		one, err = c.Collection(ctx, f.Collection)
		collections = []outline.Collection{one}
	}
	if err != nil {
		return tree{}, err
	}
	names, urlIDs := map[string]string{}, map[string]string{}
	t := tree{known: known}
	for _, collection := range collections {
		nodes, err := c.CollectionDocuments(ctx, collection.ID)
		if err != nil {
			return tree{}, err
		}
		if f.Below != "" {
			nodes = below(nodes, f.Below)
		}
		t.add(nodes, collection.ID, "")
		names[collection.ID], urlIDs[collection.ID] = collection.Name, collection.URLID
	}
	if f.Below != "" && len(t.places) == 0 {
		return tree{}, errors.New("the document of this folder is no longer in its collection, or this key cannot see it")
	}
	if f.Bound {
		kept := map[string]bool{}
		t.places = slices.DeleteFunc(t.places, func(one *place) bool {
			_, isKnown := known[one.ID]
			_, named := here.file(one)
			kept[one.ID] = isKnown || named || kept[one.Parent] && !f.named
			return !kept[one.ID]
		})
	}
	if t.tops = topFolders(names, urlIDs); f.Into != "" {
		t.tops = map[string]string{f.Into: "."}
	}
	if f.Drafts {
		t.tops[drafts] = draftsFolder
		if err := f.addDrafts(ctx, c, &t); err != nil {
			return tree{}, err
		}
	}
	t.paths = layout(t.places, t.tops)
	for id, name := range t.paths {
		if r, ok := known[id]; ok && r.Path == name {
			t.paths[id] = r.Path
		}
	}
	return t, nil
}

func (t *tree) add(nodes []outline.Node, collection, parent string) {
	for _, n := range nodes {
		p := t.take(place{ID: n.ID, URLID: n.URLID(), URL: n.URL, Title: n.Title, Collection: collection, Parent: parent})
		t.add(n.Children, collection, p.ID)
	}
}

// take adds a place.
func (t *tree) take(p place) *place {
	shared := &p
	if r, ok := t.known[p.ID]; ok && r.place == p {
		shared = &r.place
	}
	t.places = append(t.places, shared)
	return shared
}

// addDrafts adds the caller's own drafts, side by side.
func (f *Folder) addDrafts(ctx context.Context, c *outline.Client, t *tree) error {
	published := len(t.places)
	is := func(id string) func(*place) bool { return func(one *place) bool { return one.ID == id } }
	return f.eachPage(ctx, c.RecentDrafts, time.Time{}, func(documents []outline.Document) error {
		for _, d := range documents {
			twice := slices.ContainsFunc(t.places, is(d.ID))
			elsewhere := f.Collection != "" && d.CollectionID != f.Collection ||
				f.Below != "" && !slices.ContainsFunc(t.places[:published], is(d.ParentDocumentID))
			if twice || elsewhere {
				continue
			}
			t.take(placeOf(d))
		}
		return nil
	})
}

// placeOf returns the place of a document. Drafts have one of their own.
func placeOf(d outline.Document) place {
	p := place{ID: d.ID, URLID: d.URLID, URL: d.URL, Title: d.Title, Collection: d.CollectionID, Parent: d.ParentDocumentID}
	if d.PublishedAt == nil {
		p.Collection, p.Parent = drafts, ""
	}
	return p
}

// below returns the document with an ID, with what is below it.
func below(nodes []outline.Node, id string) []outline.Node {
	for _, n := range nodes {
		if n.ID == id {
			return []outline.Node{n}
		}
		if found := below(n.Children, id); found != nil {
			return found
		}
	}
	return nil
}

const (
	perPage = 100
	// overlap is how many documents of a page are asked for again if the next page does
	// not begin with the last one: some have been archived or deleted meanwhile.
	overlap = 25
)

// changed calls do with the documents that were updated since a time, and with all
// drafts that the folder has.
func (f *Folder) changed(ctx context.Context, c *outline.Client, since time.Time, do func([]outline.Document) error) error {
	err := f.eachPage(ctx, c.RecentTexts, since, do)
	if err == nil && f.Drafts {
		err = f.eachPage(ctx, c.RecentDrafts, time.Time{}, do)
	}
	return err
}

// eachPage calls do with the documents of a list that were updated since a time, in pages,
// the last ones first.
func (f *Folder) eachPage(ctx context.Context, list func(context.Context, string, outline.ListParams) (outline.Page[outline.Document], error),
	since time.Time, do func([]outline.Document) error,
) error {
	last, limit, wentBack := "", perPage, -1
	for offset := 0; ; {
		page, err := list(ctx, f.Collection, outline.ListParams{Limit: limit, Offset: offset})
		if errors.Is(err, outline.ErrAnswerTooLarge) && limit > 2 { // one of which is that of the page before
			limit = max(2, limit/4)
			continue
		}
		if err != nil {
			return err
		}
		items := page.Items
		// Once for each place: an order that changes at it would lead back there for ever.
		if last != "" && (len(items) == 0 || items[0].ID != last) && offset != wentBack {
			last, offset, wentBack = "", max(0, offset-overlap), offset
			continue
		}
		kept := len(items)
		for kept > 0 && items[kept-1].UpdatedAt.Before(since) {
			kept--
		}
		if err := do(items[:kept]); err != nil {
			return err
		}
		if kept < len(items) || len(items) < limit {
			return nil
		}
		last, offset, limit = items[len(items)-1].ID, offset+len(items)-1, min(2*limit, perPage)
	}
}

// Extension is the ending of the names of files that hold documents.
const Extension = ".md"

// outlineSuffix is the ending of the file that shows Outline's version in a conflict.
const outlineSuffix = ".outline" + Extension

// drafts stands for a collection with the caller's own drafts, which have a folder of
// their own.
const (
	drafts       = "drafts"
	draftsFolder = "_drafts"
)

// maxName is the longest name of a file without its extension, in bytes. File systems
// allow 255 bytes or UTF-16 units, and Windows often 260 units for a whole path.
const maxName = 100

// fileName returns a name that Linux, macOS and Windows allow for a file, as close to
// a title as possible, and that is not taken for instructions or for a part of git. It has
// no extension.
func fileName(title string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"/\|?*`, r), r == utf8.RuneError:
			return '-'
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d': // U+200D joins emoji
			return -1
		}
		return r
	}, norm.NFC.String(joiners().ReplaceAllString(title, "$1")))
	name = strings.Join(strings.Fields(name), " ")
	for len(name) > maxName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	name = strings.TrimRight(name, ". ")
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		name = "-" + name[1:] // hidden, or reserved here
	}
	// A page "a.md" would have the name of the folder of "a", and "a.outline" that of a version beside it.
	for _, ending := range []string{Extension, strings.TrimSuffix(outlineSuffix, Extension)} {
		if head := len(name) - len(ending); head >= 0 && strings.EqualFold(name[head:], ending) {
			name = name[:head] + "-" + ending[1:]
		}
	}
	if name == "" {
		return "Untitled"
	}
	if stem, _, _ := strings.Cut(name, "."); isReserved(strings.TrimRight(stem, " ")) {
		name = stem + "-" + strings.TrimPrefix(name, stem)
	}
	return name
}

// joiners finds U+200D where it joins no emoji: HFS+ ignores it in names.
var joiners = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x{200d}+(\P{So}|$)`) })

// isInstruction reports whether coding agents follow what is in a file of this name.
func isInstruction(name string) bool {
	stem, _, _ := strings.Cut(path.Base(name), ".")
	return slices.Contains([]string{"AGENT", "AGENTS", "CLAUDE", "COPILOT-INSTRUCTIONS", "CRUSH", "GEMINI", "IFLOW", "LLXPRT", "QWEN", "REPLIT", "SKILL", "SOUL", "WARP"}, strings.ToUpper(stem))
}

// isReserved reports whether Windows opens a device or, as the short name of another file
// such as .git, that one in place of a file of this name, or it is that of instructions.
func isReserved(stem string) bool {
	stem = strings.ToUpper(stem)
	if isInstruction(stem) || slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}, stem) {
		return true
	}
	if head, short, _ := strings.Cut(stem, "~"); head != "" && short != "" && len(stem) <= 8 && strings.Trim(short, "0123456789") == "" {
		return true
	}
	device, number := strings.CutPrefix(stem, "COM")
	if !number {
		device, number = strings.CutPrefix(stem, "LPT")
	}
	return number && len([]rune(device)) == 1 && strings.ContainsAny(device, "0123456789¹²³")
}

// folded returns what names have in common that are one name to some file system.
func folded(name string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
}

// A place is a document in the tree of a wiki.
type place struct {
	ID         string // UUID
	URLID      string
	URL        string // path on the instance
	Title      string
	Collection string // UUID
	Parent     string // UUID; "" at the top level
}

// layout returns the path of the file of each document, by its ID, with slashes. tops
// has the folder of each collection; ancestors come before what is below them.
func layout(places []*place, tops map[string]string) map[string]string {
	taken := map[[2]string]int{}
	key := func(p *place) [2]string { return [2]string{cmp.Or(p.Parent, p.Collection), folded(fileName(p.Title))} }
	for _, p := range places {
		taken[key(p)]++
	}
	paths := make(map[string]string, len(places))
	for _, p := range places {
		name := fileName(p.Title)
		if taken[key(p)] > 1 {
			name += " (" + p.URLID + ")"
		}
		folder := tops[p.Collection]
		if above, ok := paths[p.Parent]; ok {
			folder = strings.TrimSuffix(above, Extension)
		}
		paths[p.ID] = path.Join(folder, name+Extension)
	}
	return paths
}

// topFolders returns the name of the folder of each collection.
func topFolders(names map[string]string, urlIDs map[string]string) map[string]string {
	taken := map[string]int{}
	for _, name := range names {
		taken[folded(fileName(name))]++
	}
	tops := make(map[string]string, len(names))
	for id, name := range names {
		tops[id] = fileName(name)
		if taken[folded(tops[id])] > 1 {
			tops[id] += " (" + urlIDs[id] + ")"
		}
	}
	return tops
}
