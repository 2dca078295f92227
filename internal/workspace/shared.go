package workspace

import (
	"slices"

	"outline-mcp/internal/workspace/api"
)

// presentedMembership is the JSON of a membership in a document.
type presentedMembership struct {
	ID           string  `json:"id"`
	UserID       string  `json:"userId"`
	DocumentID   string  `json:"documentId"`
	CollectionID *string `json:"collectionId"`
	Permission   string  `json:"permission"`
	CreatedByID  string  `json:"createdById"`
	SourceID     *string `json:"sourceId"`
	Index        string  `json:"index"`
}

// userMembershipsList implements userMemberships.list, which lists the documents that
// are shared with the caller one by one. What a group may read is not among them, nor
// what is below a document. That documents in the trash are not, is not recorded. Who
// shared a document and in which order is not kept: it is the author, and the order of
// creation.
func (s *store) userMembershipsList(r *request) (api.Answer, error) {
	mine := func(m Membership) bool { return m.UserID == r.caller.ID }
	list := s.sorted(func(d *document) bool { return d.DeletedAt.IsZero() && slices.ContainsFunc(d.Memberships, mine) }, byCreation)
	var memberships, documents []api.JSON
	for _, d := range api.Slice(list, r.Page) {
		m := d.Memberships[slices.IndexFunc(d.Memberships, mine)]
		memberships = append(memberships, api.Encode(presentedMembership{
			ID: m.ID, UserID: m.UserID, DocumentID: d.ID, Permission: m.Permission, CreatedByID: d.CreatedBy, Index: "P",
		}))
		documents = append(documents, s.presentDocument(r, d))
	}
	return api.Answer{
		Data: slices.Concat(api.JSON{[]byte(`{"memberships":`)}, api.Array(memberships...), api.JSON{[]byte(`,"documents":`)}, api.Array(documents...), api.JSON{[]byte(`}`)}),
		Page: r.Uncounted(),
	}, nil
}
