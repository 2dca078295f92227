package fakeoutline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A condition is one on a field.
type condition struct {
	field, operator string
	value           any
	hasValue        bool
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

func filterOperators() []string {
	return slices.Concat([]string{"eq", "neq", "lt", "lte", "gt", "gte", "in", "notIn", "isNull", "isNotNull"}, textOperators())
}

// textOperators are the operators of fields of the kind textField only.
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
func (c *condition) check(f *apiFields, kind filterKind, supported, options []string, now time.Time) {
	list, isList := c.value.([]any)
	wantsList := c.operator == "in" || c.operator == "notIn"
	switch {
	case supported != nil && !slices.Contains(supported, c.operator):
		f.Fail("operator", "operator '%s' is not supported for field '%s'", c.operator, c.field)
	case kind != textField && slices.Contains(textOperators(), c.operator):
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
		if kind == enumField {
			f.Fail("value", "value must be one of %s for field '%s'", strings.Join(options, ", "), c.field)
		}
		f.Fail("value", "value must be a valid %s for field '%s'", kind, c.field)
	}
}

// String returns the name of the kind in messages.
func (k filterKind) String() string { return [...]string{"string", "uuid", "enum", "date"}[k] }

func (c *condition) isValue(value any, kind filterKind, options []string, now time.Time) bool {
	text, ok := value.(string)
	switch kind {
	case uuidField:
		return isUUID(text)
	case enumField:
		return slices.Contains(options, text)
	case dateField:
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
	return timeBefore(now, text)
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

// timeBefore returns the time that an ISO 8601 duration such as -P30D, P1Y2M or
// -PT1H is away from now.
func timeBefore(now time.Time, text string) (time.Time, bool) {
	text, negative := strings.CutPrefix(text, "-")
	text, ok := strings.CutPrefix(text, "P")
	if !ok || text == "" {
		return time.Time{}, false
	}
	sign, ofDay := 1, false
	if negative {
		sign = -1
	}
	for text != "" {
		if text[0] == 'T' && !ofDay {
			text, ofDay = text[1:], true
		}
		unit := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
		if unit < 0 {
			return time.Time{}, false
		}
		n, err := strconv.ParseUint(text[:unit], 10, 16)
		if err != nil {
			return time.Time{}, false
		}
		count := sign * int(n)
		switch letter := text[unit]; {
		case ofDay && letter == 'H':
			now = now.Add(time.Duration(count) * time.Hour)
		case ofDay && letter == 'M':
			now = now.Add(time.Duration(count) * time.Minute)
		case ofDay && letter == 'S':
			now = now.Add(time.Duration(count) * time.Second)
		case !ofDay && letter == 'Y':
			now = now.AddDate(count, 0, 0)
		case !ofDay && letter == 'M':
			now = now.AddDate(0, count, 0)
		case !ofDay && letter == 'W':
			now = now.AddDate(0, 0, 7*count)
		case !ofDay && letter == 'D':
			now = now.AddDate(0, 0, count)
		default:
			return time.Time{}, false
		}
		text = text[unit+1:]
	}
	return now, true
}
