package fakeoutline

import (
	"outline-mcp/internal/fakeoutline/api"
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
	newer        filters[*document] // the parameter that replaces all of these

	store *store
}

// A listFilter is the deprecated parameters that restrict lists of documents.
type listFilter struct {
	Statuses     []string `in:"statusFilter,one=published|archived|draft"`
	CollectionID string   `in:"collectionId,uuid"`
	UserID       string   `in:"userId,uuid"`
}

// A searchFilter is the deprecated parameters that restrict searches.
type searchFilter struct {
	listFilter
	DocumentID string `in:"documentId,uuid"`
	Date       string `in:"dateFilter,one=day|week|month|year"`
}

// filter returns the filter of a request. older lists the deprecated parameters of the
// endpoint as the error message does.
func (s *store) filter(r *request, in searchFilter, older string) (filter, error) {
	read := filter{store: s, statuses: in.Statuses, collectionID: in.CollectionID, userID: in.UserID, within: in.DocumentID, since: s.since(in.Date)}
	if r.Fields.Has("filters") {
		names := strings.Fields(strings.ReplaceAll(strings.Replace(older, " or ", " ", 1), ",", ""))
		read.newer = readFilters(&r.Fields, s.documentFields(slices.Contains(names, "documentId")), s.now())
		if slices.ContainsFunc(names, r.Fields.Has) && r.Fields.Err == nil {
			r.Fields.Err = api.Invalid("filters cannot be combined with deprecated parameters %s", older)
		}
	}
	return read, r.Fields.Err
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
	if !d.DeletedAt.IsZero() || !f.acceptsStatus(d) ||
		f.collectionID != "" && d.CollectionID != f.collectionID ||
		f.userID != "" && !slices.Contains(d.Collaborators, f.userID) ||
		f.within != "" && !f.store.within(d, f.within) ||
		d.UpdatedAt.Before(f.since) {
		return false
	}
	return f.newer.accepts(d)
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

// documentFields returns the fields of a document that filters can name. In a
// search, one on documentId includes the descendants of that document.
func (s *store) documentFields(search bool) map[string]filterField[*document] {
	text := func(kind filterKind, get func(*document) string) filterField[*document] {
		return filterField[*document]{Kind: kind, Texts: func(d *document) []string { return notNull(get(d)) }}
	}
	date := func(get func(*document) time.Time) filterField[*document] {
		return filterField[*document]{Kind: dateField, Time: get}
	}
	fields := map[string]filterField[*document]{
		"title":            {Kind: textField, Texts: func(d *document) []string { return []string{d.Title} }},
		"documentId":       text(uuidField, func(d *document) string { return d.ID }),
		"collectionId":     text(uuidField, func(d *document) string { return d.CollectionID }),
		"parentDocumentId": text(uuidField, func(d *document) string { return d.ParentID }),
		"templateId":       text(uuidField, func(d *document) string { return d.TemplateID }),
		"userId":           {Kind: uuidField, Operators: []string{"eq", "in"}, Texts: func(d *document) []string { return d.Collaborators }},
		"createdAt":        date(func(d *document) time.Time { return d.CreatedAt }),
		"updatedAt":        date(func(d *document) time.Time { return d.UpdatedAt }),
		"publishedAt":      date(func(d *document) time.Time { return d.PublishedAt }),
		"archivedAt":       date(func(d *document) time.Time { return d.ArchivedAt }),
	}
	if search {
		fields["documentId"] = filterField[*document]{Kind: uuidField, Operators: []string{"eq", "in"}, Texts: s.withAncestors}
	}
	return fields
}

// deletedFields returns the fields of a document in the trash that filters can
// name.
func deletedFields() map[string]filterField[*document] {
	return map[string]filterField[*document]{
		"deletedAt":   {Kind: dateField, Time: func(d *document) time.Time { return d.DeletedAt }},
		"deletedById": {Kind: uuidField, Texts: func(d *document) []string { return notNull(d.DeletedBy) }},
	}
}

func notNull(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
