package outline

import (
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/text"
)

// A DocumentFilter selects documents for [Client.Documents]. The zero value selects the
// published documents that are not archived.
type DocumentFilter struct {
	CollectionID     string   // UUID; "" for all collections
	ParentDocumentID string   // UUID; only the documents directly below this one
	CollaboratorID   string   // UUID of a user who created or changed the document
	TitleContains    string   // part of the title, in upper or lower case; without accents and emoji if no title has it
	Statuses         []string // any of published, draft (one's own) and archived; none means published
	// The times of creation and of the last change: from the first on, and before the
	// second. A zero time does not restrict.
	CreatedAfter, CreatedBefore time.Time
	UpdatedAfter, UpdatedBefore time.Time
}

// Accepts reports whether a document is one of those that the filter selects.
func (f DocumentFilter) Accepts(d DocumentSummary) bool {
	return (f.CollectionID == "" || d.CollectionID == f.CollectionID) &&
		(f.ParentDocumentID == "" || d.ParentDocumentID == f.ParentDocumentID) &&
		(f.CollaboratorID == "" || slices.Contains(d.CollaboratorIDs, f.CollaboratorID)) &&
		strings.Contains(strings.ToLower(d.Title), strings.ToLower(f.TitleContains)) &&
		slices.Contains(f.statuses(), d.Status()) &&
		inRange(d.CreatedAt, f.CreatedAfter, f.CreatedBefore) &&
		inRange(d.UpdatedAt, f.UpdatedAfter, f.UpdatedBefore)
}

// nearly reports whether a document would be selected if titles had no accents and no emoji.
func (f DocumentFilter) nearly(d DocumentSummary) bool {
	part := strings.ToLower(text.FoldLoosely(f.TitleContains).Text)
	f.TitleContains = ""
	return part != "" && f.Accepts(d) && strings.Contains(strings.ToLower(text.FoldLoosely(d.Title).Text), part)
}

func inRange(t, from, before time.Time) bool {
	return !t.Before(from) && (before.IsZero() || t.Before(before))
}

func (f DocumentFilter) statuses() []string {
	if len(f.Statuses) == 0 {
		return []string{"published"}
	}
	return f.Statuses
}

// request returns the parameters of documents.list. They say all that the filter says if
// exact is true.
func (f DocumentFilter) request() (params listFilter, exact bool) {
	params = listFilter{CollectionID: f.CollectionID, ParentDocumentID: f.ParentDocumentID, StatusFilter: f.statuses()}
	exact = f.CollaboratorID == "" && f.TitleContains == "" &&
		f.CreatedAfter.IsZero() && f.CreatedBefore.IsZero() && f.UpdatedAfter.IsZero() && f.UpdatedBefore.IsZero()
	return params, exact
}

// listFilter holds the parameters of documents.list that filter.
type listFilter struct {
	CollectionID     string   `json:"collectionId,omitempty"`
	ParentDocumentID string   `json:"parentDocumentId,omitempty"`
	StatusFilter     []string `json:"statusFilter"`
}
