package fakeoutline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"outline-mcp/outline/prosemirror"
)

// A Revision is an earlier state of a document.
type Revision struct {
	ID         string
	DocumentID string
	Title      string
	Name       string // "" for none
	Icon       string
	Color      string
	Text       string            // Markdown
	Tree       *prosemirror.Node // takes the place of Text; may be nil
	AuthType   string            // how its author was authenticated: "api", "app" or "oauth"
	CreatedBy  string            // the ID of a user
	With       []string          // the IDs of others who changed the document since the revision before
	CreatedAt  time.Time
	DeletedAt  time.Time
}

// A revision is a stored revision. It is immutable.
type revision struct {
	Revision
	content *content
}

// revisionPause is the time without a change after which a revision of a changed document is
// written.
const revisionPause = 5 * time.Minute

// A history holds the revisions of the documents and what is going to become
// one: Outline writes revisions from a queue. Recordings show that a revision
// holds what the document holds at that moment but has the time of the
// document's last change, and that writing it raises the document's revision
// number as publishing does.
type history struct {
	delay time.Duration // between a request and the revision; 0 writes it at once

	byID map[string]*revision
	of   map[string][]*revision // by document, in the order of creation

	queued, paused []pendingRevision // each in order of time
	next           atomic.Int64      // the earliest of them in Unix nanoseconds; 0 if there are none
}

// A pendingRevision is a document whose revision is pending.
type pendingRevision struct {
	due        time.Time
	documentID string
	changed    time.Time // a later change cancels it; zero if none does
	authType   string
}

// The values of a revision's AuthType.
const (
	byAPI = "api"
	byApp = "app" // also of a revision that comes without a change
)

// closeRevision queues a revision of the present state of a document.
func (s *store) closeRevision(d *document, authType string) {
	p := pendingRevision{documentID: d.ID, authType: authType, due: s.now().Add(s.history.delay)}
	if s.history.delay <= 0 {
		s.writeRevision(p)
		return
	}
	s.history.queued = append(s.history.queued, p)
	s.history.schedule()
}

// awaitPause queues a revision of a changed document for when it has not changed
// for a while.
func (s *store) awaitPause(d *document) {
	s.history.paused = append(s.history.paused, pendingRevision{
		documentID: d.ID, changed: d.UpdatedAt, authType: byApp, due: s.now().Add(revisionPause),
	})
	s.history.schedule()
}

// isDue reports whether a revision is due. The caller need not hold mu.
func (h *history) isDue(now time.Time) bool {
	next := h.next.Load()
	return next != 0 && next <= now.UnixNano()
}

func (h *history) schedule() {
	var next int64
	for _, list := range [][]pendingRevision{h.queued, h.paused} {
		if len(list) > 0 && (next == 0 || list[0].due.UnixNano() < next) {
			next = list[0].due.UnixNano()
		}
	}
	h.next.Store(next)
}

// writeRevisions writes the revisions that are due.
func (s *store) writeRevisions(now time.Time) {
	for _, list := range []*[]pendingRevision{&s.history.queued, &s.history.paused} {
		for len(*list) > 0 && !(*list)[0].due.After(now) {
			s.writeRevision((*list)[0])
			*list = (*list)[1:]
		}
	}
	s.history.schedule()
}

// writeRevision writes a revision of a document unless the latest one is the
// same.
func (s *store) writeRevision(p pendingRevision) {
	d, ok := s.documents[p.documentID]
	if !ok || !p.changed.IsZero() && !d.UpdatedAt.Equal(p.changed) {
		return
	}
	earlier := s.history.of[d.ID]
	if len(earlier) > 0 && earlier[len(earlier)-1].holds(d) {
		return
	}
	s.history.add(&revision{Revision{
		ID: derivedUUID(d.ID, fmt.Sprintf("revision %d", len(earlier)+1)), DocumentID: d.ID,
		Title: d.Title, Icon: d.Icon, Color: d.Color, AuthType: p.authType, CreatedBy: d.UpdatedBy, CreatedAt: d.UpdatedAt,
	}, d.body.content})
	s.publications.add(d.ID, p.due)
}

// holds reports whether a revision is the present state of a document, apart
// from the marks of comments.
func (r *revision) holds(d *document) bool {
	return r.DeletedAt.IsZero() && r.Title == d.Title && r.Icon == d.Icon &&
		(r.content == d.body.content || prosemirror.EqualWithoutComments(r.content.tree(), d.body.tree()))
}

func (h *history) add(r *revision) {
	h.byID[r.ID] = r
	h.of[r.DocumentID] = append(h.of[r.DocumentID], r)
}

// forget removes the revisions of a document.
func (h *history) forget(documentID string) {
	for _, r := range h.of[documentID] {
		delete(h.byID, r.ID)
	}
	delete(h.of, documentID)
}

// loadRevision stores a revision of a seed.
func (s *store) loadRevision(r Revision) error {
	switch {
	case !isUUID(r.ID) || s.history.byID[r.ID] != nil:
		return fmt.Errorf("the id is no UUID, or taken")
	case s.documents[r.DocumentID] == nil:
		return fmt.Errorf("its document %s is unknown", r.DocumentID)
	case slices.ContainsFunc(append([]string{r.CreatedBy}, r.With...), func(id string) bool { return s.users[id] == nil }):
		return fmt.Errorf("one of its authors is unknown")
	}
	c := &content{root: r.Tree, source: r.Text, dialect: s.features.dialect}
	r.Text, r.Tree = "", nil
	s.history.add(&revision{r, c})
	return nil
}

// publications are the documents that have not changed since a revision of them
// was written, as when they are published. Outline raises the revision number of
// such a document again, half a second after it answered, and does not change
// updatedAt. A change in the meantime cancels that.
type publications struct {
	after time.Duration // the delay; 0 waits for the next read
	ids   map[string]time.Time
	any   atomic.Bool
}

func (p *publications) add(id string, now time.Time) {
	p.ids[id] = now
	p.any.Store(true)
}

func (p *publications) remove(id string) { delete(p.ids, id) }

// due reports whether to raise the revision of a document that was published at
// a time. reads is set if the next request reads.
func (p *publications) due(published, now time.Time, reads bool) bool {
	if p.after <= 0 {
		return reads
	}
	return now.Sub(published) >= p.after
}

// work does what is due before a request, which reads or writes: it writes
// revisions and raises revision numbers. The caller must not hold mu.
func (s *store) work(reads bool) {
	now := s.now()
	revisions := s.history.isDue(now)
	if !revisions && !s.publications.any.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if revisions {
		s.writeRevisions(now)
	}
	for id, published := range s.publications.ids {
		if !s.publications.due(published, now, reads) {
			continue
		}
		if d, ok := s.documents[id]; ok {
			next := d.Document
			next.Revision++
			s.put(next, d.body.content)
		}
		s.publications.remove(id)
	}
	s.publications.any.Store(len(s.publications.ids) > 0)
}

// revisionsList implements revisions.list, newest first. It includes deleted
// revisions.
func (s *store) revisionsList(r *request, in struct {
	DocumentID string `in:"documentId,required,uuid"`
	orderInput
}) (apiAnswer, error) {
	compare, err := revisionOrder(in.orderInput)
	if err != nil {
		return apiAnswer{}, err
	}
	d, ok := s.documents[in.DocumentID]
	if !ok || !s.listsRevisions(d, r.caller) {
		return apiAnswer{}, apiForbidden()
	}
	list := slices.Clone(s.history.of[d.ID])
	slices.SortStableFunc(list, compare)
	return apiAnswer{Data: jsonList(apiSlice(list, r.Page), func(revision *revision) apiJSON { return s.presentRevision(revision, !s.features.august2026) }), Page: r.Uncounted()}, nil
}

// listsRevisions reports whether the caller may see the revisions of a
// document.
func (s *store) listsRevisions(d *document, c *caller) bool {
	return c.mayListRevisions(s.rightsOn(d, c), d.state())
}

// revisionOrder reads the sort and direction of a list of revisions. Every
// column is accepted. In those that the workspace does not keep, all revisions
// are equal, which leaves the order of creation, as recorded of "version".
func revisionOrder(in orderInput) (func(a, b *revision) int, error) {
	by := func(a, b *revision) int { return a.CreatedAt.Compare(b.CreatedAt) }
	if in.Sort != nil {
		switch *in.Sort {
		case "createdAt", "updatedAt":
		case "title":
			by = func(a, b *revision) int { return cmp.Compare(a.Title, b.Title) }
		case "name":
			by = func(a, b *revision) int { return cmp.Compare(a.Name, b.Name) }
		case "version", "editorVersion", "id", "documentId", "userId", "icon", "color", "text", "content", "deletedAt", "collaboratorIds":
			return func(*revision, *revision) int { return 0 }, nil
		default:
			return nil, apiInvalidField("sort")
		}
	}
	return inDirection(by, in.ascending()), nil
}

// revisionsInfo implements revisions.info for a revision or for the present
// state of a document, which gets an ID that no other request knows.
func (s *store) revisionsInfo(r *request, in struct {
	ID         string `in:"id,uuid"`
	DocumentID string `in:"documentId,uuid"`
}) (apiAnswer, error) {
	id, documentID := in.ID, in.DocumentID
	switch {
	case id == "" && documentID == "":
		return apiAnswer{}, apiInvalidField("body")
	case id != "":
		revision, err := s.revision(r.caller, id)
		if err != nil {
			return apiAnswer{}, err
		}
		return apiAnswer{Data: s.presentRevision(revision, true)}, nil
	}
	d, ok := s.documents[documentID]
	if !ok || !s.listsRevisions(d, r.caller) {
		return apiAnswer{}, apiForbidden()
	}
	present := Revision{
		ID: derivedUUID(d.ID, "present"), DocumentID: d.ID, Title: d.Title, Icon: d.Icon, Color: d.Color,
		CreatedBy: d.UpdatedBy, CreatedAt: d.UpdatedAt,
	}
	return apiAnswer{Data: s.presentRevision(&revision{present, d.body.content}, true)}, nil
}

// revision returns a revision that the caller may see.
func (s *store) revision(c *caller, id string) (*revision, error) {
	revision, ok := s.history.byID[id]
	switch {
	case !ok || !revision.DeletedAt.IsZero():
		return nil, apiNotFound()
	case !s.listsRevisions(s.documents[revision.DocumentID], c):
		return nil, apiForbidden()
	}
	return revision, nil
}

// presentedRevision is the JSON of a revision.
type presentedRevision struct {
	ID            string          `json:"id"`
	DocumentID    string          `json:"documentId"`
	Title         string          `json:"title"`
	Data          json.RawMessage `json:"data,omitempty"`
	Text          string          `json:"text,omitempty"`
	Icon          string          `json:"icon,omitempty"`
	Color         *string         `json:"color"`
	Collaborators []presentedUser `json:"collaborators"`
	CreatedAt     apiTimestamp    `json:"createdAt"`
	CreatedBy     presentedUser   `json:"createdBy"`
	CreatedByID   string          `json:"createdById"`
	*storedRevision
}

// storedRevision are the members of a revision that the present state of a
// document does not have.
type storedRevision struct {
	Name           *string        `json:"name"`
	SourceMetadata *presentedAuth `json:"sourceMetadata,omitempty"`
	DeletedAt      *apiTimestamp  `json:"deletedAt"`
}

type presentedAuth struct {
	AuthType string `json:"authType"`
}

// presentRevision returns a revision as JSON, in full with its tree and its
// text, which has the title on top.
func (s *store) presentRevision(r *revision, inFull bool) apiJSON {
	author := s.presentAuthor(r.CreatedBy)
	collaborators := []presentedUser{author}
	for _, id := range r.With {
		collaborators = append(collaborators, s.presentAuthor(id))
	}
	p := presentedRevision{
		ID: r.ID, DocumentID: r.DocumentID, Title: r.Title, Icon: r.Icon, Color: stringOrNull(r.Color),
		Collaborators: collaborators, CreatedAt: apiTimestamp(r.CreatedAt), CreatedBy: author, CreatedByID: r.CreatedBy,
	}
	if inFull {
		p.Data = r.content.treeJSON()
		p.Text = strings.TrimSuffix("# "+r.Title+"\n\n"+r.content.markdown().Text, "\n\n")
	}
	if s.history.byID[r.ID] != nil {
		p.storedRevision = &storedRevision{Name: stringOrNull(r.Name), DeletedAt: timeOrNull(r.DeletedAt)}
		if r.AuthType != "" && s.features.august2026 {
			p.SourceMetadata = &presentedAuth{r.AuthType}
		}
	}
	return encodeJSON(p)
}
