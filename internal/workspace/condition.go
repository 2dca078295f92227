package workspace

import (
	"fmt"
	"outline-mcp/internal/workspace/api"
	"slices"
	"strconv"
	"strings"
	"time"
)

// conditions reads the parameter "filters": a list of conditions {field,
// operator, value} and of groups {operator: AND or OR, filters}, which a
// document must all meet. In a search, a condition on documentId includes the
// descendants of that document.
func (s *store) conditions(f *api.Fields, search bool) []condition {
	list, ok := f.Values["filters"].([]any)
	if !ok {
		f.Fail("filters", "Invalid input: expected array, received %s", api.TypeName(f.Values["filters"]))
	}
	conditions := make([]condition, 0, len(list))
	for i, entry := range list {
		if c := s.condition(f, fmt.Sprintf("filters.%d", i), entry, search, 0); c != nil {
			conditions = append(conditions, c)
		}
	}
	return conditions
}

// maxConditionDepth is the maximum depth of nested groups.
const maxConditionDepth = 10

func (s *store) condition(f *api.Fields, path string, entry any, search bool, depth int) condition {
	object, ok := entry.(map[string]any)
	if !ok || depth > maxConditionDepth {
		f.Fail(path, "Invalid input")
		return nil
	}
	operator, _ := object["operator"].(string)
	if nested, ok := object["filters"].([]any); ok && (operator == "AND" || operator == "OR") {
		group := make([]condition, 0, len(nested))
		for i, entry := range nested {
			c := s.condition(f, fmt.Sprintf("%s.filters.%d", path, i), entry, search, depth+1)
			if c == nil {
				return nil
			}
			group = append(group, c)
		}
		return func(d *document) bool {
			meets := func(c condition) bool { return c(d) }
			if operator == "OR" {
				return slices.ContainsFunc(group, meets)
			}
			return !slices.ContainsFunc(group, func(c condition) bool { return !c(d) })
		}
	}
	var c condition
	field, _ := object["field"].(string)
	switch field {
	case "documentId":
		if search {
			c = s.belowCondition(operator, object["value"])
			break
		}
		fallthrough
	case "title", "templateId", "collectionId", "parentDocumentId", "userId":
		c = textCondition(field, operator, object["value"])
	case "createdAt", "updatedAt", "publishedAt", "archivedAt":
		c = s.timeCondition(field, operator, object["value"])
	}
	if c == nil {
		f.Fail(path, "Invalid input")
	}
	return c
}

// textCondition returns a condition on a text of a document, or nil if the
// operator or value is invalid.
func textCondition(field, operator string, value any) condition {
	get := func(d *document) []string {
		switch field {
		case "title":
			return []string{d.Title}
		case "templateId":
			return []string{d.TemplateID}
		case "collectionId":
			return []string{d.CollectionID}
		case "parentDocumentId":
			return []string{d.ParentID}
		case "userId":
			return d.Collaborators
		}
		return []string{d.ID}
	}
	any := func(meets func(string) bool) condition {
		return func(d *document) bool { return slices.ContainsFunc(get(d), meets) }
	}
	text, isText := value.(string)
	folded := strings.ToLower(text)
	switch operator {
	case "isNull":
		return any(func(v string) bool { return v == "" })
	case "isNotNull":
		return any(func(v string) bool { return v != "" })
	case "in", "notIn":
		list, ok := texts(value)
		if !ok {
			return nil
		}
		return any(func(v string) bool { return slices.Contains(list, v) == (operator == "in") })
	}
	if !isText {
		return nil
	}
	switch operator {
	case "eq":
		return any(func(v string) bool { return v == text })
	case "neq":
		return any(func(v string) bool { return v != text })
	case "contains":
		return any(func(v string) bool { return strings.Contains(strings.ToLower(v), folded) })
	case "containsStrict":
		return any(func(v string) bool { return strings.Contains(v, text) })
	case "startsWith":
		return any(func(v string) bool { return strings.HasPrefix(strings.ToLower(v), folded) })
	case "startsWithStrict":
		return any(func(v string) bool { return strings.HasPrefix(v, text) })
	case "endsWith":
		return any(func(v string) bool { return strings.HasSuffix(strings.ToLower(v), folded) })
	case "endsWithStrict":
		return any(func(v string) bool { return strings.HasSuffix(v, text) })
	}
	return nil
}

// belowCondition returns a condition that accepts documents and their
// descendants, or nil if the operator or value is invalid.
func (s *store) belowCondition(operator string, value any) condition {
	if operator == "eq" {
		operator, value = "in", []any{value}
	}
	list, ok := texts(value)
	if !ok || operator != "in" {
		return nil
	}
	return func(d *document) bool {
		return slices.ContainsFunc(list, func(id string) bool { return s.within(d, id) })
	}
}

func texts(value any) ([]string, bool) {
	list, ok := value.([]any)
	some := make([]string, 0, len(list))
	for _, item := range list {
		text, isText := item.(string)
		ok = ok && isText
		some = append(some, text)
	}
	return some, ok
}

// timeCondition returns a condition on a time of a document, or nil if the
// operator or value is invalid.
func (s *store) timeCondition(field, operator string, value any) condition {
	get := func(d *document) time.Time {
		switch field {
		case "createdAt":
			return d.CreatedAt
		case "publishedAt":
			return d.PublishedAt
		case "archivedAt":
			return d.ArchivedAt
		}
		return d.UpdatedAt
	}
	switch operator {
	case "isNull":
		return func(d *document) bool { return get(d).IsZero() }
	case "isNotNull":
		return func(d *document) bool { return !get(d).IsZero() }
	}
	text, _ := value.(string)
	limit, ok := parseMoment(text, s.now())
	if !ok {
		return nil
	}
	compare := map[string]func(int) bool{
		"eq":  func(c int) bool { return c == 0 },
		"neq": func(c int) bool { return c != 0 },
		"lt":  func(c int) bool { return c < 0 },
		"lte": func(c int) bool { return c <= 0 },
		"gt":  func(c int) bool { return c > 0 },
		"gte": func(c int) bool { return c >= 0 },
	}[operator]
	if compare == nil {
		return nil
	}
	return func(d *document) bool { return !get(d).IsZero() && compare(get(d).Compare(limit)) }
}

// parseMoment parses an ISO 8601 date or time, or a duration relative to now
// such as -P1D.
func parseMoment(text string, now time.Time) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	text, negative := strings.CutPrefix(text, "-")
	text, ok := strings.CutPrefix(text, "P")
	if !ok || len(text) < 2 {
		return time.Time{}, false
	}
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 16)
	if err != nil {
		return time.Time{}, false
	}
	count := int(n)
	if negative {
		count = -count
	}
	switch text[len(text)-1] {
	case 'D':
		return now.AddDate(0, 0, count), true
	case 'W':
		return now.AddDate(0, 0, 7*count), true
	case 'M':
		return now.AddDate(0, count, 0), true
	case 'Y':
		return now.AddDate(count, 0, 0), true
	}
	return time.Time{}, false
}
