package filters

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"outline-mcp/internal/workspace/api"
	"outline-mcp/internal/workspace/ident"
)

// A condition is one on a field.
type condition struct {
	field, operator string
	value           any
	hasValue        bool
}

func operators() []string {
	return slices.Concat([]string{"eq", "neq", "lt", "lte", "gt", "gte", "in", "notIn", "isNull", "isNotNull"}, textOperators())
}

// textOperators are the operators of fields of the kind Text only.
func textOperators() []string {
	return []string{"contains", "containsStrict", "startsWith", "startsWithStrict", "endsWith", "endsWithStrict"}
}

// isShaped reports whether the value is of a type that some field could have.
func (c *condition) isShaped() bool {
	scalar := func(value any) bool {
		switch value.(type) {
		case string, float64, bool:
			return true
		}
		return false
	}
	if list, ok := c.value.([]any); ok {
		return !slices.ContainsFunc(list, func(item any) bool { return !scalar(item) })
	}
	return scalar(c.value)
}

// check records what is wrong with a condition on a field of a kind.
func (c *condition) check(f *api.Fields, kind Kind, supported, options []string, now time.Time) {
	list, isList := c.value.([]any)
	wantsList := c.operator == "in" || c.operator == "notIn"
	switch {
	case supported != nil && !slices.Contains(supported, c.operator):
		f.Fail("operator", "operator '%s' is not supported for field '%s'", c.operator, c.field)
	case kind != Text && slices.Contains(textOperators(), c.operator):
		f.Fail("operator", "operator '%s' is only valid for text fields, not field '%s'", c.operator, c.field)
	case c.operator == "isNull" || c.operator == "isNotNull":
		if c.hasValue {
			f.Fail("value", "value must not be provided for operator '%s'", c.operator)
		}
	case !c.hasValue:
		f.Fail("value", "value is required for operator '%s'", c.operator)
	case wantsList && len(list) == 0:
		f.Fail("value", "value must be a non-empty array for operator '%s'", c.operator)
	case len(list) > maxValues:
		f.Fail("value", "value must contain at most %d entries for operator '%s'", maxValues, c.operator)
	case isList && !wantsList:
		f.Fail("value", "value must not be an array for operator '%s'", c.operator)
	case isList && slices.ContainsFunc(list, func(item any) bool { return !c.isValue(item, kind, options, now) }):
		f.Fail("value", "value must contain only valid %s entries for field '%s'", kind, c.field)
	case !isList && !c.isValue(c.value, kind, options, now):
		if kind == Enum {
			f.Fail("value", "value must be one of %s for field '%s'", strings.Join(options, ", "), c.field)
		}
		f.Fail("value", "value must be a valid %s for field '%s'", kind, c.field)
	}
}

// String returns the name of the kind in messages.
func (k Kind) String() string { return [...]string{"string", "uuid", "enum", "date"}[k] }

func (c *condition) isValue(value any, kind Kind, options []string, now time.Time) bool {
	text, ok := value.(string)
	switch kind {
	case UUID:
		return ident.IsUUID(text)
	case Enum:
		return slices.Contains(options, text)
	case Date:
		_, ok = c.moment(text, now)
	}
	return ok
}

// moment returns the time of a value. Durations are only for comparisons.
func (c *condition) moment(text string, now time.Time) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	if !slices.Contains([]string{"lt", "lte", "gt", "gte"}, c.operator) {
		return time.Time{}, false
	}
	return since(now, text)
}

// ofText returns what the values of a text must be. Null meets no comparison, as
// in SQL.
func (c *condition) ofText(folded bool) func(values []string) bool {
	wanted, want := c.texts(), c.text()
	if folded {
		for i := range wanted {
			wanted[i] = strings.ToLower(wanted[i])
		}
		want = wanted[0]
	}
	var meets func(string) bool
	lower := strings.ToLower(want)
	switch c.operator {
	case "isNull":
		return func(values []string) bool { return len(values) == 0 }
	case "isNotNull":
		return func(values []string) bool { return len(values) > 0 }
	case "in", "notIn":
		meets = func(v string) bool { return slices.Contains(wanted, v) == (c.operator == "in") }
	case "contains":
		meets = func(v string) bool { return strings.Contains(strings.ToLower(v), lower) }
	case "containsStrict":
		meets = func(v string) bool { return strings.Contains(v, want) }
	case "startsWith":
		meets = func(v string) bool { return strings.HasPrefix(strings.ToLower(v), lower) }
	case "startsWithStrict":
		meets = func(v string) bool { return strings.HasPrefix(v, want) }
	case "endsWith":
		meets = func(v string) bool { return strings.HasSuffix(strings.ToLower(v), lower) }
	case "endsWithStrict":
		meets = func(v string) bool { return strings.HasSuffix(v, want) }
	default:
		meets = func(v string) bool { return c.compares(cmp.Compare(v, want)) }
	}
	return func(values []string) bool { return slices.ContainsFunc(values, meets) }
}

// ofTime returns what a time must be; the zero time is null.
func (c *condition) ofTime(now time.Time) func(time.Time) bool {
	switch c.operator {
	case "isNull":
		return time.Time.IsZero
	case "isNotNull":
		return func(t time.Time) bool { return !t.IsZero() }
	}
	var wanted []time.Time
	for _, text := range c.texts() {
		t, _ := c.moment(text, now)
		wanted = append(wanted, t)
	}
	return func(t time.Time) bool {
		switch {
		case t.IsZero():
			return false
		case c.operator == "in" || c.operator == "notIn":
			return slices.ContainsFunc(wanted, t.Equal) == (c.operator == "in")
		}
		return c.compares(t.Compare(wanted[0]))
	}
}

// compares reports whether the operator accepts the result of a comparison.
func (c *condition) compares(result int) bool {
	switch c.operator {
	case "eq":
		return result == 0
	case "neq":
		return result != 0
	case "lt":
		return result < 0
	case "lte":
		return result <= 0
	case "gt":
		return result > 0
	}
	return result >= 0
}
