package workspace

import (
	"fmt"
	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/ident"
	"slices"
	"strings"
	"sync"
	"time"
)

// A store is the state of a workspace. Whoever calls its methods holds mu.
//
// What the maps point to is never changed: a change puts a new value in its
// place, and what was made from the old one, such as its JSON, goes with it.
type store struct {
	mu  sync.RWMutex
	now func() time.Time
	ids *ident.Generator

	team   Team
	groups []Group

	users   map[string]*User
	userIDs []string // in the order they joined

	keys    map[string]*Key // by secret
	secrets []string        // in the order they were made
	demo    bool            // the keys of numbered demo users are known

	collections   map[string]*Collection
	collectionIDs []string // in the order of the sidebar

	documents map[string]*document

	// byURLID leads from the urlId of a document or collection to its ID.
	byURLID map[string]string

	// children holds, for a document or, at the top level, a collection, the
	// IDs of the active documents below it, in their order.
	children map[string][]string

	// shelves holds, for an archived collection, the documents that were
	// archived with it, each after its parent.
	shelves map[string][]string

	comments   map[string]*Comment
	commentIDs []string // in the order they were made

	exports   map[string]*export
	exportIDs []string // in the order they were asked for

	unsettled publications

	unknownToUpdate []string // the fields of documents.update that are ignored

	// formerComments holds the IDs of the comments that were deleted: Outline
	// keeps their rows, so that their IDs stay taken.
	formerComments map[string]bool
}

func newStore(now func() time.Time) *store {
	return &store{
		now:         now,
		ids:         ident.NewGenerator(),
		users:       make(map[string]*User),
		keys:        make(map[string]*Key),
		collections: make(map[string]*Collection),
		documents:   make(map[string]*document),
		byURLID:     make(map[string]string),
		children:    make(map[string][]string),
		shelves:     make(map[string][]string),
		comments:    make(map[string]*Comment),
		exports:     make(map[string]*export),
		unsettled:   publications{ids: make(map[string]time.Time)},

		formerComments: make(map[string]bool),
	}
}

// A document is one version of a stored document, with what has been made
// from it so far.
type document struct {
	Document
	path string // below the origin of the instance
	body *body

	render sync.Once
	json   api.JSON
}

// put stores a document in place of the version there was.
func (s *store) put(d Document) *document {
	stored := &document{Document: d, path: "/doc/" + ident.TitleSlug(d.Title) + "-" + d.URLID}
	if old := s.documents[d.ID]; old != nil && old.Title == d.Title && old.Text == d.Text {
		stored.body = old.body
	} else {
		stored.body = &body{title: d.Title, text: d.Text}
	}
	s.documents[d.ID] = stored
	s.byURLID[d.URLID] = d.ID
	return stored
}

// findDocument finds a document by its UUID, urlId or slug.
func (s *store) findDocument(id string) (*document, bool) {
	d, ok := s.documents[s.resolve(id)]
	return d, ok
}

// findCollection finds a collection by its UUID, urlId or slug. One that was
// deleted is not found.
func (s *store) findCollection(id string) (*Collection, bool) {
	c, ok := s.collections[s.resolve(id)]
	return c, ok && c.DeletedAt.IsZero()
}

func (s *store) resolve(id string) string {
	if ident.IsUUID(id) {
		return strings.ToLower(id)
	}
	return s.byURLID[ident.URLID(id)]
}

// within reports whether a document is the root or lies anywhere below it.
func (s *store) within(d *document, rootID string) bool {
	// A loop of parents cannot be stored; the bound keeps it harmless.
	for range len(s.documents) {
		if d.ID == rootID {
			return true
		}
		parent, ok := s.documents[d.ParentID]
		if !ok {
			return false
		}
		d = parent
	}
	return false
}

// adminEmail is the address of the admin who joined first.
func (s *store) adminEmail() string {
	for _, id := range s.userIDs {
		if u := s.users[id]; u.Role == Admin {
			return u.Email
		}
	}
	return ""
}

// plant stores a seed.
func (s *store) plant(seed Seed) error {
	s.team, s.groups = seed.Team, seed.Groups
	for _, u := range seed.Users {
		if s.users[u.ID] != nil {
			return fmt.Errorf("workspace: user %s is there twice", u.ID)
		}
		s.users[u.ID] = &u
		s.userIDs = append(s.userIDs, u.ID)
	}
	for _, k := range seed.Keys {
		if s.users[k.UserID] == nil {
			return fmt.Errorf("workspace: key %q belongs to the unknown user %q", k.Name, k.UserID)
		}
		s.keys[k.Secret] = &k
		s.secrets = append(s.secrets, k.Secret)
	}
	for _, c := range seed.Collections {
		if err := s.claim(c.ID, c.URLID); err != nil {
			return fmt.Errorf("workspace: collection %q: %w", c.Name, err)
		}
		s.collections[c.ID] = &c
		s.collectionIDs = append(s.collectionIDs, c.ID)
		s.byURLID[c.URLID] = c.ID
	}
	for _, d := range seed.Documents {
		if err := s.plantDocument(d); err != nil {
			return fmt.Errorf("workspace: document %q: %w", d.Title, err)
		}
	}
	for _, c := range seed.Comments {
		if err := s.plantComment(c); err != nil {
			return fmt.Errorf("workspace: comment %s: %w", c.ID, err)
		}
	}
	return nil
}

func (s *store) plantDocument(d Document) error {
	if err := s.claim(d.ID, d.URLID); err != nil {
		return err
	}
	if s.users[d.CreatedBy] == nil || s.users[d.UpdatedBy] == nil {
		return fmt.Errorf("its author %q or editor %q is unknown", d.CreatedBy, d.UpdatedBy)
	}
	if d.CollectionID != "" && s.collections[d.CollectionID] == nil {
		return fmt.Errorf("its collection %s is unknown", d.CollectionID)
	}
	if d.CollectionID == "" && !d.isDraft() {
		return fmt.Errorf("it is published outside the collections")
	}
	if d.ParentID != "" {
		parent, ok := s.documents[d.ParentID]
		switch {
		case !ok:
			return fmt.Errorf("its parent %s is unknown or comes after it", d.ParentID)
		case parent.CollectionID != d.CollectionID:
			return fmt.Errorf("its parent %s is in another collection", d.ParentID)
		case d.isActive() && !parent.isActive():
			return fmt.Errorf("its parent %s is a draft, archived or deleted, and it is not", d.ParentID)
		}
	}
	s.put(d)
	if d.isActive() {
		above := d.ParentID
		if above == "" {
			above = d.CollectionID
		}
		s.children[above] = append(s.children[above], d.ID)
	}
	return nil
}

// claim checks that a new document or collection can have its IDs.
func (s *store) claim(id, url string) error {
	switch {
	case !ident.IsUUID(id) || id != strings.ToLower(id):
		return fmt.Errorf("the id %q is no UUID in lower case", id)
	case ident.URLID(url) != url:
		return fmt.Errorf("the urlId %q is not ten letters or digits", url)
	case s.documents[id] != nil || s.collections[id] != nil:
		return fmt.Errorf("the id %s is taken", id)
	case s.byURLID[url] != "":
		return fmt.Errorf("the urlId %s is taken", url)
	}
	return nil
}

// sorted returns the documents that keep accepts, ordered by compare and
// where that finds no difference by ID.
func (s *store) sorted(keep func(*document) bool, compare func(a, b *document) int) []*document {
	var list []*document
	for _, d := range s.documents {
		if keep(d) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *document) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return byID(a, b)
	})
	return list
}
