package workspace

import (
	"slices"
	"strings"
	"sync"
	"time"

	"outline-mcp/internal/workspace/ident"
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
	archivedWith map[string][]string

	comments   map[string]*Comment
	commentIDs []string // in the order they were made

	exports   map[string]*export
	exportIDs []string // in the order they were asked for

	publications publications

	ignoredByUpdate []string // the fields of documents.update that are ignored

	// formerComments holds the IDs of the comments that were deleted: Outline
	// keeps their rows, so that their IDs stay taken.
	deletedComments map[string]bool
}

func newStore(now func() time.Time) *store {
	return &store{
		now:          now,
		ids:          ident.NewGenerator(),
		users:        make(map[string]*User),
		keys:         make(map[string]*Key),
		collections:  make(map[string]*Collection),
		documents:    make(map[string]*document),
		byURLID:      make(map[string]string),
		children:     make(map[string][]string),
		archivedWith: make(map[string][]string),
		comments:     make(map[string]*Comment),
		exports:      make(map[string]*export),
		publications: publications{ids: make(map[string]time.Time)},

		deletedComments: make(map[string]bool),
	}
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

// uuid returns a UUID of version 4 that no object has.
func (s *store) uuid() string {
	for {
		if id := s.ids.UUID(); !s.taken(id) {
			return id
		}
	}
}

// taken reports whether an object has a UUID.
func (s *store) taken(id string) bool {
	return s.documents[id] != nil || s.collections[id] != nil || s.comments[id] != nil || s.exports[id] != nil || s.deletedComments[id]
}

// urlID returns a urlId that no object has.
func (s *store) urlID() string {
	for {
		if id := s.ids.URLID(); s.byURLID[id] == "" {
			return id
		}
	}
}
