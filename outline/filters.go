package outline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// A DocumentFilter selects documents for [Client.Documents]. The zero value selects the
// published documents that are not archived.
type DocumentFilter struct {
	CollectionID     string   // UUID; "" for all collections
	ParentDocumentID string   // UUID; only the documents directly below this one
	CollaboratorID   string   // UUID of a user who created or changed the document
	TitleContains    string   // part of the title, in any case
	Statuses         []string // any of published, draft (one's own) and archived; none means published
	// The times of creation and of the last change: from the first on, and before the
	// second. A zero time does not restrict. Outline keeps milliseconds.
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
		within(d.CreatedAt, f.CreatedAfter, f.CreatedBefore) &&
		within(d.UpdatedAt, f.UpdatedAfter, f.UpdatedBefore)
}

func within(t, from, before time.Time) bool {
	return !t.Before(from) && (before.IsZero() || t.Before(before))
}

func (f DocumentFilter) statuses() []string {
	if len(f.Statuses) == 0 {
		return []string{"published"}
	}
	return f.Statuses
}

// older returns the parameters of documents.list that every release knows. They say
// all that the filter says if exact is true.
func (f DocumentFilter) older() (params olderFilter, exact bool) {
	params = olderFilter{CollectionID: f.CollectionID, ParentDocumentID: f.ParentDocumentID, StatusFilter: f.statuses()}
	exact = f.CollaboratorID == "" && f.TitleContains == "" &&
		f.CreatedAfter.IsZero() && f.CreatedBefore.IsZero() && f.UpdatedAfter.IsZero() && f.UpdatedBefore.IsZero()
	return params, exact
}

// olderFilter holds the parameters that the newest Outline calls deprecated. It does not
// accept them beside filters.
type olderFilter struct {
	CollectionID     string   `json:"collectionId,omitempty"`
	ParentDocumentID string   `json:"parentDocumentId,omitempty"`
	StatusFilter     []string `json:"statusFilter"`
}

// A condition is an entry of the parameter "filters": a field with an operator and a
// value, or a group of conditions with the operator AND or OR.
type condition struct {
	Field    string      `json:"field,omitempty"`
	Operator string      `json:"operator"`
	Value    string      `json:"value,omitempty"`
	Filters  []condition `json:"filters,omitempty"`
}

// conditions returns the filter without its statuses as conditions that all must be met.
func (f DocumentFilter) conditions() []condition {
	var all []condition
	add := func(field, operator, value string) {
		if value != "" {
			all = append(all, condition{Field: field, Operator: operator, Value: value})
		}
	}
	add("collectionId", "eq", f.CollectionID)
	add("parentDocumentId", "eq", f.ParentDocumentID)
	add("userId", "eq", f.CollaboratorID)
	add("title", "contains", f.TitleContains)
	add("createdAt", "gte", instant(f.CreatedAfter))
	add("createdAt", "lt", instant(f.CreatedBefore))
	add("updatedAt", "gte", instant(f.UpdatedAfter))
	add("updatedAt", "lt", instant(f.UpdatedBefore))
	return all
}

// instant formats a time as Outline does, or returns "" for the zero time.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// hasStatus returns the conditions that a document has one of the statuses. Those on
// publishedAt let documents.list return the caller's drafts, those on archivedAt
// archived documents. Outline was recorded with each of these conditions and with
// nested groups, but not with both of them in one group.
func hasStatus(statuses []string) []condition {
	either := condition{Operator: "OR"}
	for _, status := range statuses {
		group := condition{Operator: "AND", Filters: []condition{{Field: "publishedAt", Operator: "isNotNull"}, {Field: "archivedAt", Operator: "isNull"}}}
		switch status {
		case "draft":
			group.Filters[0].Operator = "isNull"
		case "archived":
			group.Filters = []condition{{Field: "archivedAt", Operator: "isNotNull"}}
		}
		if len(statuses) == 1 {
			return group.Filters
		}
		either.Filters = append(either.Filters, group)
	}
	return []condition{either}
}

// filterSupport is whether a server knows filters.
type filterSupport int

const (
	filtersNotAsked filterSupport = iota
	filtersUnknown
	filtersKnown
)

// KnowsFilters reports whether the lists and searches of the server know filters, as no
// release up to 1.9.2 does: those ignore the parameter and answer without a filter. The
// answer is kept for some minutes, or for good if the server knows them. The probe is a
// filter on a field that does not exist, for a list that is empty without it.
func (c *Client) KnowsFilters(ctx context.Context) (bool, error) {
	if support := c.known.filters.get(filtersKnown); support != filtersNotAsked {
		return support == filtersKnown, nil
	}
	_, err := list[DocumentSummary](ctx, c, listing.request("documents.list", struct {
		Filters          []condition `json:"filters"`
		ParentDocumentID string      `json:"parentDocumentId"`
	}{[]condition{{Field: "none", Operator: "eq", Value: "none"}}, noDocument}), DocumentSummary.incomplete)
	support := filtersUnknown
	switch {
	case errors.Is(err, ErrInvalid):
		support = filtersKnown
	case err != nil:
		return false, err
	}
	c.known.filters.set(support, filtersKnown)
	return support == filtersKnown, nil
}
