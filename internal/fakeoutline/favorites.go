package fakeoutline

import (
	"fmt"
	"slices"
	"time"

	"outline-mcp/internal/fakeoutline/api"
)

// A Favorite is a document or collection that a user has starred, or that is
// pinned for all.
type Favorite struct {
	ID           string
	UserID       string // who sees a star; "" for a pin
	DocumentID   string // "" for the star of a collection
	CollectionID string // of a star, instead of the document; of a pin, where it is, "" for the home page
	CreatedAt    time.Time
}

// presentedFavorite is a star or a pin as the API has it.
type presentedFavorite struct {
	ID           string        `json:"id"`
	DocumentID   *string       `json:"documentId"`
	CollectionID *string       `json:"collectionId"`
	Index        string        `json:"index"`
	CreatedAt    api.Timestamp `json:"createdAt"`
	UpdatedAt    api.Timestamp `json:"updatedAt"`
}

// starsList implements stars.list: the caller's stars, newest first, and the
// documents among them that the caller still sees in lists.
func (s *store) starsList(r *request) (api.Answer, error) {
	return s.favoritesList(r, "stars", s.stars, func(f Favorite) bool { return f.UserID == r.caller.ID })
}

// pinsList implements pins.list: the pins of a collection or, by default, of the
// home page, as far as the caller sees their documents in lists.
func (s *store) pinsList(r *request, in struct {
	CollectionID string `in:"collectionId,null,uuid"`
}) (api.Answer, error) {
	collectionID := in.CollectionID
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return api.Answer{}, err
	}
	return s.favoritesList(r, "pins", s.pins, func(f Favorite) bool {
		return f.CollectionID == collectionID && s.listed(r, f.DocumentID) != nil
	})
}

func (s *store) favoritesList(r *request, name string, all []Favorite, keep func(Favorite) bool) (api.Answer, error) {
	var kept []Favorite
	for _, f := range all {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	var favorites, documents []api.JSON
	for i, f := range api.Slice(kept, r.Page) {
		favorites = append(favorites, api.Encode(presentFavorite(f, i)))
		if d := s.listed(r, f.DocumentID); d != nil {
			documents = append(documents, s.presentDocument(r, d))
		}
	}
	data := api.Object(map[string]api.JSON{name: api.Array(favorites...), "documents": api.Array(documents...)})
	return api.Answer{Data: data, Page: r.Uncounted()}, nil
}

// listed returns a published document that the caller sees in lists, or nil.
func (s *store) listed(r *request, id string) *document {
	if d, ok := s.documents[id]; ok && d.isActive() && s.lists(d, r.caller) {
		return d
	}
	return nil
}

// presentFavorite returns the favorite at a position of its list. Outline keeps
// an index of text that sorts like the position.
func presentFavorite(f Favorite, position int) presentedFavorite {
	return presentedFavorite{
		f.ID, api.StringOrNull(f.DocumentID), api.StringOrNull(f.CollectionID), fmt.Sprintf("P%04d", position), api.Timestamp(f.CreatedAt), api.Timestamp(f.CreatedAt),
	}
}

// loadFavorites stores the stars and pins of a seed.
func (s *store) loadFavorites(seed Seed) error {
	for _, f := range slices.Concat(seed.Stars, seed.Pins) {
		if f.DocumentID != "" && s.documents[f.DocumentID] == nil || f.DocumentID == "" && s.collections[f.CollectionID] == nil {
			return fmt.Errorf("workspace: star or pin %s: what it marks is unknown", f.ID)
		}
	}
	s.stars, s.pins, s.shares = seed.Stars, seed.Pins, slices.Clone(seed.Shares)
	return nil
}

// presentedMembership is the JSON of a membership in a document.
type presentedMembership struct {
	ID           string  `json:"id"`
	UserID       string  `json:"userId,omitzero"`
	GroupID      string  `json:"groupId,omitzero"`
	DocumentID   string  `json:"documentId"`
	CollectionID *string `json:"collectionId"`
	Permission   string  `json:"permission"`
	CreatedByID  string  `json:"createdById,omitzero"` // of a user
	SourceID     *string `json:"sourceId"`
	Index        string  `json:"index,omitzero"` // of a user
}

// userMembershipsList implements userMemberships.list, which lists the documents that
// are shared with the caller one by one. What a group may read is not among them, nor
// what is below a document. That documents in the trash are not, is not recorded; the
// newest source leaves out archived ones. Who shared a document and in which order is
// not kept: it is the author, and the order of creation.
func (s *store) userMembershipsList(r *request) (api.Answer, error) {
	memberships, documents, _ := s.membershipsIn(r, func(m Membership) bool { return m.UserID == r.caller.ID })
	return api.Answer{
		Data: api.Object(map[string]api.JSON{"memberships": memberships, "documents": documents}),
		Page: r.Uncounted(),
	}, nil
}

// groupMembershipsList implements groupMemberships.list, which is userMembershipsList for
// the groups of the caller. What it says of a group is not recorded.
func (s *store) groupMembershipsList(r *request) (api.Answer, error) {
	memberships, documents, total := s.membershipsIn(r, func(m Membership) bool { return m.GroupID != "" && m.of(r.caller) })
	groups, _ := s.presentGroups(r.caller.ID)
	return api.Answer{
		Data: api.Object(map[string]api.JSON{"groups": api.Encode(groups), "groupMemberships": memberships, "documents": documents}),
		Page: r.Counted(total),
	}, nil
}

// membershipsIn returns the page of the memberships in documents that are chosen, its
// documents, and how many documents there are in all.
func (s *store) membershipsIn(r *request, chosen func(Membership) bool) (memberships, documents api.JSON, total int) {
	list := s.sorted(func(d *document) bool {
		return d.DeletedAt.IsZero() && (!s.features.august2026 || d.ArchivedAt.IsZero()) && slices.ContainsFunc(d.Memberships, chosen)
	}, byCreation)
	var shares, shared []api.JSON
	for _, d := range api.Slice(list, r.Page) {
		m := d.Memberships[slices.IndexFunc(d.Memberships, chosen)]
		share := presentedMembership{ID: m.ID, UserID: m.UserID, GroupID: m.GroupID, DocumentID: d.ID, Permission: m.Permission}
		if m.GroupID == "" {
			share.CreatedByID, share.Index = d.CreatedBy, "P"
		}
		shares, shared = append(shares, api.Encode(share)), append(shared, s.presentDocument(r, d))
	}
	return api.Array(shares...), api.Array(shared...), len(list)
}
