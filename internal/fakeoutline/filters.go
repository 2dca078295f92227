package fakeoutline

import (
	"slices"
	"time"
)

// A filter restricts a list of documents. The zero filter accepts all documents
// outside the trash.
type filter struct {
	statuses     []string // published, draft, archived; empty accepts all
	collectionID string
	userID       string // a collaborator
	within       string // a document's ID; accepts it and its descendants
	since        time.Time
	store        *store
}

// A listFilter is the parameters that restrict lists of documents.
type listFilter struct {
	Statuses     []string `in:"statusFilter,one=published|archived|draft"`
	CollectionID string   `in:"collectionId,uuid"`
	UserID       string   `in:"userId,uuid"`
}

// A searchFilter is the parameters that restrict searches.
type searchFilter struct {
	listFilter
	DocumentID string `in:"documentId,uuid"`
	Date       string `in:"dateFilter,one=day|week|month|year"`
}

// filter returns the filter of a request.
func (s *store) filter(in searchFilter) filter {
	return filter{store: s, statuses: in.Statuses, collectionID: in.CollectionID, userID: in.UserID, within: in.DocumentID, since: s.since(in.Date)}
}

// since returns the earliest time of the last change for a dateFilter.
func (s *store) since(period string) time.Time {
	now := s.now()
	switch period {
	case "day":
		return now.AddDate(0, 0, -1)
	case "week":
		return now.AddDate(0, 0, -7)
	case "month":
		return now.AddDate(0, -1, 0)
	case "year":
		return now.AddDate(-1, 0, 0)
	}
	return time.Time{}
}

func (f *filter) accepts(d *document) bool {
	return d.DeletedAt.IsZero() && f.acceptsStatus(d) &&
		(f.collectionID == "" || d.CollectionID == f.collectionID) &&
		(f.userID == "" || slices.Contains(d.Collaborators, f.userID)) &&
		(f.within == "" || f.store.within(d, f.within)) &&
		!d.UpdatedAt.Before(f.since)
}

func (f *filter) acceptsStatus(d *document) bool {
	if len(f.statuses) == 0 {
		return true
	}
	status := "published"
	switch {
	case !d.ArchivedAt.IsZero():
		status = "archived"
	case d.isDraft():
		status = "draft"
	}
	return slices.Contains(f.statuses, status)
}
