package filters

import (
	"strconv"
	"strings"
	"time"
)

// since returns the time that an ISO 8601 duration such as -P30D, P1Y2M or
// -PT1H is away from now.
func since(now time.Time, text string) (time.Time, bool) {
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
