// Package dates reads points in time as people and models give them.
package dates

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// forms says how dates are given.
const forms = ": give a date (2026-05-31), a date-time (2026-05-31T09:00Z) or a duration back from now (12h, 7d, 2w, 3m, 1y)"

var (
	errNoDate        = errors.New("is not a date" + forms)
	errNotInCalendar = errors.New("is not a date of the calendar" + forms)
)

var (
	looksLikeDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(?:[T ]|$)`) })
	duration      = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d{1,5}) ?(h|hours?|d|days?|w|weeks?|m|months?|y|years?)(?: ago)?$`)
	})
)

// Parse reads a date (its first moment in UTC), a date-time (in UTC if it has no zone)
// or a duration back from now, in which m stands for months. Units may be spelled out,
// and "ago" may follow. The result is in UTC and in the years 1970 to 9999: what is
// outside of them is moved to their first or last moment.
//
// The text of an error continues a sentence that begins with the given value, and lists
// the forms.
func Parse(given string, now time.Time) (time.Time, error) {
	text := strings.ToUpper(strings.TrimSpace(given))
	for _, layout := range []string{
		time.DateOnly, time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return clamp(t), nil
		}
	}
	parts := duration().FindStringSubmatch(strings.ToLower(text))
	if parts == nil {
		if looksLikeDate().MatchString(text) {
			if _, err := time.Parse(time.DateOnly, text[:len(time.DateOnly)]); err != nil {
				return time.Time{}, errNotInCalendar
			}
		}
		return time.Time{}, errNoDate
	}
	n, _ := strconv.Atoi(parts[1]) // at most five digits
	switch parts[2][0] {
	case 'h':
		now = now.Add(-time.Duration(n) * time.Hour)
	case 'd':
		now = now.AddDate(0, 0, -n)
	case 'w':
		now = now.AddDate(0, 0, -7*n)
	case 'm':
		now = monthsBefore(now, n)
	case 'y':
		now = monthsBefore(now, 12*n)
	}
	return clamp(now), nil
}

// monthsBefore returns the same day of the month n months earlier, or the last day of
// that month if it has no such day.
func monthsBefore(t time.Time, n int) time.Time {
	before := t.AddDate(0, -n, 0)
	if before.Day() != t.Day() {
		before = before.AddDate(0, 0, -before.Day())
	}
	return before
}

// clamp keeps the zero time and years that databases do not have out of filters.
func clamp(t time.Time) time.Time {
	first, last := time.Unix(0, 0), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	switch {
	case t.Before(first):
		t = first
	case t.After(last):
		t = last
	}
	return t.UTC()
}
