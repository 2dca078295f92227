package outline

import (
	"context"
	"slices"
)

// A documentMembership is a document that is shared with a user.
type documentMembership struct {
	ID string `json:"id"` // UUID
}

func (m documentMembership) id() string { return m.ID }

// sharedDocuments filters and orders the documents that are shared with the caller one
// by one, which Outline lists in an order of the caller's.
func (c *Client) sharedDocuments(ctx context.Context, p DocumentListParams) (DocumentPage, error) {
	type shares struct {
		Memberships []documentMembership `json:"memberships"`
		Documents   []DocumentSummary    `json:"documents"`
	}
	var found []DocumentSummary
	walked, err := walkPages(ctx, maxWalk, func(page ListParams) (Page[documentMembership], error) {
		answer, err := fetch(ctx, c, listing("userMemberships.list", page), func(s shares) string {
			return incompleteAmong(s.Documents, DocumentSummary.incomplete)
		})
		for _, d := range answer.Documents {
			if p.Accepts(d) && !slices.ContainsFunc(found, func(other DocumentSummary) bool { return other.ID == d.ID }) {
				found = append(found, d)
			}
		}
		return Page[documentMembership]{Items: answer.Memberships}, err
	}, documentMembership.id, func(documentMembership) bool { return false })
	if err != nil {
		return DocumentPage{}, err
	}
	sorting{p.Sort, p.Ascending}.sort(found)
	return p.pageOf(found, walked), nil
}
