package fakeoutline

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits of the newest source.
const (
	maxList   = 50  // entries of a list of filters
	maxValues = 100 // entries of the value of in and notIn
	maxDepth  = 5   // of nested groups and the condition in them
)

// A filterKind is what the values of a field are.
type filterKind int

// The kinds of fields.
const (
	textField filterKind = iota
	uuidField
	enumField
	dateField
)

// A filterField is a field of items of type T that conditions can name.
type filterField[T any] struct {
	Kind      filterKind
	Operators []string          // nil: all that its kind has
	Options   []string          // the values of an enumField
	Texts     func(T) []string  // the values, none for null; nil for a dateField
	Time      func(T) time.Time // the value of a dateField, zero for null
}

// filters are what the field of that name asks for in requests for lists: conditions
// {field, operator, value} and groups {operator: AND or OR, filters}, which an item of the
// list must all meet. The error messages are recorded. The zero value accepts everything.
type filters[T any] struct {
	accept    func(T) bool
	mentioned map[string]bool
	equal     map[string][]string
	only      map[string]string
}

// accepts reports whether an item meets all conditions.
func (l filters[T]) accepts(item T) bool { return l.accept == nil || l.accept(item) }

// mentions reports whether a condition is on a field.
func (l filters[T]) mentions(field string) bool { return l.mentioned[field] }

// equals returns the values that conditions with eq and in want a field to have.
func (l filters[T]) equals(field string) []string { return l.equal[field] }

// theOnly returns the value that all items must have in a field, as far as a single
// condition says so.
func (l filters[T]) theOnly(field string) string { return l.only[field] }

// readFilters reads the filters of a request. A problem becomes the error of the fields.
func readFilters[T any](f *apiFields, fields map[string]filterField[T], now time.Time) filters[T] {
	if !f.Has("filters") {
		return filters[T]{}
	}
	list := filters[T]{mentioned: map[string]bool{}, equal: map[string][]string{}, only: map[string]string{}}
	r := filterReader[T]{fields, now, &list, f}
	all := r.list(f.Values["filters"], 1, 0)
	list.accept = func(item T) bool {
		return !slices.ContainsFunc(all, func(meets func(T) bool) bool { return !meets(item) })
	}
	return list
}

type filterReader[T any] struct {
	fields map[string]filterField[T]
	now    time.Time
	into   *filters[T]
	errors *apiFields
}

// list reads a list of filters, which is at a depth. top is the index of the
// filter of the request that it is in.
func (r *filterReader[T]) list(value any, depth, top int) (all []func(T) bool) {
	list, ok := value.([]any)
	switch {
	case !ok:
		r.errors.Fail("filters", "Invalid input: expected array, received %s", typeName(value))
	case len(list) == 0:
		r.errors.Fail("filters", "Too small: expected array to have >=1 items")
	case len(list) > maxList:
		r.errors.Fail("filters", "Too big: expected array to have <=%d items", maxList)
	case depth > maxDepth:
		r.errors.Fail(fmt.Sprint(top), "filter nesting depth exceeds maximum of %d", maxDepth)
	}
	for i, entry := range list {
		if depth == 1 {
			top = i
		}
		if r.errors.Err != nil {
			return nil
		}
		all = append(all, r.filter(entry, i, depth, top))
	}
	return all
}

// filter reads a condition or a group, the index-th of its list.
func (r *filterReader[T]) filter(entry any, index, depth, top int) func(T) bool {
	object, _ := entry.(map[string]any)
	operator, _ := object["operator"].(string)
	if nested, ok := object["filters"]; ok && (operator == "AND" || operator == "OR") {
		group := r.list(nested, depth+1, top)
		if operator == "OR" {
			return func(item T) bool {
				return slices.ContainsFunc(group, func(meets func(T) bool) bool { return meets(item) })
			}
		}
		return func(item T) bool {
			return !slices.ContainsFunc(group, func(meets func(T) bool) bool { return !meets(item) })
		}
	}
	c := condition{operator: operator, value: object["value"]}
	c.field, _ = object["field"].(string)
	_, c.hasValue = object["value"]
	field, known := r.fields[c.field]
	if !known || !slices.Contains(filterOperators(), operator) || c.hasValue && !c.isShaped() {
		r.errors.Fail(fmt.Sprint(index), "Invalid input")
		return nil
	}
	c.check(r.errors, field.Kind, field.Operators, field.Options, r.now)
	if r.errors.Err != nil {
		return nil
	}
	r.into.mentioned[c.field] = true
	if operator == "eq" || operator == "in" {
		r.into.equal[c.field] = append(r.into.equal[c.field], c.texts()...)
	}
	if operator == "eq" && depth == 1 {
		r.into.only[c.field] = c.text()
	}
	if field.Kind == dateField {
		meets := c.ofTime(r.now)
		return func(item T) bool { return meets(field.Time(item)) }
	}
	meets := c.ofText(field.Kind == uuidField)
	return func(item T) bool { return meets(field.Texts(item)) }
}

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
			r.Fields.Err = apiInvalid("filters cannot be combined with deprecated parameters %s", older)
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
	id := func(get func(*document) string) filterField[*document] {
		return filterField[*document]{Kind: uuidField, Texts: func(d *document) []string { return notNull(get(d)) }}
	}
	date := func(get func(*document) time.Time) filterField[*document] {
		return filterField[*document]{Kind: dateField, Time: get}
	}
	fields := map[string]filterField[*document]{
		"title":            {Kind: textField, Texts: func(d *document) []string { return []string{d.Title} }},
		"documentId":       id(func(d *document) string { return d.ID }),
		"collectionId":     id(func(d *document) string { return d.CollectionID }),
		"parentDocumentId": id(func(d *document) string { return d.ParentID }),
		"templateId":       id(func(d *document) string { return d.TemplateID }),
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
