package dates_test

import (
	"strings"
	"testing"
	"time"

	"outline-mcp/internal/dates"
)

// noon is the time from which the durations of these tests count back.
var noon = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

func TestDatesAreReadInTheFormsThatPeopleGiveThem(t *testing.T) {
	for given, want := range map[string]string{
		"2026-05-31":                "2026-05-31T00:00:00Z",
		" 2026-05-31 ":              "2026-05-31T00:00:00Z",
		"2024-02-29":                "2024-02-29T00:00:00Z",
		"2026-05-31T09:00Z":         "2026-05-31T09:00:00Z",
		"2026-05-31t09:00z":         "2026-05-31T09:00:00Z",
		"2026-05-31T09:00":          "2026-05-31T09:00:00Z",
		"2026-05-31 09:00":          "2026-05-31T09:00:00Z",
		"2026-05-31 09:00:30":       "2026-05-31T09:00:30Z",
		"2026-05-31T09:00:00+02:00": "2026-05-31T07:00:00Z",
		"2026-05-31T23:30-02:00":    "2026-06-01T01:30:00Z",
		"2026-05-31T09:00:00.250Z":  "2026-05-31T09:00:00.25Z",
		"12h":                       "2026-03-31T00:00:00Z",
		"7d":                        "2026-03-24T12:00:00Z",
		"7 days":                    "2026-03-24T12:00:00Z",
		"7 days ago":                "2026-03-24T12:00:00Z",
		"2w":                        "2026-03-17T12:00:00Z",
		"1m":                        "2026-02-28T12:00:00Z",
		"3M":                        "2025-12-31T12:00:00Z",
		"25 months":                 "2024-02-29T12:00:00Z",
		"1y":                        "2025-03-31T12:00:00Z",
		"0d":                        "2026-03-31T12:00:00Z",
		"99999y":                    "1970-01-01T00:00:00Z",
		"0001-01-01":                "1970-01-01T00:00:00Z",
		"0000-01-01":                "1970-01-01T00:00:00Z",
		"9999-12-31T23:59:59-23:59": "9999-12-31T23:59:59Z",
	} {
		got, err := dates.Parse(given, noon)
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is read as %s, %v; want %s", given, got.Format(time.RFC3339Nano), err, want)
		}
	}
}

func TestWhatIsNoDateIsRefusedWithTheFormsThatAre(t *testing.T) {
	for given, says := range map[string]string{
		"2026-02-30":                      `is not a date of the calendar: give a date (2026-05-31)`,
		"2026-13-01T09:00Z":               `is not a date of the calendar`,
		"2026-05-31T25:00Z":               `is not a date: give`,
		"31.05.2026":                      "is not a date: give",
		"yesterday":                       "is not a date: give",
		"-7d":                             "is not a date: give",
		"7":                               "is not a date: give",
		"7d7d":                            "is not a date: give",
		"123456d":                         "is not a date: give",
		"1.5y":                            "is not a date: give",
		"d":                               "is not a date: give",
		"２０２６-05-31":                      "is not a date: give",
		strings.Repeat("9", 10_000) + "d": "is not a date: give",
	} {
		if got, err := dates.Parse(given, noon); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q is read as %s, %v", given, got, err)
		}
	}
}

func FuzzADateIsWithinTheCalendar(f *testing.F) {
	for _, given := range []string{"2026-05-31", "2026-05-31T09:00:00+02:00", "7d", "3 months ago", "99999y", "0001-01-01", "9999-12-31T23:59:59-23:59"} {
		f.Add(given)
	}
	f.Fuzz(func(t *testing.T, given string) {
		date, err := dates.Parse(given, noon)
		if err != nil {
			if !date.IsZero() {
				t.Errorf("%q: %s, %q", given, date, err)
			}
			return
		}
		if date.Unix() < 0 || date.Year() > 9999 || date.Location() != time.UTC {
			t.Errorf("%q is read as %s", given, date)
		}
		if !strings.Contains(given, "-") && date.After(noon) {
			t.Errorf("%q, a duration back, is read as %s", given, date)
		}
	})
}
