package tools

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/outline/prosemirror"
	"outline-mcp/output"
	"outline-mcp/tools/search"
)

// findArea is the documents that a search covers.
type findArea struct {
	document     *outline.Document // only this one; nil for a list
	collectionID string            // "" for all
	below        map[string]bool   // only these documents of the collection; nil for all
	root         string            // of below
}

// area finds the documents to search.
func (in findIn) area(ctx context.Context, env mcptool.Env) (findArea, error) {
	switch {
	case in.DocumentID != "":
		document, err := fetchDocument(ctx, env, in.DocumentID)
		return findArea{document: &document}, err
	case in.Below != "":
		tree, err := subtreeOf(ctx, env, in.Below)
		area := findArea{collectionID: tree.root.CollectionID, below: map[string]bool{}, root: tree.root.ID}
		for _, node := range tree.nodes {
			area.below[node.ID] = true
		}
		return area, err
	}
	id, err := optionalCollection(ctx, env, in.CollectionID)
	return findArea{collectionID: id}, err
}

// key tells areas apart, whatever IDs they were given by.
func (a findArea) key() string {
	switch {
	case a.document != nil:
		return "document " + a.document.ID
	case a.below != nil:
		return "below " + a.root
	}
	return "collection " + a.collectionID
}

// A finder carries out a call of find_in_documents.
type finder struct {
	env mcptool.Env
	findIn
	area    findArea
	pattern *search.Pattern
	loose   *search.Pattern // what is found if the pattern has no match; may be nil
	from    *findPosition   // nil begins

	alike    []documentMatch // of loose, until there is one of pattern
	matches  []documentMatch
	searched int
	updated  int64         // see findPosition
	next     *findPosition // where the next call continues; nil at the end
	changed  bool          // documents changed since the search began
	stopped  error         // what ended the search early
	unread   error         // why documents that are shared one by one were left out
}

// searchArea searches the one document, or the documents of a list until its end, the
// limit of matches or the end of the call's time.
func (f *finder) searchArea(ctx context.Context) error {
	ctx, cancel := beforeDeadline(ctx)
	defer cancel()
	if d := f.area.document; d != nil {
		f.search(ctx, listedText{Document: *d, looked: true}, listPlace{ID: idBytes(d.ID)})
		return f.stopped
	}
	if f.from.shared() {
		f.searchShared(ctx)
		return nil
	}
	var place *listPlace
	if f.from != nil {
		place = &f.from.List
	}
	updated := inBackground(func() int64 { return f.lastUpdate(ctx) })
	scan := newTextScan(f.env, f.area.collectionID, place, f.matchesIn)
	left := len(f.area.below)
	var latest *listPlace // of the document that had its turn last
scanning:
	for page, err := range scan.pages(ctx) {
		if err != nil {
			f.stopped = err
			break
		}
		for _, d := range page {
			if f.area.below != nil {
				if !f.area.below[d.ID] {
					continue
				}
				left--
			}
			if f.stopped = ctx.Err(); f.stopped != nil || !f.search(ctx, d, scan.place(d, false)) {
				break scanning
			}
			latest = new(scan.place(d, true))
		}
		if f.env.Progress != nil && len(page) > 0 {
			f.env.Progress(ctx, page[len(page)-1].index+1, scan.total)
		}
		if scan.ended || f.area.below != nil && left == 0 {
			latest = nil
			break
		}
		if len(f.matches) == f.Limit {
			break
		}
	}
	f.updated = updated()
	if f.stopped != nil && (latest == nil || !isTransient(f.stopped)) {
		return f.stopped
	}
	if f.next == nil && latest != nil {
		f.next = &findPosition{List: *latest}
	}
	f.changed = f.changed || scan.changed || f.from != nil && f.from.Updated > 0 && f.updated > f.from.Updated
	if f.next == nil && f.area.collectionID == "" {
		f.searchShared(ctx)
	}
	return nil
}

// searchShared searches the documents that are shared with the caller one by one, which
// are not in the list.
func (f *finder) searchShared(ctx context.Context) {
	passed := !f.from.shared() // the document to continue with
	for d, err := range f.env.Outline.SharedTexts(ctx) {
		if f.unread = err; err != nil {
			return
		}
		place := listPlace{ID: idBytes(d.ID)}
		if passed = passed || f.from.List.ID == place.ID; !passed {
			continue
		}
		if !f.search(ctx, listedText{Document: d, looked: true}, place) {
			f.unread, f.stopped = f.stopped, nil
			return
		}
	}
	f.changed = f.changed || !passed
}

// isTransient reports whether what stopped a search may be over with the next call.
func isTransient(err error) bool {
	kinds := []error{outline.ErrRateLimited, outline.ErrTimeout, outline.ErrUnreachable, outline.ErrUpstream, context.DeadlineExceeded}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// beforeDeadline ends a context early enough before its deadline for an answer.
func beforeDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, limited := ctx.Deadline()
	if !limited {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/10))
}

// lastUpdate asks when a document of the list was last updated. Changes to documents
// that have had their turn are noticed by it only.
func (f *finder) lastUpdate(ctx context.Context) int64 {
	at, err := f.env.Outline.LastUpdate(outline.WithCallOptions(ctx, outline.NoRetries()), f.area.collectionID)
	if err != nil || at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

// matchesIn reports whether a document has a match.
func (f *finder) matchesIn(ctx context.Context, d outline.Document) bool {
	for range f.matchesOf(ctx, d, f.pattern) {
		return true
	}
	for range f.matchesOf(ctx, d, f.loose) {
		return true
	}
	return false
}

// matchesOf yields the matches of a pattern in the title of a document, with the line 0,
// and in its text.
func (f *finder) matchesOf(ctx context.Context, d outline.Document, pattern *search.Pattern) iter.Seq[search.Match] {
	return func(yield func(search.Match) bool) {
		if pattern == nil {
			return
		}
		if f.In != "text" {
			for m := range pattern.Matches(ctx, output.Label(d.Title)) {
				if m.Line = 0; !yield(m) {
					return
				}
			}
		}
		if f.In != "titles" {
			pattern.Matches(ctx, prosemirror.Unpadded(d.Text))(yield)
		}
	}
}

// search searches a document, which is at a place of the list, and reports whether
// the search continues. It does not if the document has more matches than the limit
// leaves, or ctx ends: the document then has not had its turn.
func (f *finder) search(ctx context.Context, d listedText, place listPlace) bool {
	f.searched++
	first := findPosition{}
	if f.from != nil && f.from.List.ID == place.ID && !f.from.List.After {
		first = *f.from
		f.changed = f.changed || first.Revision != uint32(d.Revision)
	}
	if !d.looked {
		return true
	}
	before := len(f.matches)
	page := documentPage{env: f.env, document: d.Document, contextLines: f.ContextLines}
	matchAt := func(m search.Match, at findPosition) documentMatch {
		match := page.match(m)
		match.position, match.searched = at, f.searched
		match.in.CollectionID, match.in.ParentDocumentID = strings.Clone(d.CollectionID), strings.Clone(d.ParentDocumentID)
		return match
	}
	for m := range f.matchesOf(ctx, d.Document, f.pattern) {
		at := findPosition{place, 0, uint32(d.Revision), uint32(m.Line), uint32(m.Column)}
		if at.Line < first.Line || at.Line == first.Line && at.Column < first.Column {
			continue
		}
		if len(f.matches) == f.Limit {
			f.next = &at
			return false
		}
		f.matches, f.loose, f.alike = append(f.matches, matchAt(m, at)), nil, nil
	}
	for m := range f.matchesOf(ctx, d.Document, f.loose) {
		if len(f.alike) == f.Limit {
			break
		}
		f.alike = append(f.alike, matchAt(m, findPosition{}))
	}
	if f.stopped = ctx.Err(); f.stopped != nil {
		f.matches, f.searched = f.matches[:before], f.searched-1
	}
	return f.stopped == nil
}

// answer returns the matches that were found.
func (f *finder) answer() documentMatches {
	if len(f.matches) == 0 && f.next == nil && len(f.alike) > 0 {
		found := documentMatches{Matches: f.alike, Searched: f.searched, Complete: len(f.alike) < f.Limit && f.unread == nil, query: f.Query,
			cursorAt: func(findPosition) string { return "" }, // the next call would find nothing
			Note:     onlyAlike}
		found.countMatched()
		return found
	}
	found := documentMatches{Matches: f.matches, Searched: f.searched, Complete: f.next == nil && f.unread == nil, query: f.Query}
	found.countMatched()
	found.cursorAt = func(p findPosition) string {
		p.Updated = f.updated
		return f.cursorAt(p)
	}
	if f.next != nil {
		found.NextCursor = found.cursorAt(*f.next)
	}
	var notes []string
	if f.stopped != nil {
		notes = append(notes, "the search stopped early: "+strings.TrimSuffix(output.Error(f.stopped).Sentence, "."))
	}
	if f.unread != nil {
		why := strings.TrimSuffix(output.Error(f.unread).Sentence, ".")
		switch {
		case errors.Is(f.unread, outline.ErrForbidden):
			why = "this key may not list them (userMemberships.list)"
		case errors.Is(f.unread, outline.ErrSharedMissing):
			why = f.unread.Error()
		}
		notes = append(notes, "not all documents shared with you individually were searched: "+why)
	}
	if f.changed {
		notes = append(notes, "documents changed since the search began, so that matches may be missing or repeated. Begin again without cursor to be sure")
	}
	found.Note = strings.Join(notes, "; ")
	return found
}

// idBytes returns a UUID as bytes. Any other ID, which Outline does not have, is
// all zeros.
func idBytes(id string) [16]byte {
	parsed, _ := uuid.Parse(id)
	return parsed
}
