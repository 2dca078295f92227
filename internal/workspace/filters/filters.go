// Package filters reads and applies "filters", a field of requests for lists of
// Outline: conditions {field, operator, value} and groups {operator: AND or OR,
// filters}, which an item of the list must all meet. Its error messages are
// recorded.
package filters

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/workspace/api"
)

// Limits of the newest source.
const (
	maxList   = 50  // entries of a list of filters
	maxValues = 100 // entries of the value of in and notIn
	maxDepth  = 5   // of nested groups and the condition in them
)

// A Kind is what the values of a field are.
type Kind int

// The kinds of fields.
const (
	Text Kind = iota
	UUID
	Enum
	Date
)

// A Field is a field of items of type T that conditions can name.
type Field[T any] struct {
	Kind      Kind
	Operators []string          // nil: all that its kind has
	Options   []string          // the values of an Enum
	Texts     func(T) []string  // the values, none for null; nil for a Date
	Time      func(T) time.Time // the value of a Date, zero for null
}

// A List is what a request asks for. The zero List accepts everything.
type List[T any] struct {
	accept    func(T) bool
	mentioned map[string]bool
	equal     map[string][]string
	only      map[string]string
}

// Accepts reports whether an item meets all conditions.
func (l List[T]) Accepts(item T) bool { return l.accept == nil || l.accept(item) }

// Mentions reports whether a condition is on a field.
func (l List[T]) Mentions(field string) bool { return l.mentioned[field] }

// Equal returns the values that conditions with eq and in want a field to have.
func (l List[T]) Equal(field string) []string { return l.equal[field] }

// Only returns the value that all items must have in a field, as far as a single
// condition says so.
func (l List[T]) Only(field string) string { return l.only[field] }

// Read reads the filters of a request. A problem becomes the error of the fields.
func Read[T any](f *api.Fields, fields map[string]Field[T], now time.Time) List[T] {
	if !f.Has("filters") {
		return List[T]{}
	}
	list := List[T]{mentioned: map[string]bool{}, equal: map[string][]string{}, only: map[string]string{}}
	r := reader[T]{fields, now, &list, f}
	all := r.list(f.Values["filters"], 1, 0)
	list.accept = func(item T) bool {
		return !slices.ContainsFunc(all, func(meets func(T) bool) bool { return !meets(item) })
	}
	return list
}

type reader[T any] struct {
	fields map[string]Field[T]
	now    time.Time
	into   *List[T]
	errors *api.Fields
}

// list reads a list of filters, which is at a depth. top is the index of the
// filter of the request that it is in.
func (r *reader[T]) list(value any, depth, top int) (all []func(T) bool) {
	list, ok := value.([]any)
	switch {
	case !ok:
		r.errors.Fail("filters", "Invalid input: expected array, received %s", api.TypeName(value))
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
func (r *reader[T]) filter(entry any, index, depth, top int) func(T) bool {
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
	if !known || !slices.Contains(operators(), operator) || c.hasValue && !c.isShaped() {
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
	if field.Kind == Date {
		meets := c.ofTime(r.now)
		return func(item T) bool { return meets(field.Time(item)) }
	}
	meets := c.ofText(field.Kind == UUID)
	return func(item T) bool { return meets(field.Texts(item)) }
}

// texts returns the value of a condition as a list.
func (c *condition) texts() []string {
	list, ok := c.value.([]any)
	if !ok {
		list = []any{c.value}
	}
	texts := make([]string, 0, len(list))
	for _, item := range list {
		text, _ := item.(string)
		texts = append(texts, text)
	}
	return texts
}

func (c *condition) text() string { return strings.Join(c.texts()[:1], "") }
