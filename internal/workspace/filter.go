package workspace

import (
	"outline-mcp/internal/workspace/api"
	"slices"
	"strings"
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
	conditions   []condition

	store *store
}

// A condition is an entry of the newer parameter "filters".
type condition func(*document) bool

// filter reads a filter. older lists the deprecated parameters of the endpoint
// as the error message does; other parameters are ignored.
func (s *store) filter(f *api.Fields, older string) filter {
	names := strings.Fields(strings.ReplaceAll(strings.Replace(older, " or ", " ", 1), ",", ""))
	reads := func(name string) bool { return f.Has(name) && slices.Contains(names, name) }
	read := filter{store: s}
	if f.Has("filters") {
		read.conditions = s.conditions(f, slices.Contains(names, "documentId"))
		if slices.ContainsFunc(names, f.Has) && f.Err == nil {
			f.Err = api.Invalid("filters cannot be combined with deprecated parameters %s", older)
		}
	}
	if reads("statusFilter") {
		read.statuses = f.SomeOf("statusFilter", "published", "archived", "draft")
	}
	if reads("collectionId") {
		read.collectionID = f.UUID("collectionId")
	}
	if reads("userId") {
		read.userID = f.UUID("userId")
	}
	if reads("documentId") {
		read.within = f.UUID("documentId")
	}
	if reads("dateFilter") {
		read.since = s.since(f)
	}
	return read
}

// since reads dateFilter and returns the earliest time of the last change.
func (s *store) since(f *api.Fields) time.Time {
	now := s.now()
	switch f.OneOf("dateFilter", "", "day", "week", "month", "year") {
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
	if !d.DeletedAt.IsZero() || !f.acceptsStatus(d) ||
		f.collectionID != "" && d.CollectionID != f.collectionID ||
		f.userID != "" && !slices.Contains(d.Collaborators, f.userID) ||
		f.within != "" && !f.store.within(d, f.within) ||
		d.UpdatedAt.Before(f.since) {
		return false
	}
	for _, accepts := range f.conditions {
		if !accepts(d) {
			return false
		}
	}
	return true
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
