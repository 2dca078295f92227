package fakeoutline

import (
	"fmt"
	"slices"
	"time"
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
	ID           string       `json:"id"`
	DocumentID   *string      `json:"documentId"`
	CollectionID *string      `json:"collectionId"`
	Index        string       `json:"index"`
	CreatedAt    apiTimestamp `json:"createdAt"`
	UpdatedAt    apiTimestamp `json:"updatedAt"`
}

// starsList implements stars.list: the caller's stars, newest first, and the
// documents among them that the caller still sees in lists.
func (s *store) starsList(r *request) (apiAnswer, error) {
	return s.favoritesList(r, "stars", s.stars, func(f Favorite) bool { return f.UserID == r.caller.ID })
}

// pinsList implements pins.list: the pins of a collection or, by default, of the
// home page, as far as the caller sees their documents in lists.
func (s *store) pinsList(r *request, in struct {
	CollectionID string `in:"collectionId,null,uuid"`
}) (apiAnswer, error) {
	collectionID := in.CollectionID
	if err := s.mayFilterBy(r.caller, collectionID); err != nil {
		return apiAnswer{}, err
	}
	return s.favoritesList(r, "pins", s.pins, func(f Favorite) bool {
		return f.CollectionID == collectionID && s.listed(r, f.DocumentID) != nil
	})
}

func (s *store) favoritesList(r *request, name string, all []Favorite, keep func(Favorite) bool) (apiAnswer, error) {
	var kept []Favorite
	for _, f := range all {
		if keep(f) {
			kept = append(kept, f)
		}
	}
	var favorites, documents []apiJSON
	for i, f := range apiSlice(kept, r.Page) {
		favorites = append(favorites, encodeJSON(presentFavorite(f, i)))
		if d := s.listed(r, f.DocumentID); d != nil {
			documents = append(documents, s.presentDocument(r, d))
		}
	}
	data := jsonObject(map[string]apiJSON{name: jsonArray(favorites...), "documents": jsonArray(documents...)})
	return apiAnswer{Data: data, Page: r.Uncounted()}, nil
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
		f.ID, stringOrNull(f.DocumentID), stringOrNull(f.CollectionID), fmt.Sprintf("P%04d", position), apiTimestamp(f.CreatedAt), apiTimestamp(f.CreatedAt),
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
// newest source omits archived ones. Who shared a document and in which order is
// not kept: it is the author, and the order of creation.
func (s *store) userMembershipsList(r *request) (apiAnswer, error) {
	memberships, documents, _ := s.membershipsIn(r, func(m Membership) bool { return m.UserID == r.caller.ID })
	return apiAnswer{
		Data: jsonObject(map[string]apiJSON{"memberships": memberships, "documents": documents}),
		Page: r.Uncounted(),
	}, nil
}

// groupMembershipsList implements groupMemberships.list, which is userMembershipsList for
// the groups of the caller. What it says of a group is not recorded.
func (s *store) groupMembershipsList(r *request) (apiAnswer, error) {
	memberships, documents, total := s.membershipsIn(r, func(m Membership) bool { return m.GroupID != "" && m.of(r.caller) })
	groups, _ := s.presentGroups(r.caller.ID)
	return apiAnswer{
		Data: jsonObject(map[string]apiJSON{"groups": encodeJSON(groups), "groupMemberships": memberships, "documents": documents}),
		Page: r.Counted(total),
	}, nil
}

// membershipsIn returns the page of the memberships in documents that are chosen, its
// documents, and how many documents there are in all.
func (s *store) membershipsIn(r *request, chosen func(Membership) bool) (memberships, documents apiJSON, total int) {
	list := s.sorted(func(d *document) bool {
		return d.DeletedAt.IsZero() && (!s.features.august2026 || d.ArchivedAt.IsZero()) && slices.ContainsFunc(d.Memberships, chosen)
	}, byCreation)
	var shares, shared []apiJSON
	for _, d := range apiSlice(list, r.Page) {
		m := d.Memberships[slices.IndexFunc(d.Memberships, chosen)]
		share := presentedMembership{ID: m.ID, UserID: m.UserID, GroupID: m.GroupID, DocumentID: d.ID, Permission: m.Permission}
		if m.GroupID == "" {
			share.CreatedByID, share.Index = d.CreatedBy, "P"
		}
		shares, shared = append(shares, encodeJSON(share)), append(shared, s.presentDocument(r, d))
	}
	return jsonArray(shares...), jsonArray(shared...), len(list)
}
